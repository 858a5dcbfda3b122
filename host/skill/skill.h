// Reads one SKILL.md and checks it by the rules of the Agent Skills format. Content that could do
// harm is an error. A harmless violation of the format is only a warning.
//
// The code S001 means that SKILL.md cannot be read or is too large. S002 means that SKILL.md is not
// UTF-8. S003 means that SKILL.md has no front matter, or that the front matter has no end. S004
// means that the YAML is malformed or uses forbidden features. The warning S005 means an unquoted
// colon in the YAML. S006 means that the skill's name is missing or not valid. S007 means that the
// description is missing. The warning S008 means that the name differs from the folder's name. The
// warning S009 means that another field violates the format. S010 means that the skill has no
// instructions. S011 means that a folder could not be read completely. The warning S012 means that
// a key looks misspelt. The warning S013 means that an edit made the skill faulty, so its last
// valid text is still served. link_check.h describes S014 and S015, and checkout/status.h describes
// S016 to S019.
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
