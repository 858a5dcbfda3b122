// The permission steps of the call pipeline call the check functions of the tool, if the tool has
// any, and then ask the permission engine for a decision. The functions of this header are called
// on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "approval/gate.h"
#include "base/result.h"
#include "permission/decision/rulebook.h"
#include "router/view/route.h"
#include "session/sessions.h"
#include "tool/call/call.h"

namespace host::executor {
class Executor;
}

namespace host::router {

class PermissionStep {
 public:
  // When rules change, the host sets the pointer `rules` to a new rulebook.
  PermissionStep(const std::shared_ptr<const permission::Rulebook>& rules,
                 executor::Executor& executor,
                 std::shared_ptr<const session::Sessions> sessions = nullptr)
      : rules_(rules), executor_(executor), sessions_(std::move(sessions)) {}

  // Returns the result of the denied call if a deny rule covers all calls of the tool, and nullopt
  // if no deny rule does.
  std::optional<tool::CallResult> deny_by_name(tool::Call& call) const;

  // Decides about the call, and records in the call which rule or step decided, for the audit log.
  // With `trace`, the Decision contains the result of every step.
  boost::asio::awaitable<permission::Decision> decide(tool::Call& call, const Route& route,
                                                      permission::Trace* trace = nullptr);
  // Returns the decision without a coroutine, or nullopt if the decision depends on an answer of
  // the tool. Call decide() if decide_at_once() returns nullopt.
  std::optional<permission::Decision> decide_at_once(tool::Call& call, const Route& route);

  // Returns the decision about a call of a tool that the call's session no longer offers.
  // not_offered() records the decision in the call, like decide().
  static permission::Decision not_offered(tool::Call& call);

  // Two Basis objects are equal if their rules are the same, and the session settings that
  // influence decisions are equal.
  struct Basis {
    std::shared_ptr<const permission::Rulebook> rules;
    session::SessionPtr session;
    bool operator==(const Basis& other) const;
  };
  Basis basis_of(const tool::Call& call) const;

  // The mode and the folders that apply to a call.
  struct Standing {
    std::string mode;
    std::vector<std::string> working_dirs;
  };
  Standing standing(const tool::Call& call, const Route& route) const;

  // Decides about a post_ tool. A post_ tool never needs approval. Only a deny rule can prevent a
  // post_ tool from running.
  permission::Decision decide_post(const tool::Call& call, const Route& route) const;
  // Returns the result of the denied call if decide_post() denies the post_ tool, and otherwise
  // nullopt.
  std::optional<tool::CallResult> deny_post(tool::Call& call, const Route& route) const;

 private:
  // Returns true if the call belongs to a session that has ended. The restrictions of an ended
  // session are unknown, so the call must not run.
  bool lost_its_session(const tool::Call& call) const;
  // `rules` must outlive the returned request.
  permission::Request request_for(const permission::Rulebook& rules, const tool::Call& call,
                                  const Route& route) const;
  boost::asio::awaitable<Result<tool::CallResult>> ask(
      tool::Function function, const tool::Call& call, const Route& route,
      const permission::Engine& engine, const permission::Request& request,
      std::optional<std::string_view> rule_content = std::nullopt);
  boost::asio::awaitable<permission::Answers> gather(const permission::Needs& needs,
                                                     const tool::Call& call, const Route& route,
                                                     const permission::Engine& engine,
                                                     const permission::Request& request);

  const std::shared_ptr<const permission::Rulebook>& rules_;
  executor::Executor& executor_;
  const std::shared_ptr<const session::Sessions> sessions_;  // null: there are no sessions
};

// Returns the result of a denied call. The result's text gives the reason for the denial, and says
// that the model must not retry the call unchanged.
tool::CallResult denial(const tool::Call& call, const permission::Decision& decision);

// Returns the approval request for a call that needs the approval that `decision` describes.
approval::Request approval_request(const permission::Decision& decision);

}  // namespace host::router
