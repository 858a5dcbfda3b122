// Classifies IP addresses. Requests that a plugin or a client causes may go only to public
// addresses and to addresses that the configuration allows.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace host::outbound {

// Returns true for addresses on the public internet. The function returns false for loopback,
// private, link-local, unique-local, shared, multicast, reserved and documentation addresses.
// is_public() also returns false for IPv6 addresses that contain a non-public IPv4 address (mapped,
// compatible, 6to4, Teredo, NAT64).
bool is_public(const boost::asio::ip::address& address);

// Returns true for addresses of private networks: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and
// fc00::/7. The result is false for loopback addresses, and for link-local addresses, which
// metadata services use.
bool is_private(const boost::asio::ip::address& address);

}  // namespace host::outbound
