// Who is behind an address, as far as quotas can tell. Everything that is counted by address counts
// by this name: one machine has many addresses and must not have as many quotas.
#pragma once

#include <string>
#include <string_view>

namespace host::transport {

// "loopback" for 127.0.0.0/8 and ::1, which are all this machine. The first 64 bits of any other
// IPv6 address: one customer of a network has at least these ("2001:db8::/64"). An IPv4 address in
// IPv6 form counts as IPv4. Any other text stays as it is.
std::string owner_of_address(std::string_view address);

}  // namespace host::transport
