#include "upstream/pins/difference.h"

#include <algorithm>
#include <utility>

#include "base/text/encoding.h"
#include "base/text/visible.h"
#include "json/excerpt.h"
#include "json/json.h"
#include "upstream/pins/line_changes.h"

namespace host::upstream {
namespace {

constexpr std::size_t kMostPieceBytes = 2048;  // of a value, in one line
constexpr std::size_t kMostPlaceBytes = 1024;

bool is_plain_member(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '$';
  });
}

// A text is shown without quotes, unless it could be taken for a value of another type.
std::string in_needed_quotes(std::string text) {
  const bool is_like_another =
      text.empty() || std::string_view("{[\"-0123456789").find(text[0]) != std::string_view::npos ||
      text == "true" || text == "false" || text == "null";
  if (!is_like_another) return text;
  std::string quoted;
  json::write_string(text, quoted);
  return quoted;
}

bool has_parts(const json::Value& value) {
  return (value.IsObject() && value.MemberCount() > 0) || (value.IsArray() && !value.Empty());
}

bool is_same_leaf(const json::Value& one, const json::Value& two) {
  if (one.IsString() && two.IsString()) return json::text(one) == json::text(two);
  return !one.IsString() && !two.IsString() && json::write(one) == json::write(two);
}

// The beginning of a value that fits in a line: up to its first newline.
std::string_view first_line(std::string_view value) {
  const std::string_view line = value.substr(0, value.find('\n'));
  return line.size() <= kMostPieceBytes ? line : utf8_begin(line, kMostPieceBytes);
}

std::vector<std::string_view> lines_of(std::string_view value) {
  std::vector<std::string_view> lines;
  for (;;) {
    lines.push_back(first_line(value));
    value.remove_prefix(lines.back().size());
    if (value.empty()) return lines;
    if (value.front() == '\n') value.remove_prefix(1);
  }
}

// Goes through both definitions at once, so that it keeps one place and the lines, nothing else.
class Comparison {
 public:
  explicit Comparison(const Hide& hide) : hide_(hide) {}

  // Null: there is none.
  void compare(const json::Value* before, const json::Value* after) {
    if (before && after) {
      if (before->IsObject() && after->IsObject() && has_parts(*before) && has_parts(*after))
        return compare_members(*before, *after);
      if (before->IsArray() && after->IsArray() && has_parts(*before) && has_parts(*after))
        return compare_items(*before, *after);
      if (!has_parts(*before) && !has_parts(*after) && is_same_leaf(*before, *after)) return;
      if (before->IsString() && after->IsString()) return compare_texts(*before, *after);
    }
    if (before) add_all('-', *before);
    if (after) add_all('+', *after);
  }

  Difference end() {
    if (left_out_ > 0) out_.lines.push_back("... and " + std::to_string(left_out_) + " more lines");
    out_.is_cut = out_.is_cut || left_out_ > 0;
    return std::move(out_);
  }

 private:
  using Members = std::vector<std::pair<std::string_view, const json::Value::Member*>>;

  static Members members_of(const json::Value& object) {
    Members members;
    for (auto at = object.MemberBegin(); at != object.MemberEnd(); ++at)
      members.emplace_back(json::text(at->name), &*at);
    std::sort(members.begin(), members.end());
    return members;
  }

  void compare_members(const json::Value& before, const json::Value& after) {
    const Members old = members_of(before);
    const Members now = members_of(after);
    auto left = old.begin();
    auto right = now.begin();
    while (left != old.end() || right != now.end()) {
      const bool has_left =
          left != old.end() && (right == now.end() || left->first <= right->first);
      const bool has_right =
          right != now.end() && (left == old.end() || right->first <= left->first);
      const json::Value::Member& named = has_left ? *left->second : *right->second;
      const std::size_t length = enter(named.name);
      compare(has_left ? &left->second->value : nullptr,
              has_right ? &right->second->value : nullptr);
      place_.resize(length);
      left += has_left ? 1 : 0;
      right += has_right ? 1 : 0;
    }
  }

  void compare_items(const json::Value& before, const json::Value& after) {
    for (rapidjson::SizeType i = 0; i < std::max(before.Size(), after.Size()); ++i) {
      const std::size_t length = enter(i);
      compare(i < before.Size() ? &before[i] : nullptr, i < after.Size() ? &after[i] : nullptr);
      place_.resize(length);
    }
  }

  std::string shown(std::string_view text) const { return hide_ ? hide_(text) : std::string(text); }
  std::string leaf_of(const json::Value& value) const {
    return value.IsString() ? in_needed_quotes(shown(json::text(value)))
                            : shown(json::write(value));
  }

  void compare_texts(const json::Value& before, const json::Value& after) {
    // A text of several lines cannot be taken for a value of another type.
    const auto is_long = [](const json::Value& one) {
      return json::text(one).find('\n') != std::string_view::npos;
    };
    const bool is_plain = is_long(before) || is_long(after);
    const std::string old = is_plain ? shown(json::text(before)) : leaf_of(before);
    const std::string now = is_plain ? shown(json::text(after)) : leaf_of(after);
    for (const LineChange& change : line_changes(lines_of(old), lines_of(now))) {
      if (change.equal == 0) {
        add_line(change.sign, change.line);
      } else {
        add_line(' ', "... " + std::to_string(change.equal) + " equal lines");
      }
    }
  }

  void add_all(char sign, const json::Value& value) {
    if (!has_parts(value)) return add(sign, value);
    if (value.IsArray()) {
      for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
        const std::size_t length = enter(i);
        add_all(sign, value[i]);
        place_.resize(length);
      }
      return;
    }
    for (const auto& [name, member] : members_of(value)) {
      const std::size_t length = enter(member->name);
      add_all(sign, member->value);
      place_.resize(length);
    }
  }

  // Each place is written in one way only, so that no name of a member looks like another place:
  // inputSchema.properties.path, inputSchema.properties["a.b"]. Returns the length before.
  std::size_t enter(const json::Value& name) {
    const std::size_t length = place_.size();
    const std::string text = shown(json::text(name));
    if (!is_plain_member(text)) {
      place_ += '[';
      json::write_string(text, place_);
      place_ += ']';
    } else {
      if (!place_.empty()) place_ += '.';
      place_ += text;
    }
    return length;
  }
  std::size_t enter(rapidjson::SizeType index) {
    const std::size_t length = place_.size();
    place_ += "[" + std::to_string(index) + "]";
    return length;
  }

  void add(char sign, const json::Value& value) {
    const std::string leaf = leaf_of(value);
    for (const std::string_view line : lines_of(leaf)) add_line(sign, line);
  }

  void add_line(char sign, std::string_view piece) {
    if (left_out_ > 0 || out_.lines.size() + 1 >= kMostLines || bytes_ >= kMostDifferenceBytes) {
      ++left_out_;
      return;
    }
    out_.is_cut = out_.is_cut || place_.size() > kMostPlaceBytes;
    std::string line = marked(json::excerpt(place_, kMostPlaceBytes) + ": " + std::string(piece));
    bytes_ += line.size();
    out_.lines.push_back(std::string{sign, ' '} + line);
  }

  const Hide& hide_;
  std::string place_;
  Difference out_;
  std::size_t bytes_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

Difference difference(std::string_view before, std::string_view after, const Hide& hide) {
  const auto old = before.empty() ? json::parse("null") : json::parse(before);
  const auto now = json::parse(after);
  Comparison comparison(hide);
  comparison.compare(old && !before.empty() ? &old->root() : nullptr, now ? &now->root() : nullptr);
  return comparison.end();
}

}  // namespace host::upstream
