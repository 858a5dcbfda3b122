// Any bytes: what parses must write as text that parses to the same text again. What only
// parse_foreign() reads must write as text that parse() reads.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "json/foreign.h"
#include "json/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace json = host::json;
  // Its own buffer, not terminated, so that the sanitizer sees a read past its end.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = json::parse(text);
  const auto foreign = json::parse_foreign(text);
  if (foreign) {
    const std::string read = json::write(foreign->root());
    if (!json::parse(read)) std::abort();
    if (document && json::write(document->root()) != read) std::abort();
  } else if (document) {
    std::abort();
  }
  if (!document) {
    if (document.error().message.empty()) std::abort();
    return 0;
  }
  const std::string written = json::write(document->root());
  const auto again = json::parse(written);
  if (!again || json::write(again->root()) != written) std::abort();
  return 0;
}
