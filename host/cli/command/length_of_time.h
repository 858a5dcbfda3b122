// Parses a length of time, like "90d", "12h", "30m" or "2w".
#pragma once

#include <chrono>
#include <string_view>

#include "base/result.h"

namespace host::cli {

// Parses the text. The length of time must be at least one minute and at most ten years.
Result<std::chrono::minutes> length_of_time(std::string_view text);

}  // namespace host::cli
