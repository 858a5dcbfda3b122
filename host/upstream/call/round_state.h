// If an upstream ends a request with questions (protocol version 2026-07-28), its next request gets
// the answers and the upstream's own state. The host adds the server that asked to this state, so
// that no other server gets the state and the answers. The functions have no side effects.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host::upstream {

// Adds `server` to the upstream's own state. `server` is CallSettings::server. `own` can be empty.
std::string bound_state(std::string_view server, std::string_view own);

// Returns true if bound_state() made `state`, for any server.
bool is_asked(std::string_view state);

// Returns the upstream's own state, or nullopt if bound_state() did not make `state` for `server`.
std::optional<std::string> own_state(std::string_view server, std::string_view state);

}  // namespace host::upstream
