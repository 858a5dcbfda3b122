// Reads and writes tools in the form in which agent backends define them: {name, description,
// requestArgs, responseShape}. The host adds two members to every tool: `sessionId` in requestArgs,
// whose value the host fills in itself, and `state` in responseShape.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "tool/definition/tool.h"

namespace host::tool {

inline constexpr std::string_view kSessionId = "sessionId";
inline constexpr std::string_view kState = "state";

// Reads a tool definition that a client sent. `pointer` is the JSON Pointer to the definition in
// the client's JSON. An Error says which member of the definition is not valid (json/fault.h).
Result<Declaration> declaration_of(const json::Value& definition, std::string_view pointer);

// Returns the definition of a tool of any provider, as JSON object text.
std::string definition_of(const Tool& tool);

}  // namespace host::tool
