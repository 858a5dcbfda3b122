#include "upstream/pins/difference.h"

#include <algorithm>
#include <map>

#include "base/visible.h"
#include "json/excerpt.h"
#include "json/json.h"

namespace host::upstream {
namespace {

constexpr std::size_t kMostLineBytes = 4096;

using Leaves = std::map<std::string, std::string>;

bool is_plain_member(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '$';
  });
}

// Each place is written in one way only, so that no name of a member looks like another place:
// inputSchema.properties.path, inputSchema.properties["a.b"].
std::string place_below(const std::string& place, const json::Value& name) {
  const std::string_view text = json::text(name);
  if (!is_plain_member(text)) return place + "[" + json::write(name) + "]";
  return place.empty() ? std::string(text) : place + "." + std::string(text);
}

// A text is shown without quotes, unless it could be taken for a value of another type.
std::string leaf_of(const json::Value& value) {
  if (!value.IsString()) return json::write(value);
  const std::string_view text = json::text(value);
  const bool is_like_another =
      text.empty() || std::string_view("{[\"-0123456789").find(text[0]) != std::string_view::npos ||
      text == "true" || text == "false" || text == "null";
  return is_like_another ? json::write(value) : std::string(text);
}

void gather(const json::Value& value, const std::string& place, Leaves& leaves) {
  if (value.IsObject() && value.MemberCount() > 0) {
    for (const auto& member : value.GetObject())
      gather(member.value, place_below(place, member.name), leaves);
  } else if (value.IsArray() && !value.Empty()) {
    std::size_t index = 0;
    for (const json::Value& item : value.GetArray())
      gather(item, place + "[" + std::to_string(index++) + "]", leaves);
  } else {
    leaves[place] = leaf_of(value);
  }
}

Leaves leaves_of(std::string_view definition) {
  Leaves leaves;
  if (definition.empty()) return leaves;
  const auto tree = json::parse(definition);
  if (tree) gather(tree->root(), {}, leaves);
  return leaves;
}

// A value of several lines gives several lines.
void add(char sign, const std::string& place, std::string_view value,
         std::vector<std::string>& out) {
  for (;;) {
    const std::size_t end = value.find('\n');
    std::string line = marked(place + ": " + std::string(value.substr(0, end)));
    out.push_back(std::string{sign, ' '} + json::excerpt(line, kMostLineBytes));
    if (end == std::string_view::npos) return;
    value.remove_prefix(end + 1);
  }
}

}  // namespace

std::vector<std::string> difference(std::string_view before, std::string_view after) {
  const Leaves old = leaves_of(before);
  const Leaves now = leaves_of(after);
  std::vector<std::string> out;
  for (const auto& [place, value] : old) {
    const auto same = now.find(place);
    if (same != now.end() && same->second == value) continue;
    add('-', place, value, out);
    if (same != now.end()) add('+', place, same->second, out);
  }
  for (const auto& [place, value] : now) {
    if (!old.contains(place)) add('+', place, value, out);
  }
  if (out.size() > kMostLines) {
    const std::size_t more = out.size() - kMostLines + 1;
    out.resize(kMostLines - 1);
    out.push_back("... and " + std::to_string(more) + " more lines");
  }
  return out;
}

}  // namespace host::upstream
