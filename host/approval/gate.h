// Step 6 of the road: where a call needs a person's yes, somebody is asked. I/O thread only.
//
// Whom to ask is the operator's choice (`approval.ask`): "client" lets the calling client put the
// question to its person, "page" keeps it for the host's own people. Where nobody can be asked the
// call ends with a result that says so and how an operator may allow it; nothing runs.
//
// A one-time code is never given through a client. One that can show URLs sends its person to the
// page's view of the question, where a login and the code itself say who they are.
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
#include "tool/call.h"
#include "tool/tool.h"

namespace host::approval {

// Who decided, in the audit.
inline constexpr const char* kByPerson = "person";
inline constexpr const char* kByCode = "totp";
inline constexpr const char* kByGrace = "totp_grace";  // by a code of a moment ago

// Why a person is needed, in words, and rules that would make the question unnecessary.
struct Request {
  std::string reason;
  std::vector<std::string> suggestions;  // as an operator would write them
  std::vector<std::string> rules;        // the same, as JSON
  bool rules_can_allow = true;           // false: asked every time, no rule helps
  std::vector<std::string> covered;      // post_ tools that the same yes covers
  std::string build;                     // of all that a yes would let run: what it is bound to
  bool needs_code = false;               // a priv_ tool: a one-time code of the principal
  bool code_is_yes = false;              // which is all it needs
};

struct Passage {
  std::optional<tool::CallResult> unmet;  // the answer that the call ends with; none: a yes
  bool edited = false;                    // the yes is for other arguments, which the call has now
};

class Gate {
 public:
  // `people`: null, the host's own people cannot be asked. `grace`: after a one-time code.
  explicit Gate(bool ask_client, std::shared_ptr<Approvals> people = nullptr,
                Grace grace = {std::chrono::milliseconds(0), system_clock()})
      : ask_client_(ask_client), people_(std::move(people)), grace_(std::move(grace)) {}

  boost::asio::awaitable<Result<Passage>> pass(tool::Call& call, const tool::Tool& tool,
                                               const Request& request);

  // The call runs by a rule that somebody's "always" stored. The yes that came with the rule, and
  // any other for this very call, is used up by that: nothing runs by it once the rule is gone.
  boost::asio::awaitable<Result<void>> runs_by_always(const tool::Call& call,
                                                      const tool::Tool& tool,
                                                      const std::string& build);

  // Hears of each code that came along with a call, once it was judged.
  using CodeListener = std::function<void(const tool::Call& call, const identity::JudgedCode&)>;
  void on_code(CodeListener listener) { on_code_ = std::move(listener); }

  // Where people open the page, without a slash at the end; empty: nowhere.
  void page_is_at(std::string url) { page_ = std::move(url); }

 private:
  boost::asio::awaitable<Result<Passage>> ask_client(tool::Call& call, const tool::Tool& tool,
                                                     const Request& request);
  // The code never comes through the model: it came along beside the arguments, or a person gives
  // it with the yes.
  boost::asio::awaitable<Result<Passage>> ask_for_code(tool::Call& call, const tool::Tool& tool,
                                                       Request request);
  boost::asio::awaitable<Result<Passage>> ask_people(tool::Call& call, const tool::Tool& tool,
                                                     const Request& request);
  // The code that came along does not spare the question: it is used up once the question is asked.
  boost::asio::awaitable<Result<Passage>> ask_with_code(tool::Call& call, const tool::Tool& tool,
                                                        const Request& request);
  boost::asio::awaitable<Result<Passage>> ask_on_page(tool::Call& call, const tool::Tool& tool,
                                                      const Request& request);
  void tell_code(const tool::Call& call, const identity::SharedJudgement& judged) const;
  // What the call ends with where its arguments are more than a request may have.
  std::optional<Passage> refuse_large(tool::Call& call, const tool::Tool& tool) const;
  Result<Passage> passage_by(tool::Call& call, const tool::Tool& tool,
                             const store::ApprovalRecord& record);

  bool ask_client_;
  std::shared_ptr<Approvals> people_;
  Grace grace_;
  CodeListener on_code_;  // null: nobody listens
  std::string page_;
};

}  // namespace host::approval
