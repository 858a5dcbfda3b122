#include "transport/address_owner.h"

#include <gtest/gtest.h>

namespace host::transport {
namespace {

TEST(AddressOwner, IsOneForAllOfLoopback) {
  const std::string owner = owner_of_address("127.0.0.1");
  for (const auto* const address : {"127.0.7.4", "127.255.255.254", "::1", "::ffff:127.0.0.9"})
    EXPECT_EQ(owner_of_address(address), owner) << address;
  EXPECT_NE(owner_of_address("128.0.0.1"), owner);
}

TEST(AddressOwner, IsTheNetworkOfAnIpv6Address) {
  EXPECT_EQ(owner_of_address("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(owner_of_address("2001:db8:1:2::9"), "2001:db8:1:2::/64");
  EXPECT_NE(owner_of_address("2001:db8:1:3::9"), "2001:db8:1:2::/64");
}

TEST(AddressOwner, IsTheAddressOtherwise) {
  EXPECT_EQ(owner_of_address("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(owner_of_address("::ffff:192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(owner_of_address("unix"), "unix");
}

}  // namespace
}  // namespace host::transport
