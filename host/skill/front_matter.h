// The YAML between the `---` lines of a SKILL.md. Only this file uses yaml-cpp.
//
// The YAML is untrusted, so it is read with limits that real skills do not reach: no anchors,
// aliases, tags or further documents, no duplicate keys, 8 levels, 256 keys, 64 KiB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host::skill {

inline constexpr std::size_t kMaxFrontMatterBytes = 64u << 10u;
inline constexpr std::uint32_t kMaxYamlDepth = 8;
inline constexpr std::uint32_t kMaxYamlKeys = 256;

struct YamlMember;

struct Yaml {
  // Plain: a scalar without quotes, which may be a number or a boolean.
  enum class Kind { Null, Plain, Quoted, List, Map };

  Kind kind = Kind::Null;
  std::uint32_t line = 0;  // from 1, of the YAML
  std::uint32_t column = 0;
  std::string text;
  std::vector<Yaml> list;
  std::vector<YamlMember> map;  // in the order of the text

  const Yaml* find(std::string_view key) const;
  bool is_scalar() const { return kind == Kind::Plain || kind == Kind::Quoted; }
  // True for a quoted scalar, and for a plain scalar that is neither a number nor a boolean.
  bool is_text() const;
};

struct YamlMember {
  Yaml key;
  Yaml value;
};

struct YamlError {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string message;
};

// An empty text gives an empty map. nullopt, with `error`: the text is broken or exceeds a limit.
std::optional<Yaml> parse_yaml(std::string_view text, YamlError& error);

// `description: Use when: asked` is a common mistake in YAML. Puts such values in quotes. A text
// without them is returned unchanged.
std::string quote_colons(std::string_view text);

// JSON text. Plain numbers and booleans become JSON numbers and booleans. Invisible characters are
// marked, see base/text/visible.h.
std::string to_json(const Yaml& value);

}  // namespace host::skill
