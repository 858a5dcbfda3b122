// One SKILL.md, read and checked after the Agent Skills format: strict about what could do harm,
// lenient about what only departs from the rules, which is a warning.
//
//   S001 cannot be read, or too large     S006 name missing or unusable
//   S002 not UTF-8                        S007 description missing
//   S003 no front matter                  S008 name unlike the rules or the folder (warning)
//   S004 the YAML is broken or forbidden  S009 another field unlike the rules (warning)
//   S005 unquoted colon (warning)         S010 no instructions
//   S011 a folder could not be looked at, or not all of it
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"

namespace host::skill {

inline constexpr const char* kSkillFile = "SKILL.md";
inline constexpr std::size_t kMaxFileBytes = 1u << 20u;

// Immutable once read.
struct Skill {
  std::string name;
  std::string description;
  std::string license;        // empty: none
  std::string compatibility;  // empty: none
  std::string allowed_tools;  // empty: none; told, never enforced nor granted
  std::map<std::string, std::string> metadata;
  std::string front_matter;  // all of it as JSON object text, in its order
  std::string text;          // the whole file
  std::string digest;        // SHA-256 of the file, hex

  // Where it is from. The folder's own name, as the repository gave it, finds its files; `name`
  // never does.
  std::string folder;
  std::string source;  // its repository
};

// `file` names it in diagnostics, `folder` is the name of its folder. Nothing where an error was
// reported; warnings come with the skill.
std::optional<Skill> parse_skill(std::string_view text, const std::string& file,
                                 const std::string& folder,
                                 std::vector<config::Diagnostic>& diagnostics);

// ^[a-z0-9]+(-[a-z0-9]+)*$, 1 to 64 characters.
bool is_regular_name(std::string_view name);

}  // namespace host::skill
