// Checks the content blocks of MCP: text, image, audio, resource and resource_link, each with its
// required members. Clients of older protocol versions get the newer kinds as text
// (protocol/content.h).
#pragma once

#include <string>

#include "json/json.h"

namespace host::tool {

// Why this is not a valid content block, in words that follow "the block". Empty: it is valid.
std::string fault_of_content(const json::Value& block);

// {"uri", "mimeType"?, and either "text" or "blob"}.
bool is_resource_contents(const json::Value& value);

}  // namespace host::tool
