// Runs invocations. For each invocation, the executor starts the provider, and waits for the
// result, the deadline or a cancel. The executor keeps the call's slot (scheduler.h) until the
// provider has finished. The functions of this header are called on the I/O thread. A provider can
// finish on any thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "executor/scheduler.h"
#include "tool/call/call.h"
#include "tool/provider/provider.h"

namespace host::executor {

class Executor {
 public:
  explicit Executor(boost::asio::any_io_executor io);

  // `entries` are the operator's additions to the list of dangerous paths (paths that need
  // approval). A tool that takes a path gets the operator's entries, one per line, in the context
  // value "toolpost.dangerous_paths". Call tell_dangerous_paths() before the first run().
  static constexpr const char* kDangerousPaths = "toolpost.dangerous_paths";
  void tell_dangerous_paths(const std::vector<std::string>& entries);

  // Returns the provider's result, the Error DeadlineExceeded or Cancelled, or the provider's own
  // Error. `tool` is null if the call reads a resource, gets a prompt or completes an argument.
  boost::asio::awaitable<Result<tool::CallResult>> run(std::shared_ptr<tool::Provider> provider,
                                                       std::shared_ptr<const tool::Tool> tool,
                                                       tool::Call& call, Slot slot);

  // Calls one of the tool's check functions, with a short deadline and without waiting in the
  // Scheduler.
  boost::asio::awaitable<Result<tool::CallResult>> ask(std::shared_ptr<tool::Provider> provider,
                                                       std::shared_ptr<const tool::Tool> tool,
                                                       tool::Function function,
                                                       const tool::Call& call, std::string context);

  // Describes how to call one function of an interceptor. An interceptor's function needs no slot,
  // and has a separate time limit.
  struct Interception {
    tool::Function function = tool::Function::BeforeCall;
    std::string input;    // JSON text
    std::string context;  // see tool/call/intercepted.h
    SteadyTime deadline{};
    bool nonblocking = false;
    tool::AtOnceCall::Adopt adopt = nullptr;  // set if the function has already begun
  };
  boost::asio::awaitable<Result<tool::CallResult>> intercept(
      std::shared_ptr<tool::Provider> provider, const tool::Call& call, Interception&& what);

  // Returns the number of invocations that have not finished. An invocation counts even if its
  // caller no longer waits.
  std::size_t running() const { return *running_; }

 private:
  class Run;
  boost::asio::awaitable<Result<tool::CallResult>> wait_for(std::shared_ptr<Run> run);

  tool::PassportPtr passport_for(const tool::Tool* tool, const tool::Call& call) const;

  boost::asio::any_io_executor io_;
  std::string dangerous_paths_;  // one entry per line; empty: none
  std::shared_ptr<std::size_t> running_ = std::make_shared<std::size_t>(0);
};

}  // namespace host::executor
