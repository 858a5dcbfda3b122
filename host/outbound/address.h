// Which addresses a request of a plugin, or of anybody who is not the operator, may go to.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace host::outbound {

// Reachable by everybody on the internet: not loopback, private, link-local, unique-local, shared,
// multicast, reserved or for documentation, and not one of those in IPv6's clothes (mapped,
// compatible, 6to4, Teredo, NAT64).
bool is_public(const boost::asio::ip::address& address);

}  // namespace host::outbound
