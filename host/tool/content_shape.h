// What MCP knows as a content block: text, image, audio, resource and resource_link, each with the
// members that it must have. Older protocol versions are given the newer ones in words
// (protocol/content.h).
#pragma once

#include <string>

#include "json/json.h"

namespace host::tool {

// Why this is none, in words that follow "the block"; empty: it is one.
std::string fault_of_content(const json::Value& block);

// {"uri", "mimeType"?, and either "text" or "blob"}.
bool is_resource_contents(const json::Value& value);

}  // namespace host::tool
