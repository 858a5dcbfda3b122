// Returns the name under which the quotas count an address. One machine has many addresses, and
// must not get a quota for each of them.
#pragma once

#include <string>
#include <string_view>

namespace host::transport {

// The name is "loopback" for 127.0.0.0/8 and ::1, which all belong to this machine. For other IPv6
// addresses, the name consists of the first 64 bits ("2001:db8::/64"), because one customer of a
// network usually has all addresses with these bits. The function treats an IPv4 address in IPv6
// form as IPv4. The function returns any other text unchanged.
std::string owner_of_address(std::string_view address);

}  // namespace host::transport
