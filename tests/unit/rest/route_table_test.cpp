#include "rest/route/route_table.h"

#include <gtest/gtest.h>

namespace host::rest {
namespace {

struct Row {
  std::string_view path;
  std::string_view method;
  int scope;
};

constexpr Row kRows[] = {
    {"/v1/things", "GET", 1},
    {"/v1/things/*", "GET", 1},
    {"/v1/things/*", "DELETE", 4},
};

TEST(RouteTable, FindsARowByMethodAndPathTogether) {
  EXPECT_EQ(row_for(kRows, "GET", "/v1/things/a")->scope, 1);
  EXPECT_EQ(row_for(kRows, "HEAD", "/v1/things/a")->scope, 1);
  EXPECT_EQ(row_for(kRows, "DELETE", "/v1/things/a")->scope, 4);
  EXPECT_EQ(row_for(kRows, "POST", "/v1/things/a"), nullptr);
  EXPECT_EQ(row_for(kRows, "DELETE", "/v1/things"), nullptr);
  for (const std::string_view path : {"/v1/things/", "/v1/things/a/b", "/v1/thing", "/v1/things//"})
    EXPECT_EQ(row_for(kRows, "GET", path), nullptr) << path;
}

TEST(RouteTable, GivesEachIdOfAPath) {
  constexpr std::string_view kHeartbeat = "/v1/request/*/*/heartbeat";
  EXPECT_TRUE(matches(kHeartbeat, "/v1/request/s/r/heartbeat"));
  for (const std::string_view path :
       {"/v1/request/s/heartbeat", "/v1/request//r/heartbeat", "/v1/request/s/r/heartbeat/",
        "/v1/request/s/r/heartbeats", "/v1/request/s/r", "v1/request/s/r/heartbeat",
        "/v1/requests/s/r/heartbeat", "/v1/reques/s/r/heartbeat", "/v1/request/", ""})
    EXPECT_FALSE(matches(kHeartbeat, path)) << path;
  EXPECT_EQ(ids_in(kHeartbeat, "/v1/request/s/r/heartbeat"), (std::vector<std::string>{"s", "r"}));
  EXPECT_TRUE(ids_in("/v1/things", "/v1/things").empty());
}

TEST(RouteTable, TellsRowsThatCouldAnswerTheSameRequest) {
  const auto both = [](std::string_view a, std::string_view b) {
    const Row one{a, "GET", 1};
    const Row other{b, "GET", 4};
    EXPECT_EQ(overlap(one, other), overlap(other, one));
    return overlap(one, other);
  };
  EXPECT_TRUE(both("/v1/a", "/v1/a"));
  EXPECT_TRUE(both("/v1/a/*", "/v1/a/*"));
  EXPECT_TRUE(both("/v1/a/*", "/v1/a/b"));
  EXPECT_FALSE(both("/v1/a/*", "/v1/a"));
  EXPECT_FALSE(both("/v1/a/*", "/v1/a/b/c"));
  EXPECT_FALSE(both("/v1/a/*", "/v1/b/*"));
  EXPECT_FALSE(both("/v1/a/*", "/v1/a/b/*"));
  EXPECT_TRUE(both("/v1/a/*/c", "/v1/a/b/*"));
  EXPECT_TRUE(both("/v1/*/*", "/v1/a/b"));
  EXPECT_FALSE(both("/v1/a/*/c", "/v1/a/*/d"));
  EXPECT_FALSE(both("/v1/a/*/c", "/v1/b/*/*"));
  EXPECT_FALSE(overlap(Row{"/v1/a", "GET", 1}, Row{"/v1/a", "POST", 4}));
}

TEST(RouteTable, IsOneRowForEachRequest) {
  constexpr Row kBad[] = {{"/v1/a/b", "GET", 1}, {"/v1/c", "GET", 1}, {"/v1/a/*", "GET", 4}};
  static_assert(!each_request_has_one_row(kBad));
  constexpr Row kGood[] = {{"/v1/a/b", "GET", 1}, {"/v1/a/*", "DELETE", 4}};
  static_assert(each_request_has_one_row(kGood));
}

}  // namespace
}  // namespace host::rest
