// Tools as agent backends define them: {name, description, requestArgs, responseShape}. The host
// adds two members to every tool: `sessionId` to requestArgs, which it fills in itself, and `state`
// to responseShape.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "tool/definition/tool.h"

namespace host::tool {

inline constexpr std::string_view kSessionId = "sessionId";
inline constexpr std::string_view kState = "state";

// Reads a definition that a client sent. `pointer` is its place in the client's JSON. An Error
// names the wrong member (json/fault.h).
Result<Declaration> declaration_of(const json::Value& definition, std::string_view pointer);

// The definition of any tool, as JSON object text.
std::string definition_of(const Tool& tool);

}  // namespace host::tool
