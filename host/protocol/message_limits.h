// Limits on what a client sends in one message, in addition to those of the configuration.
#pragma once

#include <cstdint>

namespace host::protocol {

// JSON values, without the names of members. A message is read and checked on the I/O thread, and
// each value costs 0.1 to 0.5 us there. Send a larger table as a string or a file.
inline constexpr std::uint32_t kMostValues = 100'000;

}  // namespace host::protocol
