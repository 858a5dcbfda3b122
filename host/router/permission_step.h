// Steps 2 and 5 of the road: what the rules say of a call. Asks the tool's own functions first, where it
// has them, then lets the engine decide. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>

#include "base/result.h"
#include "permission/engine.h"
#include "router/route.h"
#include "tool/call.h"

namespace host::executor {
class Executor;
}

namespace host::router {

class PermissionStep {
 public:
  PermissionStep(const std::shared_ptr<const permission::Engine>& engine, executor::Executor& executor)
      : engine_(engine), executor_(executor) {}

  // An answer where a deny rule names the tool as a whole.
  std::optional<tool::CallResult> deny_by_name(tool::Call& call) const;

  boost::asio::awaitable<permission::Decision> decide(tool::Call& call, const Route& route);

  // Rules alone: for post_ tools, which nobody is asked about.
  std::optional<tool::CallResult> deny_post(tool::Call& call, const Route& route) const;

 private:
  const std::shared_ptr<const permission::Engine>& engine_;
  executor::Executor& executor_;
};

// What a denied call is answered with.
tool::CallResult denial(const tool::Call& call, const permission::Decision& decision);

}  // namespace host::router
