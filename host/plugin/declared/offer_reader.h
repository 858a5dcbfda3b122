// Parses and checks a plugin's lists of resources and prompts. The texts are untrusted.
#pragma once

#include <string_view>

#include "base/result.h"
#include "tool/definition/offer.h"

namespace host::plugin {

// {"resources"?: [...], "resourceTemplates"?: [...]}: fills offer.resources and .templates. The
// whole list is refused if an entry lacks its URI or name, or is a duplicate.
Result<void> read_resource_list(std::string_view text, tool::Offer& offer);

// An array of MCP's Prompt: fills offer.prompts.
Result<void> read_prompt_list(std::string_view text, tool::Offer& offer);

}  // namespace host::plugin
