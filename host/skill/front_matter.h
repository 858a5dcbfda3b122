// The YAML between the `---` lines of a SKILL.md: the one door to yaml-cpp.
//
// It comes from strangers, so it is read behind limits that no real skill meets: no anchors,
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
  // Plain is a scalar without quotes, which may mean a number or a truth value.
  enum class Kind { Null, Plain, Quoted, List, Map };

  Kind kind = Kind::Null;
  std::uint32_t line = 0;  // from 1, of the YAML
  std::uint32_t column = 0;
  std::string text;
  std::vector<Yaml> list;
  std::vector<YamlMember> map;  // in the order of the text

  const Yaml* find(std::string_view key) const;
  bool is_scalar() const { return kind == Kind::Plain || kind == Kind::Quoted; }
  // What YAML would take for a number, a truth value or nothing.
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

// An empty text gives an empty map. Nothing, and `error`, where it is broken or beyond the limits.
std::optional<Yaml> parse_yaml(std::string_view text, YamlError& error);

// `description: Use when: asked` is broken YAML that many write. Puts such values in quotes; the
// text as it was where there are none.
std::string quote_colons(std::string_view text);

// JSON text; plain numbers and truth values become such. Hidden characters are marked, see
// base/visible.h.
std::string to_json(const Yaml& value);

}  // namespace host::skill
