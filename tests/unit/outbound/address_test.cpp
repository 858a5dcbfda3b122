#include "outbound/address.h"

#include <gtest/gtest.h>

namespace host::outbound {
namespace {

bool open(const char* text) {
  return is_public(boost::asio::ip::make_address(text));
}

TEST(Address, OfTheOpenInternetIsPublic) {
  for (const char* text :
       {"1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.255.255", "172.32.0.0", "100.63.255.255",
        "100.128.0.0", "192.0.1.0", "198.20.0.0", "223.255.255.255", "2606:4700:4700::1111",
        "2a00:1450:4001:80e::200e", "::ffff:8.8.8.8"}) {
    EXPECT_TRUE(open(text)) << text;
  }
}

TEST(Address, OfThisMachineOrItsNetworkIsNot) {
  for (const char* text :
       {"127.0.0.1",       "127.255.255.254", "0.0.0.0",        "0.1.2.3",     "10.0.0.1",
        "10.255.255.255",  "172.16.0.1",      "172.31.255.255", "192.168.0.1", "100.64.0.1",
        "100.127.255.255", "169.254.0.1",     "198.18.0.1",     "::",          "::1",
        "fe80::1",         "febf::1",         "fc00::1",        "fdff::1",     "fec0::1",
        "fe80::1%1"}) {
    EXPECT_FALSE(open(text)) << text;
  }
}

TEST(Address, OfMetadataServicesIsNot) {
  for (const char* text : {"169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192",
                           "168.63.129.16", "fd00:ec2::254"}) {
    EXPECT_FALSE(open(text)) << text;
  }
}

TEST(Address, ForManyForNobodyOrForBooksIsNot) {
  for (const char* text : {"224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
                           "192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "ff02::1",
                           "2001:db8::1", "2001::1", "100::1", "3fff::1", "5f00::1", "4000::1"}) {
    EXPECT_FALSE(open(text)) << text;
  }
}

TEST(Address, InIPv6ClothesIsWhatIsInThem) {
  for (const char* text :
       {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::"}) {
    EXPECT_FALSE(open(text)) << text;
  }
}

}  // namespace
}  // namespace host::outbound
