// Looks for the id in bytes that may be no JSON, as they come in pieces: the pieces must not
// matter, and what it finds in good JSON must be what the parser finds there.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "json/json.h"
#include "json/member_scan.h"

namespace {

namespace json = host::json;

void must(bool held) {
  if (!held) std::abort();
}

json::MemberScan scanned(std::string_view text, std::size_t piece) {
  json::MemberScan scan("id");
  for (std::size_t at = 0; at < text.size(); at += piece) {
    // Its own buffer, so that the sanitizer sees a read past its end.
    const std::string part(text.substr(at, piece));
    scan.take(part);
  }
  return scan;
}

// Nothing found is right where the name is written with escapes.
void compare_with_parser(const json::Document& tree, const json::MemberScan& scan) {
  if (!tree.root().IsObject()) return must(scan.kept().empty());
  const auto at = tree.root().FindMember("id");
  if (at == tree.root().MemberEnd()) return must(scan.kept().empty());
  if (at->value.IsObject() || at->value.IsArray()) return must(scan.kept().empty());
  if (scan.kept().empty()) return;
  const auto kept = json::parse(scan.kept());
  must(kept && json::write(kept->root()) == json::write(at->value));
  must(scan.has("id"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const json::MemberScan whole = scanned(text, std::max<std::size_t>(text.size(), 1));
  const json::MemberScan pieces = scanned(text, data[0] % 16 + std::size_t{1});
  must(whole.kept() == pieces.kept());
  for (const std::string_view name : {"id", "method", "result", "error"})
    must(whole.has(name) == pieces.has(name));
  if (const auto tree = json::parse(text)) compare_with_parser(*tree, whole);
  return 0;
}
