// Step 9 of the road: a provider's result is held to the tool's output schema and to the size
// limit, then the action's post_ tools run and their results are attached. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "router/route.h"
#include "tool/call.h"
#include "tool/result.h"

namespace host::router {

// `result` where it keeps what the tool promised, else an isError result that says what broke. A
// tool's own failure promises nothing.
tool::CallResult check_result(tool::CallResult result, const tool::Tool& tool,
                              std::uint64_t max_bytes);

class PostTools {
 public:
  // Runs one post_ tool by its route, under deny rules and its own timeout; recorded like any call.
  using RunOne = std::function<boost::asio::awaitable<Result<tool::CallResult>>(
      tool::Call& call, const Route& route)>;
  explicit PostTools(RunOne run_one) : run_one_(std::move(run_one)) {}

  // Runs what follows the action, in name order, where the action succeeded; a failure is reported
  // in
  // `_meta` of the action's result and undoes nothing.
  boost::asio::awaitable<tool::CallResult> finish(const tool::Call& action, const Route& route,
                                                  tool::CallResult result);

 private:
  RunOne run_one_;
};

// What a yes to the call lets run, each by its library's digest: the action's build, then each
// post_ tool that follows it, with the digest of its declaration.
std::string build_of(const Route& route);

// Names of the post_ tools that would follow, for the approval that covers them.
std::vector<std::string> names_after(const Route& route);

}  // namespace host::router
