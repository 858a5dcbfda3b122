// Reads the YAML between the `---` lines of a SKILL.md. Only this header and its .cpp file use
// yaml-cpp.
//
// The YAML is untrusted, so the code reads it with limits that real skills do not reach. The code
// refuses anchors, aliases, tags, further documents and duplicate keys. The YAML can have at most 8
// levels, 256 keys and 64 KiB.
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
  // Plain means a scalar without quotes, which can be a number or a boolean.
  enum class Kind { Null, Plain, Quoted, List, Map };

  Kind kind = Kind::Null;
  std::uint32_t line = 0;  // counts from 1, within the YAML
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

// Parses the YAML. An empty text results in an empty map. Returns nullopt and sets `error` if the
// text is broken or exceeds a limit.
std::optional<Yaml> parse_yaml(std::string_view text, YamlError& error);

// Puts quotes around values that contain an unquoted colon: `description: Use when: asked` is a
// common mistake in YAML. The function returns a text without such values unchanged.
std::string quote_colons(std::string_view text);

// Writes a value as JSON. Plain numbers and booleans become JSON numbers and booleans. Visible
// characters replace invisible ones, see base/text/visible.h.
std::string to_json(const Yaml& value);

}  // namespace host::skill
