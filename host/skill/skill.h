// Reads one SKILL.md and checks it by the rules of the Agent Skills format. Content that could do
// harm is an error. A violation of the rules that can do no harm is only a warning.
//
//   S001 cannot be read, or too large     S006 name missing or not valid
//   S002 not UTF-8                        S007 description missing
//   S003 no front matter, or without end  S008 name unlike the folder's (warning)
//   S004 the YAML is broken or forbidden  S009 another field unlike the rules (warning)
//   S005 unquoted colon (warning)         S010 no instructions
//   S011 a folder could not be read, or only in part
//   S012 a key that looks misspelt (warning)
//   S013 a broken edit: the last valid text is still served (warning)
//   S016 a pull of its repository failed, S017 a change waits, S018 a pull left something out (all
//   warnings), S019 files of a pulled skill are missing: checkout/status.h
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

// A Skill is immutable. In the members of Skill, visible characters replace invisible characters,
// see base/text/visible.h. `text` is the unchanged text of the file.
struct Skill {
  std::string name;
  std::string description;
  std::string license;        // empty: not stated
  std::string compatibility;  // empty: not stated
  std::string allowed_tools;  // the host shows it but does not enforce it; empty: no restriction
  std::map<std::string, std::string> metadata;
  std::string front_matter;  // the whole front matter as JSON object text, in the order of the file
  std::string text;          // the whole file
  std::string digest;        // SHA-256 of the file, hex

  // `folder` is the name of the skill's folder in the repository. The host finds the skill's files
  // by the folder's name, never by `name`.
  std::string folder;
  std::string source;  // the skill's repository

  // Returns the tool groups that the host activates when a model reads the skill: the names in
  // `metadata: toolpost.groups`, separated by blanks or commas.
  std::vector<std::string> groups() const;
};

// Parses a SKILL.md. `file` is the file's name in diagnostics. `folder` is the name of the skill's
// folder. Returns nullopt if the text has an error. `*name` is set to the skill's name if the name
// is valid, even if the text has an error. If the text has warnings but no error, the function
// still returns the skill.
std::optional<Skill> parse_skill(std::string_view text, const std::string& file,
                                 const std::string& folder,
                                 std::vector<config::Diagnostic>& diagnostics,
                                 std::string* name = nullptr);

// Replaces every kind of line break by LF, so that all code counts lines in the same way.
std::string with_plain_line_ends(std::string_view text);
// Returns the text after the front matter, or the whole text if there is no front matter.
std::string_view body_of(std::string_view plain);

// Returns true if the name matches ^[a-z0-9]+(-[a-z0-9]+)*$ and has 1 to 64 characters.
bool is_regular_name(std::string_view name);

}  // namespace host::skill
