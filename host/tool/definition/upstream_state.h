// Defines the beginnings of the states that an upstream's rounds of questions have (Round::state).
#pragma once

#include <string_view>

#include "tool/definition/unbegun.h"

namespace host::tool {

inline constexpr std::string_view kParkedState = "io.toolpost/parked:";
inline constexpr std::string_view kAskedState = "io.toolpost/asked:";

// Returns true if an upstream ended the round with this state.
inline bool is_upstream_state(std::string_view state) {
  return state.starts_with(kParkedState) || state.starts_with(kAskedState) || is_unbegun(state);
}

}  // namespace host::tool
