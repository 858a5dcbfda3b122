// What a plugin says that it offers, read and checked. The texts are foreign.
#pragma once

#include <string_view>

#include "base/result.h"
#include "tool/offer.h"

namespace host::plugin {

// {"resources"?: [...], "resourceTemplates"?: [...]}: fills offer.resources and .templates. Refused
// whole where an entry lacks its URI or its name, or is there twice.
Result<void> read_resource_list(std::string_view text, tool::Offer& offer);

// An array of MCP's Prompt: fills offer.prompts.
Result<void> read_prompt_list(std::string_view text, tool::Offer& offer);

}  // namespace host::plugin
