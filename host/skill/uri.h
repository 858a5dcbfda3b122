// Makes and parses skill://<name>/<path>, the URIs under which clients read files of skills.
//
// The MCP extension io.modelcontextprotocol/skills (SEP-2640) specifies the URIs
// skill://<name>/<path>.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host::skill {

struct SkillUri {
  std::string skill;
  std::string path;  // path below the skill's folder; empty: the folder itself
};

// Makes the URI. uri_of() percent-encodes every byte except the `/` in the path and the unreserved
// characters of RFC 3986.
std::string uri_of(std::string_view skill, std::string_view path);

// Parses a URI. Returns nullopt for a different scheme, broken percent-encoding, or an encoded `/`.
// parse_uri() does not check whether the path can be read: use check_relative().
std::optional<SkillUri> parse_uri(std::string_view uri);

}  // namespace host::skill
