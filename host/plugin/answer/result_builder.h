// Builds a call's CallResult from its pushes, for workers and inline. One call; not thread-safe.
#pragma once

#include <toolpost/plugin.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plugin/answer/provider_answer.h"
#include "plugin/instance/push.h"
#include "plugin/instance/round_builder.h"
#include "tool/call/invocation.h"

namespace host::plugin {

// The end of the error text for a tool that returned success but pushed no result, which is a bug
// of the tool.
inline constexpr std::string_view kEndedWithoutResult = "ended without a result";

class ResultBuilder {
 public:
  // abilities: TP_ASK_... bits of the questions that the client supports.
  ResultBuilder(std::string call_id, std::uint64_t limit, std::uint32_t abilities = 0)
      : check_(limit), call_id_(std::move(call_id)), abilities_(abilities) {}

  // The pushes will be the contents of this resource.
  void read_resource(std::string uri);
  // The push will be the answer of an interceptor.
  void read_answer();

  // A partial push is returned in `partial`, for the caller to send to the client. It is not part
  // of the result.
  tp_status push(std::uint32_t kind, std::string_view mime, std::string_view bytes,
                 std::string& partial);
  tp_status error(std::int32_t code, std::string_view message, std::string_view json_data);
  tp_status ask(std::string_view key, std::string_view method, std::string_view params);
  tp_status keep(std::string_view state);

  // The call's result, after it ended with `status`. name: of the tool, prompt or resource.
  Result<tool::CallResult> finish(tp_status status, tool::Function function, std::string_view name);

 private:
  tp_status push_block(const Block& block);
  void close_block();
  void add_blob();
  RoundBuilder& round();
  std::optional<tool::CallResult> unanswered(tp_status status);
  Result<tool::CallResult> finish_call(tp_status status, std::string_view tool);
  Result<tool::CallResult> finish_check(tp_status status, std::string_view tool);
  Result<tool::CallResult> finish_answer(tp_status status, tool::Function function,
                                         std::string_view name);
  Error failure(tp_status status, const std::string& what) const;

  PushCheck check_;
  std::string call_id_;
  std::uint32_t abilities_;
  tool::CallResult result_;
  std::unique_ptr<ResourceContents> contents_;  // null: not reading a resource
  std::unique_ptr<RoundBuilder> round_;         // null: no questions
  std::uint32_t open_kind_ = 0;
  std::string open_mime_;
  std::string open_;  // bytes of the current block
  std::uint32_t blobs_ = 0;
  std::string error_;  // text of error(); used if failed_
  bool failed_ = false;
};

}  // namespace host::plugin
