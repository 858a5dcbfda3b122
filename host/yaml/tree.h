// Reads small YAML documents as a tree of nodes with their places, for example the YAML between the
// `---` lines of a SKILL.md. Any thread can call the functions of this header.
//
// The YAML is untrusted, so the parser has limits that real documents of this kind do not reach.
// The parser refuses anchors, aliases, tags, further documents and duplicate keys. The YAML can
// have at most 8 levels, 256 keys and 64 KiB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host::yaml {

inline constexpr std::size_t kMaxTreeBytes = 64u << 10u;
inline constexpr std::uint32_t kMaxTreeLevels = 8;
inline constexpr std::uint32_t kMaxTreeKeys = 256;

struct Member;

struct Node {
  // `Plain` means a scalar without quotes, which can be a number or a boolean.
  enum class Kind { Null, Plain, Quoted, List, Map };

  Kind kind = Kind::Null;
  std::uint32_t line = 0;  // counts from 1, within the YAML
  std::uint32_t column = 0;
  std::string text;
  std::vector<Node> list;
  std::vector<Member> map;  // members, in the order of the text

  const Node* find(std::string_view key) const;
  bool is_scalar() const { return kind == Kind::Plain || kind == Kind::Quoted; }
  // Returns true for a quoted scalar, and for a plain scalar that is neither a number nor a
  // boolean.
  bool is_text() const;
};

struct Member {
  Node key;
  Node value;
};

struct Fault {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string message;
};

// Parses the YAML. parse_tree() returns an empty map for an empty text. Returns nullopt and sets
// `error` if the text is broken or exceeds a limit.
std::optional<Node> parse_tree(std::string_view text, Fault& error);

// Writes a value as JSON. Plain numbers and booleans become JSON numbers and booleans. to_json()
// replaces invisible characters by visible ones, see base/text/visible.h.
std::string to_json(const Node& value);

}  // namespace host::yaml
