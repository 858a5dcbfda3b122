// The result step of the call pipeline checks whether a provider's result fits the tool's output
// schema and the size limit. After the check, the result step runs the post_ tools and attaches
// their results. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/job_thread.h"
#include "base/result.h"
#include "router/step/check_turns.h"
#include "router/view/route.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::router {

// Says whether the tool or an interceptor wrote a result.
struct WriterOfResult {
  std::string interceptor;  // the last that changed the result; empty: the tool wrote it
  std::shared_ptr<const tool::CallResult> tools_own = nullptr;  // see Call::tools_result
};

// Returns `result` if it is valid, otherwise an isError result with the reason. If the tool itself
// failed, the function does not check the result against the schema. If an interceptor made the
// tool's valid result invalid, the reason names the interceptor.
tool::CallResult check_result(tool::CallResult result, const tool::Tool& tool,
                              std::uint64_t max_bytes, const WriterOfResult& writer = {});

// Checks results as check_result() does. A result with much structured content is checked on a
// separate thread, so that the check does not delay other calls. A check on the I/O thread counts
// towards the check time of the call's principal (check_turns.h).
class ResultCheck {
 public:
  // `turns` must outlive the ResultCheck.
  ResultCheck(std::uint64_t max_bytes, CheckTurns& turns) : max_bytes_(max_bytes), turns_(turns) {}

  // Returns true if the result is valid and needs no check against an output schema. check() would
  // return such a result unchanged, but needs a coroutine.
  bool is_met_by(const tool::CallResult& result, const tool::Tool& tool) const;
  // Returns the result that check_result() returns.
  boost::asio::awaitable<tool::CallResult> check(const tool::Call& call, tool::CallResult result,
                                                 std::shared_ptr<const tool::Tool> tool);

 private:
  const std::uint64_t max_bytes_;
  CheckTurns& turns_;
  std::optional<JobThread> jobs_;  // the first large result starts the thread
};

class PostTools {
 public:
  // Runs one post_ tool with its own timeout, unless a deny rule matches the post_ tool. The run of
  // a post_ tool gets a line in the audit log, like any call.
  using RunOne = std::function<boost::asio::awaitable<Result<tool::CallResult>>(
      tool::Call& call, const Route& route)>;
  explicit PostTools(RunOne run_one) : run_one_(std::move(run_one)) {}

  // `action` is the call after which post_ tools run. If `action` succeeded, the function runs its
  // post_ tools in the order of their names. If a post_ tool fails, the result of `action` reports
  // this in `_meta`, and the effect of `action` remains.
  boost::asio::awaitable<tool::CallResult> finish(const tool::Call& action, const Route& route,
                                                  tool::CallResult result);

  // Returns true if finish() would run a post_ tool.
  static bool follow(const tool::Call& action, const Route& route, const tool::CallResult& result);

 private:
  RunOne run_one_;
};

// Identifies the builds that an approval of the call covers. The returned text contains the build
// id of the called tool's provider. The text also contains, for each post_ tool that runs after the
// called tool, the tool's name, the digest of its declaration and its provider's build id.
std::string build_of(const Route& route);

// Returns the names of the post_ tools that run after the called tool. An approval of the call is
// also an approval of the post_ tools that run after it.
std::vector<std::string> names_after(const Route& route);

}  // namespace host::router
