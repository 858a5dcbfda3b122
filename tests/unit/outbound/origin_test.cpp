#include "outbound/origin.h"

#include <gtest/gtest.h>

namespace host::outbound {
namespace {

std::string origin(const char* url) {
  const auto found = origin_of(url);
  return found ? found->text() : "";
}

TEST(Origin, IsSchemeHostAndPort) {
  EXPECT_EQ(origin("https://API.Example/v1?q#f"), "https://api.example");
  EXPECT_EQ(origin("HTTPS://api.example:443/"), "https://api.example");
  EXPECT_EQ(origin("http://api.example:443/"), "http://api.example:443");
  EXPECT_EQ(origin("https://api.example.:8443"), "https://api.example:8443");
  EXPECT_EQ(origin("https://[::1]:9/"), "https://[::1]:9");
  EXPECT_EQ(origin("https://%61pi.example/"), "https://api.example");
}

TEST(Origin, OfWhatNobodyShouldAskForIsNone) {
  for (const char* url : {"",
                          "api.example",
                          "/path",
                          "//api.example/",
                          "https:api.example",
                          "https:///path",
                          "ftp://api.example/",
                          "file:///etc/passwd",
                          "gopher://api.example/",
                          "https://user@api.example/",
                          "https://user:word@api.example/",
                          "https://@api.example/",
                          "https://api.example:0/",
                          "https://api.example:99999/",
                          "https://api .example/",
                          "https://api.example\r\nX: y/",
                          "https://[::1/",
                          "http://127.0.0.1:80.evil/",
                          "https://2130706433/",
                          "https://127.1/",
                          "https://0x7f.1/",
                          "https://0/",
                          "https://1.2.3.4.5/",
                          "https://a.0x7f/",
                          "https://good.example\\@evil.example/"}) {
    EXPECT_EQ(origin(url), "") << url;
  }
}

bool allows(const std::vector<std::string>& entries, const char* url) {
  return AllowList(entries).allows(origin_of(url).value());
}

TEST(AllowList, AllowsNothingByDefault) {
  EXPECT_FALSE(allows({}, "https://api.example/"));
  EXPECT_TRUE(AllowList().empty());
}

TEST(AllowList, OfOneOriginAllowsNoOther) {
  const AllowList list = AllowList::only(origin_of("https://[2001:db8::1]:8443/a").value());
  EXPECT_TRUE(list.allows(origin_of("https://[2001:db8::1]:8443/b").value()));
  EXPECT_FALSE(list.allows(origin_of("https://[2001:db8::1]/a").value()));
  EXPECT_FALSE(list.allows(origin_of("http://[2001:db8::1]:8443/a").value()));
  EXPECT_FALSE(list.allows(origin_of("https://[2001:db8::2]:8443/a").value()));
}

TEST(AllowList, AllowsExactlyTheOriginThatItNames) {
  EXPECT_TRUE(allows({"https://api.example"}, "https://api.example/any/path"));
  EXPECT_TRUE(allows({"https://api.example:8443"}, "https://api.example:8443/"));
  for (const char* url :
       {"https://api.example:8443/", "http://api.example/", "https://api.example.evil/",
        "https://evil-api.example/", "https://x.api.example/", "https://example/"}) {
    EXPECT_FALSE(allows({"https://api.example"}, url)) << url;
  }
}

TEST(AllowList, AStarBeforeANameStandsForWhatIsBelowIt) {
  EXPECT_TRUE(allows({"https://*.example.org"}, "https://a.example.org/"));
  EXPECT_TRUE(allows({"https://*.example.org"}, "https://a.b.example.org/"));
  for (const char* url :
       {"https://example.org/", "https://evilexample.org/", "https://a.example.org.evil/",
        "http://a.example.org/", "https://a.example.org:444/"}) {
    EXPECT_FALSE(allows({"https://*.example.org"}, url)) << url;
  }
}

TEST(AllowList, AStarAloneStandsForAllByHttpsAndNoOther) {
  EXPECT_TRUE(allows({"*"}, "https://anybody.example:8443/"));
  EXPECT_FALSE(allows({"*"}, "http://anybody.example/"));
  EXPECT_TRUE(allows({"*", "http://127.0.0.1:9000"}, "http://127.0.0.1:9000/"));
}

}  // namespace
}  // namespace host::outbound
