#include "rest/wire/parameters.h"

#include <gtest/gtest.h>

namespace host::rest {
namespace {

Result<Parameters> read(std::string_view query) {
  return read_parameters(query, {"state", "limit"});
}

TEST(Parameters, AreWordsByTheirNames) {
  EXPECT_EQ(read("").value(), Parameters());
  EXPECT_EQ(read("state=all&limit=5").value(), (Parameters{{"limit", "5"}, {"state", "all"}}));
  EXPECT_EQ(read("stat%65=a%20b").value(), (Parameters{{"state", "a b"}}));
  EXPECT_EQ(read("state=a+b%2Bc").value(), (Parameters{{"state", "a b+c"}}));
}

TEST(Parameters, EndWhereTheQueryEnds) {
  const std::string request = "limit=5&state=all HTTP/1.1\r\nAuthorization: secret";
  EXPECT_EQ(read(std::string_view(request).substr(0, 17)).value(),
            (Parameters{{"limit", "5"}, {"state", "all"}}));
  EXPECT_EQ(read(std::string_view("state=allies").substr(0, 9)).value(),
            (Parameters{{"state", "all"}}));
}

TEST(Parameters, WhatIsUnknownTwiceOrNoQueryIsAFault) {
  EXPECT_FALSE(read("States=all"));
  EXPECT_FALSE(read("state=all&state=all"));
  EXPECT_FALSE(read("state=a%2"));
  EXPECT_FALSE(read("state=a b"));
}

}  // namespace
}  // namespace host::rest
