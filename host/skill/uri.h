// skill://<name>/<path>: how the files of skills are named to clients.
//
// Source: extension io.modelcontextprotocol/skills (SEP-2640).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host::skill {

struct SkillUri {
  std::string skill;
  std::string path;  // below the skill's folder; empty: the folder itself
};

// Every byte that RFC 3986 does not leave unreserved is percent-encoded, `/` of the path excepted.
std::string uri_of(std::string_view skill, std::string_view path);

// Nothing for another scheme, broken percent-encoding, or one that hides a `/`. Whether the path
// may be read is check_relative()'s to say.
std::optional<SkillUri> parse_uri(std::string_view uri);

}  // namespace host::skill
