// One SKILL.md, read and checked after the Agent Skills format: strict about what could do harm,
// lenient about what only departs from the rules, which is a warning.
//
//   S001 cannot be read, or too large     S006 name missing or not valid
//   S002 not UTF-8                        S007 description missing
//   S003 no front matter                  S008 name unlike the folder's (warning)
//   S004 the YAML is broken or forbidden  S009 another field unlike the rules (warning)
//   S005 unquoted colon (warning)         S010 no instructions
//   S011 a folder could not be looked at, or not all of it
//   S012 a key that looks misspelt (warning)
//   S013 a broken edit: the last valid text is still served (warning)
//   S014 a link to a file that is not there, S015 a link out of the folder: skill/link_check.h
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

// Immutable once read. Hidden characters in the fields are marked, see base/visible.h; `text` is as
// it is in the file.
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

  // The tool groups that reading it activates: the names in `metadata: toolpost.groups`, by blanks
  // or commas apart.
  std::vector<std::string> groups() const;
};

// `file` names it in diagnostics, `folder` is the name of its folder. Nothing where an error was
// reported; warnings come with the skill. `*name` gets a valid name even then.
std::optional<Skill> parse_skill(std::string_view text, const std::string& file,
                                 const std::string& folder,
                                 std::vector<config::Diagnostic>& diagnostics,
                                 std::string* name = nullptr);

// LF for every kind of line end, so that lines are counted alike.
std::string with_plain_line_ends(std::string_view text);
// What is below the front matter; all of it where there is none.
std::string_view body_of(std::string_view plain);

// ^[a-z0-9]+(-[a-z0-9]+)*$, 1 to 64 characters.
bool is_regular_name(std::string_view name);

}  // namespace host::skill
