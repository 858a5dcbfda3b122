// What a nested call needs to know about its outer call, and about the calls further out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "tool/tool.h"

namespace host::tool {

// The deepest nesting of calls, including the outermost.
constexpr std::uint32_t kMostNested = 8;

struct Caller {
  std::string call;  // the outer call's id
  std::shared_ptr<const Tool> tool;
  std::string peer;
  SteadyTime deadline{};    // time_point{}: no deadline
  std::uint32_t depth = 1;  // 1: made by a client
  std::shared_ptr<const Caller> above;
};

}  // namespace host::tool
