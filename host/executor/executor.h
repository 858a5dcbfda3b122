// Runs one invocation. It starts the provider and waits for the first of answer, deadline and
// cancel. It keeps the slot until the provider has finished. I/O thread only; providers may finish
// on any thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "executor/scheduler.h"
#include "tool/call/call.h"
#include "tool/provider/provider.h"

namespace host::executor {

class Executor {
 public:
  explicit Executor(boost::asio::any_io_executor io);

  // Entries that the operator added to the dangerous paths. A tool that takes a path gets them in
  // the value kDangerousPaths, one a line, so that it can skip them when it walks a folder. Set
  // before the first call.
  static constexpr const char* kDangerousPaths = "toolpost.dangerous_paths";
  void tell_dangerous_paths(const std::vector<std::string>& entries);

  // Returns the provider's result, DeadlineExceeded, Cancelled, or the provider's own error. `tool`
  // is null if the call does not call a tool.
  boost::asio::awaitable<Result<tool::CallResult>> run(std::shared_ptr<tool::Provider> provider,
                                                       std::shared_ptr<const tool::Tool> tool,
                                                       tool::Call& call, Slot slot);

  // Calls one of the tool's optional functions, with a separate short deadline and without a slot.
  boost::asio::awaitable<Result<tool::CallResult>> ask(std::shared_ptr<tool::Provider> provider,
                                                       std::shared_ptr<const tool::Tool> tool,
                                                       tool::Function function,
                                                       const tool::Call& call, std::string context);

  // A function of an interceptor, around `call`. It needs no slot and has a separate time limit.
  struct Interception {
    tool::Function function = tool::Function::BeforeCall;
    std::string input;    // JSON text
    std::string context;  // JSON object text
    std::chrono::milliseconds timeout{0};
    bool nonblocking = false;
  };
  boost::asio::awaitable<Result<tool::CallResult>> intercept(
      std::shared_ptr<tool::Provider> provider, const tool::Call& call, Interception what);

  // Number of invocations that have not finished, including those whose caller no longer waits.
  std::size_t running() const { return *running_; }

 private:
  class Run;
  boost::asio::awaitable<Result<tool::CallResult>> wait_for(std::shared_ptr<Run> run);

  tool::PassportPtr passport_for(const tool::Tool* tool, const tool::Call& call) const;

  boost::asio::any_io_executor io_;
  std::string dangerous_paths_;  // one a line; empty: none
  std::shared_ptr<std::size_t> running_ = std::make_shared<std::size_t>(0);
};

}  // namespace host::executor
