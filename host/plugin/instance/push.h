// Checks a plugin's pushes to its call's result, in the same way everywhere: inline, in the worker
// so that the plugin gets the status at once, and again in the host, which trusts no worker.
#pragma once

#include <toolpost/plugin.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "json/json.h"

namespace host::plugin {

// A worker's TP_E_NOMEM whose cause is that the result would have exceeded its limit. Below -1000,
// like the host's own statuses.
constexpr tp_status kResultTooLarge = -1001;

// One accepted push.
struct Block {
  std::uint32_t kind = 0;  // TP_TEXT ... TP_CONTENT, without flags
  bool more = false;
  bool partial = false;
  std::string_view mime;   // of a blob, or of a resource's text (never empty)
  std::string_view bytes;  // JSON kinds: compact, one line. Valid until the next check.
};

// What the pushes produce. Blocks: content blocks. Contents: the contents of a resource; its texts
// have a media type, and its TP_CONTENT is a ResourceContents. Answer: one JSON value for the host.
// A refused answer is a breach, because it must not be treated as a missing answer.
enum class Makes : std::uint8_t { Blocks, Contents, Answer };

// One call's pushes, in order. Not thread-safe.
class PushCheck {
 public:
  explicit PushCheck(std::uint64_t limit, Makes makes = Makes::Blocks)
      : limit_(limit), makes_(makes) {}

  // TP_OK with `block` filled, or the reason. A refused push has no effect.
  tp_status check(std::uint32_t kind, std::string_view mime, std::string_view bytes, Block& block);
  tp_status check_error(std::string_view message, std::string_view json_data,
                        std::string& compact_data);

  Makes makes() const { return makes_; }
  std::uint64_t limit() const { return limit_; }
  bool over_limit() const { return over_limit_; }  // some push was refused for its size
  // The error of the call if a content block that MCP does not define, or an answer, was refused,
  // and the plugin pushed no other block or error after it. Empty: no such breach.
  const std::string& breach() const { return breach_; }

 private:
  tp_status check_push(std::uint32_t kind, std::string_view mime, std::string_view bytes,
                       Block& block);
  tp_status check_kind(std::uint32_t kind, std::string_view mime, Block& block) const;
  tp_status check_json(Block& block);
  bool is_shaped(std::uint32_t kind, const json::Value& value);
  bool fits(std::size_t bytes);

  std::uint64_t limit_;
  Makes makes_;
  std::uint64_t taken_ = 0;
  std::uint32_t open_kind_ = 0;  // kind of the block that the next push continues; 0: none
  bool has_json_ = false;
  bool over_limit_ = false;
  std::string breach_;
  std::string compact_;
};

}  // namespace host::plugin
