#include "outbound/address.h"

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <algorithm>
#include <array>

namespace host::outbound {
namespace ip = boost::asio::ip;
namespace {

struct Net4 {
  std::uint32_t base;
  unsigned bits;
};

constexpr std::uint32_t v4(unsigned a, unsigned b, unsigned c, unsigned d) {
  return a << 24u | b << 16u | c << 8u | d;
}

// IANA's IPv4 special-purpose registry, save what is globally reachable there; and multicast.
constexpr std::array kClosed4 = {
    Net4{v4(0, 0, 0, 0), 8},        // this network
    Net4{v4(10, 0, 0, 0), 8},       // private
    Net4{v4(100, 64, 0, 0), 10},    // shared, carriers' NAT; 100.100.100.200 is a metadata service
    Net4{v4(127, 0, 0, 0), 8},      // loopback
    Net4{v4(169, 254, 0, 0), 16},   // link-local; 169.254.169.254 is a metadata service
    Net4{v4(172, 16, 0, 0), 12},    // private
    Net4{v4(192, 0, 0, 0), 24},     // protocol assignments; 192.0.0.192 is a metadata service
    Net4{v4(192, 0, 2, 0), 24},     // documentation
    Net4{v4(192, 31, 196, 0), 24},  // AS112
    Net4{v4(192, 52, 193, 0), 24},  // AMT
    Net4{v4(192, 88, 99, 0), 24},   // 6to4 relays
    Net4{v4(192, 168, 0, 0), 16},   // private
    Net4{v4(192, 175, 48, 0), 24},  // AS112
    Net4{v4(198, 18, 0, 0), 15},    // benchmarks
    Net4{v4(198, 51, 100, 0), 24},  // documentation
    Net4{v4(203, 0, 113, 0), 24},   // documentation
    Net4{v4(224, 0, 0, 0), 3},      // multicast, reserved, broadcast
    Net4{v4(168, 63, 129, 16), 32}  // a cloud's own host, though it looks public
};

constexpr std::array kPrivate4 = {Net4{v4(10, 0, 0, 0), 8}, Net4{v4(172, 16, 0, 0), 12},
                                  Net4{v4(192, 168, 0, 0), 16}};

bool is_in(const Net4& net, std::uint32_t number) {
  return (number ^ net.base) >> (32 - net.bits) == 0;
}

bool is_public(const ip::address_v4& address) {
  const std::uint32_t number = address.to_uint();
  return std::none_of(kClosed4.begin(), kClosed4.end(),
                      [number](const Net4& net) { return is_in(net, number); });
}

bool begins_with(const ip::address_v6::bytes_type& bytes, std::initializer_list<unsigned> head) {
  return std::equal(head.begin(), head.end(), bytes.begin());
}

// Only global unicast, 2000::/3, is handed out at all; of it, these are not for us.
bool is_public(const ip::address_v6& address) {
  const auto bytes = address.to_bytes();
  if (address.is_v4_mapped()) {
    return is_public(ip::make_address_v4(ip::v4_mapped, address));
  }
  if (address.scope_id() != 0) return false;
  if ((bytes[0] & 0xe0u) != 0x20u) return false;  // also ::, ::1, fc00::/7, fe80::/10, 64:ff9b::/96
  if (begins_with(bytes, {0x20, 0x01, 0x0d, 0xb8})) return false;                 // documentation
  if (begins_with(bytes, {0x20, 0x01}) && (bytes[2] & 0xfeu) == 0) return false;  // 2001::/23
  if (begins_with(bytes, {0x20, 0x02})) return false;                             // 6to4
  if (begins_with(bytes, {0x3f, 0xff}) && (bytes[2] & 0xf0u) == 0) return false;  // documentation
  return true;
}

}  // namespace

bool is_public(const ip::address& address) {
  return address.is_v4() ? is_public(address.to_v4()) : is_public(address.to_v6());
}

bool is_private(const ip::address& address) {
  if (address.is_v6()) return (address.to_v6().to_bytes()[0] & 0xfeu) == 0xfcu;
  const std::uint32_t number = address.to_v4().to_uint();
  return std::any_of(kPrivate4.begin(), kPrivate4.end(),
                     [number](const Net4& net) { return is_in(net, number); });
}

}  // namespace host::outbound
