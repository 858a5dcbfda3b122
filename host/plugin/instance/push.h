// Checks the blocks that a plugin pushes to the result of a call. The worker checks the blocks, so
// that the plugin gets the status immediately. The host checks the blocks of a worker again,
// because the host trusts no worker.
#pragma once

#include <toolpost/plugin.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "json/json.h"
#include "tool/definition/content_shape.h"

namespace host::plugin {

// The JSON data of error() may have at most this many bytes, so that one frame can carry it.
inline constexpr std::size_t kMostErrorDataBytes = 1u << 20u;
using tool::kMostBlocks;
// The host adds JSON members to each block: its type, its media type, and a URI. The constant
// kMostAddedBytes is the maximum size of all added JSON members of one result, in addition to the
// size limit of results.
inline constexpr std::uint64_t kMostAddedBytes = 64u << 10u;

// The worker sends kResultTooLarge instead of TP_E_NOMEM if a call's result would have exceeded the
// size limit of results or kMostBlocks. Only the host uses statuses below -1000.
constexpr tp_status kResultTooLarge = -1001;

// One block of a call's result that the check has accepted.
struct Block {
  std::uint32_t kind = 0;  // TP_TEXT ... TP_CONTENT, without flags
  bool more = false;
  bool partial = false;
  std::string_view mime;   // media type of a blob, or of a resource's text (never empty)
  std::string_view bytes;  // valid until the next check; JSON is compact
};

// The kind of result that the blocks of a call produce. Blocks means content blocks. `Contents`
// means that the blocks are the contents of a resource. In the contents of a resource, texts have a
// media type, and a block of the kind TP_CONTENT is an MCP ResourceContents. `Answer` means that
// the block is one JSON value for the host. If an answer is refused, breach() returns the error,
// because a refused answer must not be treated as a missing answer.
enum class Makes : std::uint8_t { Blocks, Contents, Answer };

// Checks the blocks that a plugin pushes in one call, in their order. A PushCheck is not
// thread-safe.
class PushCheck {
 public:
  // `uri` is the URI of the resource if `makes` is Contents.
  explicit PushCheck(std::uint64_t limit, Makes makes = Makes::Blocks, std::string_view uri = {});

  // Checks one pushed block. Returns TP_OK and fills `block`, or returns the status for the plugin.
  // A refused block does not become a part of the call's result.
  tp_status check(std::uint32_t kind, std::string_view mime, std::string_view bytes, Block& block);
  // Checks an error that the plugin reports with error(). If the check refuses the error, the call
  // fails with the message of breach().
  tp_status check_error(std::string_view message, std::string_view json_data,
                        std::string& compact_data);

  Makes makes() const { return makes_; }
  std::uint64_t limit() const { return limit_; }
  // Returns true if a block of the plugin exceeded the size limit or kMostBlocks.
  bool over_limit() const { return over_limit_; }
  // Returns the message of the error with which the call must end, or an empty text. The check sets
  // the message when it refuses an answer or content block, and clears the message when it accepts
  // a block or error. The message remains if the check refused every error() of the plugin, because
  // the plugin has reported a failure.
  const std::string& breach() const { return error_breach_.empty() ? breach_ : error_breach_; }

 private:
  tp_status check_push(std::uint32_t kind, std::string_view mime, std::string_view bytes,
                       Block& block);
  tp_status check_kind(std::uint32_t kind, std::string_view mime, Block& block) const;
  tp_status check_json(Block& block);
  tp_status check_error_texts(std::string_view message, std::string_view json_data,
                              std::string& compact_data);
  std::string fault_of_error(tp_status status, std::string_view message) const;
  bool is_shaped(std::uint32_t kind, const json::Value& value);
  bool fits(std::size_t bytes);
  bool has_room_for(const Block& block);
  std::uint64_t added_by(const Block& block) const;

  std::uint64_t limit_;
  Makes makes_;
  std::uint64_t uri_bytes_ = 0;  // JSON length of the URI of each text or blob
  std::uint64_t taken_ = 0;      // bytes that the plugin pushed
  std::uint64_t added_ = 0;      // bytes that the host adds to the blocks
  std::size_t blocks_ = 0;
  std::uint32_t open_kind_ = 0;  // kind of the unfinished block; 0: none
  bool has_json_ = false;
  bool over_limit_ = false;
  bool has_error_ = false;  // an error() was accepted
  std::string breach_;
  std::string error_breach_;
  std::string compact_;
};

}  // namespace host::plugin
