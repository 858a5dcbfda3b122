#include "upstream/oauth/challenge.h"

#include <gtest/gtest.h>

namespace host::upstream::oauth {
namespace {

using Scopes = std::vector<std::string>;

TEST(Challenge, HasTheParametersOfTheFirstBearer) {
  const auto found = read_challenge(
      R"(Basic realm="a, Bearer scope=\"x\"", bearer Error = invalid_token , scope="a b  a",)"
      R"( resource_metadata="https://a.example/m", Bearer scope="second")");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->error, "invalid_token");
  EXPECT_EQ(found->scopes, (Scopes{"a", "b"}));
  EXPECT_EQ(found->resource_metadata, "https://a.example/m");
}

TEST(Challenge, ReadsEscapesAndTheFirstOfTwoValues) {
  const auto found = read_challenge(R"(Bearer error="a\"b", error="c", scope="d\"" )");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->error, "a\"b");
  EXPECT_TRUE(found->scopes.empty());
}

TEST(Challenge, IsFoundBehindASchemeWithOneWord) {
  const auto found = read_challenge("Negotiate a2b4==, Bearer scope=s");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->scopes, Scopes{"s"});
}

TEST(Challenge, IsNotThereWithoutBearer) {
  for (const char* const header :
       {"", "Basic realm=\"Bearer\"", "Bearerish scope=a", ", ,", "=", "\"Bearer\""})
    EXPECT_FALSE(read_challenge(header)) << header;
}

TEST(Challenge, EndsWithAnOpenQuote) {
  const auto found = read_challenge(R"(Bearer scope="a, error="b)");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->scopes, (Scopes{"a,", "error="}));  // commas and = are letters of scopes
  EXPECT_TRUE(read_challenge("Bearer"));
  EXPECT_TRUE(read_challenge("Bearer scope"));
  EXPECT_TRUE(read_challenge("Bearer scope=")->scopes.empty());
}

TEST(Scopes, AreBoundedAndValid) {
  EXPECT_EQ(read_scopes(" a \"b\" c\\ d "), (Scopes{"a", "d"}));
  std::string many;
  for (int i = 0; i < 100; ++i) many += "s" + std::to_string(i) + " ";
  EXPECT_EQ(read_scopes(many).size(), 64u);
  EXPECT_TRUE(read_scopes(std::string(5000, ' ') + "late").empty());
}

TEST(Scopes, AreUnitedEachOnce) {
  Scopes all{"a", "b"};
  unite(all, {"b", "c"});
  EXPECT_EQ(join_scopes(all), "a b c");
  for (int i = 0; i < 1000; ++i) unite(all, {"s" + std::to_string(i)});
  EXPECT_EQ(all.size(), 64u);
  unite(all = {"a"}, {std::string(4095, 'b'), std::string(4094, 'b')});
  EXPECT_EQ(join_scopes(all).size(), 4096u);
}

}  // namespace
}  // namespace host::upstream::oauth
