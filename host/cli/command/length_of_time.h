// A length of time as people type it: "90d", "12h", "30m", "2w".
#pragma once

#include <chrono>
#include <string_view>

#include "base/result.h"

namespace host::cli {

// At least a minute, at most ten years.
Result<std::chrono::minutes> length_of_time(std::string_view text);

}  // namespace host::cli
