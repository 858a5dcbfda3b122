// Any bytes: a context that a client may send has one text, and the text gives the same context
// again.
#include "tool/call/sent_context.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace json = host::json;
  namespace tool = host::tool;
  const auto document = json::parse({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  const auto sent = tool::read_sent_context(document->root(), "/context");
  if (!sent) {
    if (!sent.error().message.starts_with("/context")) std::abort();
    return 0;
  }
  const std::string text = tool::text_of(*sent);
  if (text.empty() != !*sent) std::abort();
  const auto again = tool::sent_context_in(text);
  if (!again || tool::text_of(*again) != text) std::abort();
  if (*sent && **sent != **again) std::abort();
  return 0;
}
