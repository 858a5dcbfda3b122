// Returns the name under which the quotas count the connections from an address. One machine can
// have many addresses, and must not get a quota for each of its addresses.
#pragma once

#include <string>
#include <string_view>

namespace host::transport {

// The returned name is "loopback" for 127.0.0.0/8 and ::1, which all belong to this machine. For
// IPv6 addresses other than ::1, the name consists of the first 64 bits ("2001:db8::/64"). One
// customer of a network usually has all addresses with the same first 64 bits. The function treats
// an IPv4 address in IPv6 form as IPv4. If the text is not an IP address, owner_of_address()
// returns it unchanged.
std::string owner_of_address(std::string_view address);

}  // namespace host::transport
