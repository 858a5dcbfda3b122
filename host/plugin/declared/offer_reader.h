// Parses and checks a plugin's lists of resources and prompts. The texts of a plugin's lists are
// untrusted.
#pragma once

#include <string_view>

#include "base/result.h"
#include "tool/definition/offer.h"

namespace host::plugin {

// Reads {"resources"?: [...], "resourceTemplates"?: [...]} into offer.resources and
// offer.templates. read_resource_list() refuses the whole list if an entry lacks its URI or name,
// or is a duplicate.
Result<void> read_resource_list(std::string_view text, tool::Offer& offer);

// Reads an array of MCP's Prompt objects into offer.prompts.
Result<void> read_prompt_list(std::string_view text, tool::Offer& offer);

}  // namespace host::plugin
