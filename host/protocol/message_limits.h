// Defines limits on one message of a client, in addition to the limits in the configuration.
#pragma once

#include <cstdint>

namespace host::protocol {

// kMostValues is the maximum number of JSON values in a message. The names of members are not
// counted as JSON values. The I/O thread reads and checks each message, and each JSON value takes
// 0.1 to 0.5 us. A client that has more data can send them as one long string or as a file.
inline constexpr std::uint32_t kMostValues = 100'000;

}  // namespace host::protocol
