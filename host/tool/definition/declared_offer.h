// Reads resources and prompts in the form in which a plugin or an upstream server declares them,
// one entry at a time. Each entry is the JSON object that MCP defines for a resource or a prompt.
// All entries are untrusted. The texts of an entry follow the rules of declared_text.h. Any thread
// can call the functions of this header.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "tool/definition/offer.h"

namespace host::tool {

// kMostDeclaredUriBytes is the maximum length of a declared URI or URI template. The maximum length
// of the URIs that clients send has the same value (kMaxUriBytes of tool/provider/offers.h).
inline constexpr std::size_t kMostDeclaredUriBytes = 8192;

// `uri_key` is "uri" for a resource and "uriTemplate" for a template. If the resource is not valid,
// the returned Error is a PluginFault that names the entry's URI.
Result<Resource> read_resource(const json::Value& object, std::string_view uri_key);

// If the prompt is not valid, the returned Error is a PluginFault that names the prompt.
Result<Prompt> read_prompt(const json::Value& object);

}  // namespace host::tool
