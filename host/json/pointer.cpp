#include <charconv>
#include <optional>

#include "json/json.h"

namespace host::json {
namespace {

// `~1` is a slash and `~0` a tilde; any other tilde is an error.
std::optional<std::string> unescape(std::string_view token) {
  std::string plain;
  plain.reserve(token.size());
  for (std::size_t at = 0; at < token.size(); ++at) {
    if (token[at] != '~') {
      plain += token[at];
      continue;
    }
    ++at;
    if (at == token.size() || (token[at] != '0' && token[at] != '1')) return std::nullopt;
    plain += token[at] == '0' ? '~' : '/';
  }
  return plain;
}

const Value* element(const Value& array, std::string_view token) {
  if (token.empty() || (token[0] == '0' && token.size() > 1)) return nullptr;
  rapidjson::SizeType index = 0;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, index);
  if (error != std::errc{} || stop != end || index >= array.Size()) return nullptr;
  return &array[index];
}

const Value* child(const Value& parent, std::string_view token) {
  if (parent.IsArray()) return element(parent, token);
  const auto name = unescape(token);
  return name ? find(parent, *name) : nullptr;
}

}  // namespace

const Value* at(const Value& root, std::string_view pointer) {
  const Value* value = &root;
  while (value != nullptr && !pointer.empty()) {
    if (pointer[0] != '/') return nullptr;
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    value = child(*value, token);
    pointer.remove_prefix(token.size());
  }
  return value;
}

std::string escape_pointer_token(std::string_view token) {
  std::string escaped;
  escaped.reserve(token.size());
  for (const char c : token) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace host::json
