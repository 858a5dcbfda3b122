// A call that makes another: what the other needs to know of it, and what made it in turn.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "tool/tool.h"

namespace host::tool {

// How many calls may stand within each other, the outermost counted.
constexpr std::uint32_t kMostNested = 8;

struct Caller {
  std::string call;  // its id
  std::shared_ptr<const Tool> tool;
  std::string peer;
  SteadyTime deadline{};    // time_point{}: none
  std::uint32_t depth = 1;  // 1: made by a peer
  std::shared_ptr<const Caller> above;
};

}  // namespace host::tool
