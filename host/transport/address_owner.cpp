#include "transport/address_owner.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdint>

namespace host::transport {
namespace {

constexpr std::string_view kThisMachine = "loopback";
constexpr std::uint8_t kLocalNet = 127;
constexpr std::size_t kMappedBytes = 12;  // before an IPv4 address in IPv6 form
constexpr std::size_t kNetworkBytes = 8;  // a /64

std::string owner_of_v4(const in_addr& address) {
  if (ntohl(address.s_addr) >> 24u == kLocalNet) return std::string(kThisMachine);
  char text[INET_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET, &address, text, sizeof text);
  return text;
}

std::string owner_of_v6(in6_addr address) {
  if (IN6_IS_ADDR_LOOPBACK(&address)) return std::string(kThisMachine);
  std::uint8_t* const bytes = address.s6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    in_addr v4{};
    std::copy_n(bytes + kMappedBytes, sizeof v4, reinterpret_cast<std::uint8_t*>(&v4));
    return owner_of_v4(v4);
  }
  std::fill(bytes + kNetworkBytes, bytes + sizeof address, std::uint8_t{0});
  char text[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET6, &address, text, sizeof text);
  return std::string(text) + "/64";
}

}  // namespace

std::string owner_of_address(std::string_view address) {
  const std::string text(address);
  in_addr v4{};
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) return owner_of_v4(v4);
  in6_addr v6{};
  if (::inet_pton(AF_INET6, text.c_str(), &v6) == 1) return owner_of_v6(v6);
  return text;
}

}  // namespace host::transport
