// Turns what one call pushed into its CallResult. The host's side of both isolations; one call, no
// thread safety.
#pragma once

#include <toolpost/plugin.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plugin/push.h"
#include "tool/invocation.h"

namespace host::plugin {

class ResultBuilder {
 public:
  ResultBuilder(std::string call_id, std::uint64_t limit)
      : check_(limit), call_id_(std::move(call_id)) {}

  // A partial push comes back in `partial`, for the caller to show; it is no part of the result.
  tp_status push(std::uint32_t kind, std::string_view mime, std::string_view bytes,
                 std::string& partial);
  tp_status error(std::int32_t code, std::string_view message, std::string_view json_data);

  // What the call comes to, with the status that ended it.
  Result<tool::CallResult> finish(tp_status status, tool::Function function, std::string_view tool);

 private:
  void close_block();
  void add_blob();
  tool::CallResult too_large(const std::string& tool) const;
  Result<tool::CallResult> failure(tp_status status, std::string_view tool);

  PushCheck check_;
  std::string call_id_;
  tool::CallResult result_;
  std::uint32_t open_kind_ = 0;
  std::string open_mime_;
  std::string open_;  // bytes of the block under way
  std::uint32_t blobs_ = 0;
  std::string error_;  // what error() said; in effect where failed_
  bool failed_ = false;
};

}  // namespace host::plugin
