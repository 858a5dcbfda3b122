// Builds a call's CallResult from the blocks that the plugin pushes (in a worker process or in the
// host's process). A ResultBuilder is used for one call, and is not thread-safe.
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

// The end of the error message of a call whose tool returned success but pushed no result. A tool
// that returns success without a result has a bug.
inline constexpr std::string_view kEndedWithoutResult = "ended without a result";

class ResultBuilder {
 public:
  // `call_id` must outlive this object. `abilities` contains the TP_ASK_... bits of the questions
  // that the client supports.
  ResultBuilder(std::string_view call_id, std::uint64_t limit, std::uint32_t abilities = 0)
      : check_(limit), call_id_(call_id), abilities_(abilities) {}

  // After read_resource(), push() takes blocks as contents of the resource `uri`.
  void read_resource(std::string uri);
  // Call read_answer() for a call of an interceptor, whose result is a single block.
  void read_answer();

  // If the pushed block is a partial result, `partial` gets the text, and the caller of push()
  // sends this text to the client. A partial result is not part of the final result.
  tp_status push(std::uint32_t kind, std::string_view mime, std::string_view bytes,
                 std::string& partial);
  tp_status error(std::int32_t code, std::string_view message, std::string_view json_data);
  tp_status ask(std::string_view key, std::string_view method, std::string_view params);
  tp_status keep(std::string_view state);

  // Returns the result of the call, which ended with `status`. `name` is the name of the tool or
  // prompt, or the URI of the resource.
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
  std::string_view call_id_;
  std::uint32_t abilities_;
  tool::CallResult result_;
  std::unique_ptr<ResourceContents> contents_;  // null: the call does not read a resource
  std::unique_ptr<RoundBuilder> round_;         // null: the call asks no questions
  std::uint32_t open_kind_ = 0;
  std::string open_mime_;
  std::string open_;  // the bytes of the current block
  std::uint32_t blobs_ = 0;
  std::string error_;  // the message of the failure; valid if failed_
  bool failed_ = false;
};

}  // namespace host::plugin
