// The permission steps of the call pipeline. They ask the tool's own check functions first, if it
// has any, and then the permission engine. I/O thread only.
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
  // When rules change, the owner of the pointer `rules` sets it to a new rulebook.
  PermissionStep(const std::shared_ptr<const permission::Rulebook>& rules,
                 executor::Executor& executor,
                 std::shared_ptr<const session::Sessions> sessions = nullptr)
      : rules_(rules), executor_(executor), sessions_(std::move(sessions)) {}

  // The result of a denied call if a deny rule covers the whole tool; otherwise nullopt.
  std::optional<tool::CallResult> deny_by_name(tool::Call& call) const;

  // Decides about the call, and records in the call which rule or step decided, for the audit log.
  // With `trace`, the Decision has the result of every step.
  boost::asio::awaitable<permission::Decision> decide(tool::Call& call, const Route& route,
                                                      permission::Trace* trace = nullptr);

  // The decision about a call whose session does not offer the tool any more. Recorded as decide()
  // does.
  static permission::Decision not_offered(tool::Call& call);

  // What a decision depends on, apart from files. Equal until rules or the session change.
  struct Basis {
    std::shared_ptr<const permission::Rulebook> rules;
    session::SessionPtr session;
    bool operator==(const Basis&) const = default;
  };
  Basis basis_of(const tool::Call& call) const;

  // The mode and the folders that apply to a call.
  struct Standing {
    std::string mode;
    std::vector<std::string> working_dirs;
  };
  Standing standing(const tool::Call& call, const Route& route) const;

  // Decides about a post_ tool. It never needs approval, so only deny rules can stop it.
  permission::Decision decide_post(const tool::Call& call, const Route& route) const;
  // The result if decide_post() denies it; otherwise nullopt.
  std::optional<tool::CallResult> deny_post(tool::Call& call, const Route& route) const;

 private:
  // True if the call belongs to a session that has ended. The session's restrictions are then
  // unknown, so the call must not run.
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

// The result of a denied call. It says what kind of rule denied it, and not to retry it unchanged.
tool::CallResult denial(const tool::Call& call, const permission::Decision& decision);

// The text of an approval request.
approval::Request approval_request(const permission::Decision& decision);

}  // namespace host::router
