// One SKILL.md, read and checked by the rules of the Agent Skills format. Content that could do
// harm is an error. Any other violation of the rules is a warning.
//
//   S001 cannot be read, or too large     S006 name missing or not valid
//   S002 not UTF-8                        S007 description missing
//   S003 no front matter                  S008 name unlike the folder's (warning)
//   S004 the YAML is broken or forbidden  S009 another field unlike the rules (warning)
//   S005 unquoted colon (warning)         S010 no instructions
//   S011 a folder could not be read, or only in part
//   S012 a key that looks misspelt (warning)
//   S013 a broken edit: the last valid text is still served (warning)
//   S014 a link to a file that does not exist, S015 a link out of the folder: skill/link_check.h
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

// Immutable. Invisible characters in the fields are marked, see base/text/visible.h. `text` is the
// unchanged text of the file.
struct Skill {
  std::string name;
  std::string description;
  std::string license;        // empty: none
  std::string compatibility;  // empty: none
  std::string allowed_tools;  // empty: none; only reported, not enforced
  std::map<std::string, std::string> metadata;
  std::string front_matter;  // the whole front matter as JSON object text, in its order
  std::string text;          // the whole file
  std::string digest;        // SHA-256 of the file, hex

  // The name of its folder in the repository. Its files are found by this name, never by `name`.
  std::string folder;
  std::string source;  // its repository

  // The tool groups that are activated when a model reads the skill: the names in `metadata:
  // toolpost.groups`, separated by blanks or commas.
  std::vector<std::string> groups() const;
};

// `file`: the name in diagnostics. `folder`: the name of its folder. nullopt: an error was
// reported; even then `*name` gets the name if it is valid. With warnings, the skill is returned.
std::optional<Skill> parse_skill(std::string_view text, const std::string& file,
                                 const std::string& folder,
                                 std::vector<config::Diagnostic>& diagnostics,
                                 std::string* name = nullptr);

// Replaces every kind of line end by LF, so that all code counts lines in the same way.
std::string with_plain_line_ends(std::string_view text);
// The text below the front matter. The whole text if there is no front matter.
std::string_view body_of(std::string_view plain);

// ^[a-z0-9]+(-[a-z0-9]+)*$, 1 to 64 characters.
bool is_regular_name(std::string_view name);

}  // namespace host::skill
