// MCP's log levels are the severities of syslog. Plugins use the numbers of this header for log
// levels.
#pragma once

#include <optional>
#include <string_view>

namespace host::protocol {

// The numbers are from 0 (debug) to 7 (emergency).
inline constexpr int kInfo = 1;
inline constexpr int kWarning = 3;

std::optional<int> log_level_from(std::string_view name);
std::string_view log_level_name(int level);  // clamps a number outside 0 to 7

}  // namespace host::protocol
