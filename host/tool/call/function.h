// Defines the functions that a call can request from its provider, in the host and in the host's
// worker processes.
#pragma once

#include <cstdint>

namespace host::tool {

// A Function is one of the functions of a provider. Every function except Call puts its answer in
// CallResult::structured. Each of the four check functions has its own form of answer. The answers
// of ReadResource, GetPrompt and Complete have the forms that offer.h describes. The numbers in
// enum Function are part of the wire format between host and worker.
enum class Function : std::uint32_t {
  Call = 0,
  CheckPermissions = 1,
  MatchRule = 2,
  GenerateSuggestions = 3,
  CheckReadOnly = 4,
  // ReadResource, GetPrompt and Complete belong to the provider and to no tool, so Invocation::tool
  // is null.
  ReadResource = 5,  // reads the URI in Invocation::name and has no arguments
  GetPrompt = 6,     // arguments {"name", "arguments": {name: text}}
  Complete = 7,      // arguments {"ref", "argument", "context"} of MCP's completion/complete
  // The host itself calls the List functions, for Provider::offer().
  ListResources = 8,
  ListPrompts = 9,
  // The functions of tp.interceptor/1 run around a call whose tool belongs to a different provider.
  // In a function of tp.interceptor/1, Invocation::name is the name of the intercepted tool, and
  // Invocation::context describes the intercepted call. Each function of tp.interceptor/1 can
  // return an empty answer.
  BeforeCall = 10,
  EnterCall = 11,
  CallMessage = 12,
  LeaveCall = 13,
};

constexpr bool is_interception(Function function) {
  return function >= Function::BeforeCall && function <= Function::LeaveCall;
}

}  // namespace host::tool
