// Steps 2 and 5 of the road: what the rules say of a call. Asks the tool's own functions first,
// where it has them, then lets the engine decide. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>

#include "approval/gate.h"
#include "base/result.h"
#include "permission/decision/rulebook.h"
#include "router/route.h"
#include "tool/call.h"

namespace host::executor {
class Executor;
}

namespace host::router {

class PermissionStep {
 public:
  // `rules` are replaced as a whole when they change.
  PermissionStep(const std::shared_ptr<const permission::Rulebook>& rules,
                 executor::Executor& executor)
      : rules_(rules), executor_(executor) {}

  // An answer where a deny rule names the tool as a whole.
  std::optional<tool::CallResult> deny_by_name(tool::Call& call) const;

  // Notes in the call who decided, for the audit. With `trace`, every step's word is kept.
  boost::asio::awaitable<permission::Decision> decide(tool::Call& call, const Route& route,
                                                      permission::Trace* trace = nullptr);

  // Of a post_ tool, which nobody is asked about: deny rules alone can stop it.
  permission::Decision decide_post(const tool::Call& call, const Route& route) const;
  // An answer where that is a no.
  std::optional<tool::CallResult> deny_post(tool::Call& call, const Route& route) const;

 private:
  // Its rules outlive it.
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
};

// What a denied call is answered with: by whom in kind, and not to retry it unchanged.
tool::CallResult denial(const tool::Call& call, const permission::Decision& decision);

// What a person is told who has to decide.
approval::Request approval_request(const permission::Decision& decision);

}  // namespace host::router
