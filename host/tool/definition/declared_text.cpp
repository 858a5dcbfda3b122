#include "tool/definition/declared_text.h"

#include <algorithm>
#include <initializer_list>

#include "base/text/encoding.h"
#include "base/text/joiners.h"
#include "base/text/visible.h"
#include "json/json.h"

namespace host::tool {
namespace {

constexpr std::size_t kMostNameBytes = 64;
constexpr std::size_t kMostIdBytes = 128;
constexpr std::size_t kMostQuotedBytes = 80;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool has_hidden(std::string_view text) {
  return marked(text) != text;
}

Error too_long(std::string_view what, std::size_t most) {
  return Error{ErrorKind::InvalidArgument,
               std::string(what) + " is longer than " + std::to_string(most) + " bytes"};
}

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Keywords of JSON Schema whose values are examples of data.
bool is_data_keyword(std::string_view key) {
  return is_one_of(key, {"enum", "const", "default", "examples"});
}

// Keywords whose values are maps: of names that the author chose, to schemas or to arrays of such
// names.
bool is_map_keyword(std::string_view key) {
  return is_one_of(key, {"properties", "patternProperties", "$defs", "definitions",
                         "dependentSchemas", "dependencies", "dependentRequired"});
}

// A reference is marked as what it refers to is.
enum class Kind { Schema, Map, Names };

Kind kind_of_member(std::string_view key, const json::Value& value, Kind kind) {
  if (kind == Kind::Map) return value.IsArray() ? Kind::Names : Kind::Schema;
  if (is_map_keyword(key)) return Kind::Map;
  return key == "required" && value.IsArray() ? Kind::Names : Kind::Schema;
}

// The first name with hidden characters; empty: there is none.
std::string mark_schema(json::Value& value, json::Allocator& allocator, Kind kind) {
  const Kind of_items = kind == Kind::Names ? kind : Kind::Schema;
  if (value.IsString() && kind == Kind::Names) {
    if (has_hidden(json::text(value))) return quoted_name(json::text(value));
  } else if (value.IsString()) {
    value = json::string(shown_text(json::text(value)), allocator);
  } else if (value.IsArray()) {
    for (json::Value& item : value.GetArray()) {
      if (std::string bad = mark_schema(item, allocator, of_items); !bad.empty()) return bad;
    }
  }
  if (!value.IsObject()) return {};
  for (auto& member : value.GetObject()) {
    const std::string_view key = json::text(member.name);
    if (has_hidden(key)) return quoted_name(key);
    const bool keyword = kind != Kind::Map;
    if (keyword && is_data_keyword(key)) continue;
    if (keyword && key == "pattern" && member.value.IsString()) continue;
    const Kind inner = kind_of_member(key, member.value, kind);
    if (std::string bad = mark_schema(member.value, allocator, inner); !bad.empty()) return bad;
  }
  return {};
}

}  // namespace

bool is_plain_name(std::string_view name) {
  const auto legal = [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; };
  return !name.empty() && name.size() <= kMostNameBytes &&
         std::all_of(name.begin(), name.end(), legal);
}

bool is_id(std::string_view id) {
  const auto legal = [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
  };
  return !id.empty() && id.size() <= kMostIdBytes && std::all_of(id.begin(), id.end(), legal) &&
         is_letter_or_digit(id.front()) && is_letter_or_digit(id.back()) &&
         id.find("..") == std::string_view::npos;
}

bool is_shown_name(std::string_view name) {
  return name.size() <= kMostTitleBytes && name.find_first_not_of(' ') != std::string_view::npos &&
         name.find_first_of("\n\t") == std::string_view::npos && !has_hidden(name);
}

std::string shown_text(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool line_end = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!line_end) plain += text[i];
  }
  return marked_prose(plain);
}

std::string shown_line(std::string_view text) {
  std::string line = shown_text(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

Result<std::string> short_line(std::string_view what, std::string_view text, std::size_t most) {
  if (text.size() > most) return too_long(what, most);
  return shown_line(text);
}

Result<std::string> short_text(std::string_view what, std::string_view text, std::size_t most) {
  if (text.size() > most) return too_long(what, most);
  return shown_text(text);
}

Result<std::string> shown_schema_text(std::string_view schema) {
  // Escapes may hide what the text itself does not.
  const bool plain = schema.find('\\') == std::string_view::npos && !has_hidden(schema);
  if (plain) return std::string(schema);
  auto tree = json::parse(schema);
  if (!tree) return std::string(schema);
  const std::string bad = mark_schema(tree->root(), tree->allocator(), Kind::Schema);
  if (!bad.empty()) {
    return Error{ErrorKind::InvalidArgument,
                 bad + " names a member of it and has hidden characters: rename it"};
  }
  return json::write(tree->root());
}

std::string quoted_name(std::string_view name) {
  return "\"" + shown_line(utf8_begin(name, kMostQuotedBytes)) + "\"";
}

}  // namespace host::tool
