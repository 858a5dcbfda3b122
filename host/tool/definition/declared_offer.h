// Resources and prompts as a plugin or an upstream server declares them, one entry at a time: JSON
// with the members of MCP. All of it is untrusted. Texts are read as declared_text.h says. Any
// thread.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "tool/definition/offer.h"

namespace host::tool {

// `uri_key`: "uri", or "uriTemplate" of a template. Errors: PluginFault, with the entry's URI.
Result<Resource> read_resource(const json::Value& object, std::string_view uri_key);

// Errors: PluginFault, with the prompt's name.
Result<Prompt> read_prompt(const json::Value& object);

}  // namespace host::tool
