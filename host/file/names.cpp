#include "file/names.h"

#include <algorithm>

#include "tool/definition/declared_text.h"

namespace host::file {
namespace {

constexpr std::size_t kMostBytes = 255;

// RFC 9110, token.
bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

}  // namespace

bool is_file_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostBytes && tool::is_shown_name(name);
}

bool is_content_type(std::string_view type) {
  const std::string_view essence = type.substr(0, type.find(';'));
  const std::size_t slash = essence.find('/');
  if (type.size() > kMostBytes || slash == std::string_view::npos) return false;
  const bool plain =
      std::all_of(type.begin(), type.end(), [](char c) { return c >= ' ' && c <= '~'; });
  std::string_view subtype = essence.substr(slash + 1);
  while (subtype.ends_with(' ')) subtype.remove_suffix(1);
  return plain && is_token(essence.substr(0, slash)) && is_token(subtype);
}

}  // namespace host::file
