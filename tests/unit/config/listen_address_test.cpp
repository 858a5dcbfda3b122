#include "config/listen_address.h"

#include <gtest/gtest.h>

namespace host::config {
namespace {

TEST(ListenAddress, HasAHostAndAPortOrAPath) {
  EXPECT_EQ(listen_address("127.0.0.1:8808")->host, "127.0.0.1");
  EXPECT_EQ(listen_address("127.0.0.1:8808")->port, 8808);
  EXPECT_EQ(listen_address("[::1]:65535")->port, 65535);
  EXPECT_EQ(listen_address("tools.example:0")->host, "tools.example");
  EXPECT_EQ(listen_address("unix:/run/t.sock")->unix_path, "/run/t.sock");
  EXPECT_TRUE(listen_address("unix:/" + std::string(106, 'a')));
}

TEST(ListenAddress, IsNothingElse) {
  for (const char* const wrong :
       {"",          ":",         ":80",          "foo",          "foo:",
        "foo:65536", "foo:99999", "foo:+1",       "foo:-1",       "foo: 1",
        "foo:1 ",    "foo:0x1",   "evil.com@:80", "a/b:80",       "a b:80",
        "::1:80",    "[::1]",     "[]:80",        "[::g]:80",     "[127.0.0.1]:80",
        "0:80",      "127.1:80",  "1.2.3.4.5:80", "256.0.0.1:80", "0x7f:80",
        "unix:",     "unix:/",    "unix:relative"}) {
    EXPECT_FALSE(listen_address(wrong)) << wrong;
    EXPECT_NE(listen_form(wrong), nullptr) << wrong;
  }
  EXPECT_FALSE(listen_address("unix:/" + std::string(107, 'a')));
}

TEST(ListenAddress, KnowsWhatOnlyThisMachineReaches) {
  for (const char* const own :
       {"127.0.0.1:80", "127.9.8.7:80", "[::1]:80", "[0:0::1]:80", "LocalHost:80", "unix:/a"}) {
    EXPECT_TRUE(listen_address(own)->is_loopback()) << own;
    EXPECT_FALSE(listen_address(own)->is_all_interfaces()) << own;
  }
  for (const char* const reached :
       {"0.0.0.0:80", "[::]:80", "10.0.0.1:80", "127.example.com:80", "localhost.example:80"})
    EXPECT_FALSE(listen_address(reached)->is_loopback()) << reached;
  for (const char* const all : {"0.0.0.0:80", "[::]:80", "[0::0]:80"})
    EXPECT_TRUE(listen_address(all)->is_all_interfaces()) << all;
}

}  // namespace
}  // namespace host::config
