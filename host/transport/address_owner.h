// Returns the name under which an address is counted for quotas. One machine has many addresses,
// and must not get a quota for each of them.
#pragma once

#include <string>
#include <string_view>

namespace host::transport {

// "loopback" for 127.0.0.0/8 and ::1, which all belong to this machine. For other IPv6 addresses
// the first 64 bits ("2001:db8::/64"), because one customer of a network usually has all addresses
// with these bits. An IPv4 address in IPv6 form is treated as IPv4. Any other text is returned
// unchanged.
std::string owner_of_address(std::string_view address);

}  // namespace host::transport
