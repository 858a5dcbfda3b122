// The approval step of the call pipeline: asks a person about a call that needs approval. I/O
// thread only.
//
// The operator's setting `approval.ask` says who is asked. With "client" the calling client asks
// its user. With "page" a reviewer of this host decides, in the console or by REST. If nobody can
// be asked, the call does not run. Its result says so and names the setting with which an operator
// can allow it.
//
// A one-time code is never sent through a client. A client that can show URLs sends its user to the
// console's page of the approval request. The login there and the code itself prove who the user
// is.
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

// Values of "who decided" in the audit log.
inline constexpr const char* kByPerson = "person";
inline constexpr const char* kByCode = "totp";
inline constexpr const char* kByGrace = "totp_grace";  // a recent one-time code still applies

// The reason why the call needs approval, in words, and rules that would make the approval
// unnecessary.
struct Request {
  std::string reason;
  std::vector<std::string> suggestions;  // in the form that an operator writes
  std::vector<std::string> rules;        // the same, as JSON
  bool rules_can_allow = true;       // false: approval is needed every time, whatever the rules say
  std::vector<std::string> covered;  // post_ tools that the same approval covers
  std::string build;                 // the builds that the approval is bound to
  bool needs_code = false;           // a priv_ tool: needs a one-time code of the principal
  // Called when a person is asked and the call is about to wait. May be null.
  std::function<void()> on_question = nullptr;
  bool code_is_yes = false;  // the code is enough, no approval is needed
  // Asked while the call waits for a reviewer. False ends the wait: the call is judged again. May
  // be null.
  Approvals::StillNeeded still_needed = nullptr;
};

struct Passage {
  std::optional<tool::CallResult> unmet;  // the result that the call ends with; none: it may run
  bool edited = false;  // the approval changed the arguments; the call has the new ones
  // The call waited, and does not need what it waited for. The permission step decides again.
  bool judge_again = false;
};

class Gate {
 public:
  // `people`: null if this host's reviewers cannot be asked. `grace`: for how long a one-time code
  // applies.
  explicit Gate(bool ask_client, std::shared_ptr<Approvals> people = nullptr,
                Grace grace = {std::chrono::milliseconds(0), system_clock()})
      : ask_client_(ask_client), people_(std::move(people)), grace_(std::move(grace)) {}

  // If the call may run, it has receipts for the approval and the code that allowed it.
  boost::asio::awaitable<Result<Passage>> pass(tool::Call& call, const tool::Tool& tool,
                                               const Request& request);

  // Asks a person the question of the call's model, if the client cannot ask its user. Returns the
  // result that the call ends with; nullopt: the call may run, and has the answer or asks the
  // client.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> ask_question(
      tool::Call& call, const tool::Tool& tool);

  // The call runs because of a rule that an approval with "always" stored. Its run uses up the
  // approval that came with the rule, and any other approval of this call. So nothing runs by them
  // once the rule is removed.
  void runs_by_always(tool::Call& call, const tool::Tool& tool, const std::string& build);

  // Called with each code that was sent with a call, once the code was checked.
  using CodeListener = std::function<void(const tool::Call& call, const identity::JudgedCode&)>;
  void on_code(CodeListener listener) { on_code_ = std::move(listener); }

  // Sets the URL of the console, without a slash at the end. Empty: nobody can open the console.
  void page_is_at(std::string url) { page_ = std::move(url); }

 private:
  boost::asio::awaitable<Result<Passage>> ask_client(tool::Call& call, const tool::Tool& tool,
                                                     const Request& request);
  // The code never comes through the model. The client sent it next to the arguments, or a reviewer
  // enters it with the approval.
  boost::asio::awaitable<Result<Passage>> ask_for_code(tool::Call& call, const tool::Tool& tool,
                                                       Request request);
  boost::asio::awaitable<Result<Passage>> ask_people(tool::Call& call, const tool::Tool& tool,
                                                     const Request& request);
  // A code that was sent with the call does not replace the approval. It is used up once the
  // approval request is made.
  boost::asio::awaitable<Result<Passage>> ask_with_code(tool::Call& call, const tool::Tool& tool,
                                                        const Request& request);
  boost::asio::awaitable<Result<Passage>> ask_on_page(tool::Call& call, const tool::Tool& tool,
                                                      const Request& request);
  void tell_code(const tool::Call& call, const identity::SharedJudgement& judged) const;
  // If the arguments are larger than an approval request may have, the call ends with this result.
  // Otherwise nullopt.
  std::optional<Passage> refuse_large(tool::Call& call, const tool::Tool& tool) const;
  Result<Passage> passage_by(tool::Call& call, const tool::Tool& tool, Approvals::Met met);

  bool ask_client_;
  std::shared_ptr<Approvals> people_;
  Grace grace_;
  CodeListener on_code_;  // null: no listener
  std::string page_;
};

}  // namespace host::approval
