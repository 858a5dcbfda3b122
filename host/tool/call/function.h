// The functions that a call can request of its provider, in the host and in its workers.
#pragma once

#include <cstdint>

namespace host::tool {

// The provider's function to run. All except Call answer with CallResult::structured: the four
// check functions with their own values, the functions below them as described in offer.h. The
// numbers are part of the wire format between host and worker.
enum class Function : std::uint32_t {
  Call = 0,
  CheckPermissions = 1,
  MatchRule = 2,
  GenerateSuggestions = 3,
  CheckReadOnly = 4,
  // Functions of the provider, not of a tool: Invocation::tool is null.
  ReadResource = 5,  // of the URI Invocation::name; there are no arguments
  GetPrompt = 6,     // arguments {"name", "arguments": {name: text}}
  Complete = 7,      // arguments {"ref", "argument", "context"} of MCP's completion/complete
  // Called by the host itself, for Provider::offer().
  ListResources = 8,
  ListPrompts = 9,
  // The functions of tp.interceptor/1, which run around a call of a tool of a different provider.
  // Invocation::name is that tool, Invocation::context describes the call. Each function may return
  // an empty answer.
  BeforeCall = 10,
  EnterCall = 11,
  CallMessage = 12,
  LeaveCall = 13,
};

constexpr bool is_interception(Function function) {
  return function >= Function::BeforeCall && function <= Function::LeaveCall;
}

}  // namespace host::tool
