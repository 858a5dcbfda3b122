// The result step of the call pipeline: checks a provider's result against the tool's output schema
// and the size limit. Then it runs the post_ tools and attaches their results. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "router/view/route.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::router {

// Returns `result` if it is valid, otherwise an isError result with the reason. If the tool itself
// failed, its result is not checked against the schema.
tool::CallResult check_result(tool::CallResult result, const tool::Tool& tool,
                              std::uint64_t max_bytes);

class PostTools {
 public:
  // Runs one post_ tool with its own timeout, unless a deny rule matches. The audit records it like
  // any call.
  using RunOne = std::function<boost::asio::awaitable<Result<tool::CallResult>>(
      tool::Call& call, const Route& route)>;
  explicit PostTools(RunOne run_one) : run_one_(std::move(run_one)) {}

  // If the call `action` succeeded, runs its post_ tools in the order of their names. If a post_
  // tool fails, `_meta` of the action's result reports it, and the action's effect remains.
  boost::asio::awaitable<tool::CallResult> finish(const tool::Call& action, const Route& route,
                                                  tool::CallResult result);

  // True if finish() would run a post_ tool.
  static bool follow(const tool::Call& action, const Route& route, const tool::CallResult& result);

 private:
  RunOne run_one_;
};

// Identifies the builds that an approval of the call covers: the digest of the action's library,
// then the library and declaration of each post_ tool that follows it.
std::string build_of(const Route& route);

// Names of the post_ tools that would follow; an approval covers them too.
std::vector<std::string> names_after(const Route& route);

}  // namespace host::router
