#include "json/own_text.h"

#include <limits>

#include "json/depth.h"

namespace host::json {
namespace {

// With what the host puts around a text: a list of blocks, a result.
constexpr std::uint32_t kDeepest = kMostDepth + 16;
constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Result<Document> parse_own(std::string_view text) {
  return parse(text, {.depth = kDeepest, .nodes = kAny, .string_bytes = kAny, .key_bytes = kAny});
}

}  // namespace host::json
