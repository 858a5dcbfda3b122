// The road of a call, written once: pass_gates_and_run() is the list of steps, in their order. Nothing
// runs a tool on any other road. I/O thread only.
#pragma once

#include <memory>
#include <vector>

#include "tool/call.h"
#include "tool/catalog.h"
#include "tool/result.h"

namespace host::approval {
class Gate;
}
namespace host::executor {
class Executor;
class Scheduler;
}  // namespace host::executor
namespace host::permission {
class Engine;
}
namespace host::store {
class Audit;
}

namespace host::router {

class Arguments;
class PermissionStep;
class PostTools;
class Router;

struct Route {
  std::shared_ptr<const tool::Tool> tool;
  std::shared_ptr<tool::Provider> provider;  // held: it is not retired while this lives
  std::shared_ptr<const tool::Snapshot> snapshot;
};

class Dispatcher {
 public:
  struct Parts {
    Router& router;
    Arguments& arguments;
    PermissionStep& permission;
    approval::Gate& gate;
    executor::Scheduler& scheduler;
    executor::Executor& executor;
    PostTools& post_tools;
    store::Audit& audit;
  };
  explicit Dispatcher(Parts parts) : parts_(parts) {}

  // Runs one call to its end and records it. An Error is one of:
  //   NotFound          unknown or hidden tool (alike)     -> the protocol's unknown-tool error
  //   DeadlineExceeded  the call's time ran out            -> by `call.timeout_error`
  //   Cancelled         whoever asked took it back         -> no answer where the protocol wants none
  //   Unavailable       the principal is over its limits   -> HTTP 429
  //   Internal, Io      the host's own fault               -> internal error with the call's id
  // Everything else, wrong arguments and denials included, is a CallResult with is_error.
  boost::asio::awaitable<Result<tool::CallResult>> call(tool::Call& call);

 private:
  boost::asio::awaitable<Result<tool::CallResult>> pass_gates_and_run(tool::Call& call);

  Parts parts_;
};

}  // namespace host::router
