// Checks the content blocks of MCP: text, image, audio, resource and resource_link, each with its
// required members. Clients of older protocol versions get the newer kinds as text
// (protocol/content.h).
#pragma once

#include <string>
#include <string_view>

#include "json/json.h"

namespace host::tool {

// Returns why the block is not valid, as the rest of a sentence that begins with "the block".
// Empty: the block is valid.
std::string fault_of_content(const json::Value& block);

// True for a URI with the scheme `skill`, which only this host may use. Case, spaces and control
// characters do not matter, because clients ignore them.
bool is_skill_uri(std::string_view uri);

// {"uri", "mimeType"?, and either "text" or "blob"}.
bool is_resource_contents(const json::Value& value);

}  // namespace host::tool
