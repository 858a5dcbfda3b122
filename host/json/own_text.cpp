#include "json/own_text.h"

#include <limits>

namespace host::json {
namespace {

// The highest `limits.json_depth`, and what the host puts around a text: a list of blocks, a result.
constexpr std::uint32_t kDeepest = 1024 + 16;
constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Result<Document> parse_own(std::string_view text) {
  return parse(text, {.depth = kDeepest, .nodes = kAny, .string_bytes = kAny, .key_bytes = kAny});
}

}  // namespace host::json
