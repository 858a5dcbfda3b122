// A Gate is the approval step of the call pipeline: it asks a person about a call that needs
// approval. Call the functions of this header on the I/O thread.
//
// The operator's setting `approval.ask` says which person the gate asks. With the setting "client",
// the calling client asks its user. With the setting "page", a reviewer of this host decides, in
// the console or over REST. If the gate can ask no person, the call does not run. The result of the
// call names the setting with which an operator could allow the call.
//
// The host never asks for a one-time code in a form that a client shows. A client that can show
// URLs sends its user to the console's page of the approval request. The user's login to the
// console and the one-time code prove who the user is.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "approval/approvals.h"
#include "approval/grace.h"
#include "base/result.h"
#include "tool/call/call.h"
#include "tool/definition/tool.h"

namespace host::approval {

// The words with which the audit log says how a call was approved.
inline constexpr const char* kByPerson = "person";
inline constexpr const char* kByCode = "totp";
inline constexpr const char* kByGrace = "totp_grace";  // an earlier one-time code still applies

// Describes the approval that a call needs: the reason for the approval, and rules that would make
// the approval unnecessary.
struct Request {
  std::string reason;
  std::vector<std::string> suggestions;  // the rules in the form in which an operator writes them
  std::vector<std::string> rules;        // `suggestions` as JSON
  bool rules_can_allow = true;       // false: approval is needed every time, whatever the rules say
  std::vector<std::string> covered;  // post_ tools that the same approval covers
  std::string build;                 // identifies the builds for which the approval is valid
  // True: the called tool is a priv_ tool, whose calls need a one-time code of the principal.
  bool needs_code = false;
  // The gate calls on_question() with the id of the approval request when the call is about to wait
  // for a person. `approval` is empty if the client's user is asked instead of a reviewer.
  // `on_question` can be null.
  std::function<void(std::string_view approval)> on_question = nullptr;
  bool code_is_yes = false;  // true: a valid one-time code is enough, without an approval
  // The gate calls still_needed() from time to time while the call waits for a reviewer. If
  // `still_needed` returns false, the wait ends, and the permission step decides about the call
  // again. `still_needed` can be null.
  Approvals::StillNeeded still_needed = nullptr;
};

struct Passage {
  // The result with which the call ends, or nullopt if the call can run.
  std::optional<tool::CallResult> unmet;
  bool edited = false;  // true: the approval changed the arguments of the call
  // If judge_again is true, the call no longer needs the approval, and the permission step must
  // decide about the call again.
  bool judge_again = false;
};

class Gate {
 public:
  // `people` is null if this host's reviewers cannot be asked. `grace` remembers for which calls
  // the host asks for no further one-time code, for some time after a correct code.
  explicit Gate(bool ask_client, std::shared_ptr<Approvals> people = nullptr,
                Grace grace = {std::chrono::milliseconds(0), system_clock()})
      : ask_client_(ask_client), people_(std::move(people)), grace_(std::move(grace)) {}

  // Asks a person for the approval of the call. If the call can run afterwards, the call has a
  // receipt (tool/call/receipt.h) of each approval and one-time code that allowed the call. An
  // approved call also has a mark (approved_mark.h), so that it needs no second approval. If a
  // reviewer changed the arguments, the caller of pass() checks them and then calls
  // mark_approved(), which sets the mark for the new arguments.
  boost::asio::awaitable<Result<Passage>> pass(tool::Call& call, const tool::Tool& tool,
                                               const Request& request);

  // Asks a reviewer the model's question, if the client cannot ask its user. Returns the result
  // with which the call ends, or nullopt if the call can run.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> ask_question(
      tool::Call& call, const tool::Tool& tool);

  // Reports that the call runs because of a rule that a reviewer stored with "always". All existing
  // approvals of the call are used up, so that they allow no run after the rule is removed. The
  // call's pending approval requests are withdrawn.
  void runs_by_always(tool::Call& call, const tool::Tool& tool, const std::string& build);
  // Reports that the call runs for another reason than an approval. If the same call has returned
  // "pending" before in the same session, runs_unasked() has the same effects as runs_by_always().
  // But the call also runs if the store fails.
  void runs_unasked(tool::Call& call, const tool::Tool& tool, const std::string& build);
  // Returns false if runs_unasked() has no effect for this call.
  bool may_have_asked(const tool::Call& call, const tool::Tool& tool) const {
    return people_ && people_->may_have_left(call, tool);
  }

  // The gate calls the listener for each one-time code that was sent with a call, after the gate
  // has checked the code.
  using CodeListener = std::function<void(const tool::Call& call, const identity::JudgedCode&)>;
  void on_code(CodeListener listener) { on_code_ = std::move(listener); }

  // Sets the URL of the console, without a slash at the end. The URL is empty if nobody can open
  // the console.
  void page_is_at(std::string url) { page_ = std::move(url); }

 private:
  boost::asio::awaitable<Result<Passage>> ask(tool::Call& call, const tool::Tool& tool,
                                              const Request& request);
  boost::asio::awaitable<Result<Passage>> ask_client(tool::Call& call, const tool::Tool& tool,
                                                     const Request& request);
  // Gets a one-time code for a call. The model never sees the code: the client sent the code
  // outside the arguments, or a reviewer enters the code with the approval.
  boost::asio::awaitable<Result<Passage>> ask_for_code(tool::Call& call, const tool::Tool& tool,
                                                       Request request);
  boost::asio::awaitable<Result<Passage>> ask_people(tool::Call& call, const tool::Tool& tool,
                                                     const Request& request);
  // Asks for approval of a call that came with a one-time code, because the code does not replace
  // the approval. The host uses up the code when it creates the approval request, even if nobody
  // approves the request later.
  boost::asio::awaitable<Result<Passage>> ask_with_code(tool::Call& call, const tool::Tool& tool,
                                                        const Request& request);
  boost::asio::awaitable<Result<Passage>> ask_on_page(tool::Call& call, const tool::Tool& tool,
                                                      const Request& request);
  void tell_code(const tool::Call& call, const identity::SharedJudgement& judged) const;
  // Returns the result with which the call ends if its arguments are larger than an approval
  // request can have. Otherwise returns nullopt.
  std::optional<Passage> refuse_large(tool::Call& call, const tool::Tool& tool) const;
  Result<Passage> passage_by(tool::Call& call, const tool::Tool& tool, Approvals::Met met);

  bool ask_client_;
  std::shared_ptr<Approvals> people_;
  Grace grace_;
  CodeListener on_code_;  // null: no listener
  std::string page_;
};

}  // namespace host::approval
