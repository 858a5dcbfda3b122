// Checks MCP's content blocks: text, image, audio, resource and resource_link, each with its
// required members. Clients with older protocol versions get the newer kinds of blocks as text
// (protocol/content.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "json/json.h"

namespace host::tool {

// One result may have at most kMostBlocks content blocks.
inline constexpr std::size_t kMostBlocks = 10'000;

// Returns the reason why the content has too many blocks for one result. The text completes a
// sentence that begins with "the content". The returned text is empty if the number of blocks is
// allowed.
std::string fault_of_count(const json::Value& content);

// Returns the reason why the block is not valid. The text completes a sentence that begins with
// "the block". The returned text is empty if the block is valid.
std::string fault_of_content(const json::Value& block);

// Returns true for a URI with the scheme `skill`, which only this host may use. The function
// is_skill_uri() ignores case, spaces and control characters in the scheme, because clients ignore
// them.
bool is_skill_uri(std::string_view uri);

// Returns true for an object {"uri", "mimeType"?, and either "text" or "blob"}.
bool is_resource_contents(const json::Value& value);

}  // namespace host::tool
