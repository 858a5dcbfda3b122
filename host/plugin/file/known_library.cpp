#include "plugin/file/known_library.h"

#include <charconv>
#include <cstddef>

namespace host::plugin {
namespace {

constexpr std::string_view kForm = "library/1";

// A part stands behind its length: "12 {...}".
void add(std::string& out, const std::string& part) {
  out += std::to_string(part.size()) + ' ' + part;
}

bool take(std::string_view& text, std::string& part) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with(' ') || text.size() - 1 < size) return false;
  part = text.substr(1, size);
  text.remove_prefix(1 + size);
  return true;
}

}  // namespace

std::string pack(const KnownLibrary& known) {
  std::string out(kForm);
  add(out, known.manifest);
  add(out, known.resources);
  add(out, known.prompts);
  return out;
}

std::optional<KnownLibrary> unpack(std::string_view text) {
  KnownLibrary known;
  if (!text.starts_with(kForm)) return std::nullopt;
  text.remove_prefix(kForm.size());
  const bool whole =
      take(text, known.manifest) && take(text, known.resources) && take(text, known.prompts);
  if (!whole || !text.empty()) return std::nullopt;
  return known;
}

}  // namespace host::plugin
