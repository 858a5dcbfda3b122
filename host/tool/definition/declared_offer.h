// Reads resources and prompts as a plugin or an upstream server declares them, one entry at a time.
// An entry is JSON with the members of MCP. All entries are untrusted. Texts follow the rules of
// declared_text.h. Any thread can call these functions.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "tool/definition/offer.h"

namespace host::tool {

// The maximum length of a declared URI or URI template. A URI that a client sends has the same
// maximum length (kMaxUriBytes of tool/provider/offers.h).
inline constexpr std::size_t kMostDeclaredUriBytes = 8192;

// `uri_key` is "uri" for a resource and "uriTemplate" for a template. An Error is a PluginFault
// that names the entry's URI.
Result<Resource> read_resource(const json::Value& object, std::string_view uri_key);

// An Error is a PluginFault that names the prompt.
Result<Prompt> read_prompt(const json::Value& object);

}  // namespace host::tool
