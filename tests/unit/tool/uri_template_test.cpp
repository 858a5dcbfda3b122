#include "tool/definition/uri_template.h"

#include <gtest/gtest.h>

#include <chrono>

#include "support/cpu_time.h"

namespace host::tool {
namespace {

bool matches(std::string_view pattern, std::string_view uri) {
  const auto made = UriTemplate::parse(pattern);
  EXPECT_TRUE(made) << pattern;
  return made && made->matches(uri);
}

TEST(UriTemplate, ASimpleVariableIsOneSegmentOrPartOfOne) {
  EXPECT_TRUE(matches("test://template/{id}/data", "test://template/123/data"));
  EXPECT_TRUE(matches("log://{day}.txt", "log://2026-01-02.txt"));
  EXPECT_TRUE(matches("a:{x}{y}", "a:bc"));
  EXPECT_TRUE(matches("a:{x}-{y}", "a:b-c-d"));
  for (const auto* uri :
       {"test://template//data", "test://template/1/2/data", "test://template/1/data/",
        "test://template/1?x/data", "test://template/1#x/data", "xtest://template/1/data", ""}) {
    EXPECT_FALSE(matches("test://template/{id}/data", uri)) << uri;
  }
  EXPECT_FALSE(matches("a:{x}{y}", "a:b"));  // each stands for one character at least
}

TEST(UriTemplate, AReservedVariableCrossesSegments) {
  EXPECT_TRUE(matches("file:///{+path}", "file:///a/b?c#d"));
  EXPECT_FALSE(matches("file:///{+path}", "file:///"));
  EXPECT_TRUE(matches("x:{+path}/{name}", "x:a/b/c"));
  EXPECT_FALSE(matches("x:{+path}/{name}", "x:a/b/"));
}

TEST(UriTemplate, WithoutVariablesItIsItself) {
  EXPECT_TRUE(matches("a:b", "a:b"));
  EXPECT_FALSE(matches("a:b", "a:bc"));
}

TEST(UriTemplate, KnowsItsVariables) {
  const auto made = UriTemplate::parse("a:{x}/b/{+y}");
  EXPECT_TRUE(made->has("x") && made->has("y"));
  EXPECT_FALSE(made->has("b") || made->has("a:") || made->has("+y"));
}

TEST(UriTemplate, WhatItDoesNotKnowIsRefused) {
  for (const auto* text : {"", "a:{", "a:}", "a:{}", "a:{+}", "a:{?q}", "a:{a,b}", "a:{#f}",
                           "a:{x*}", "a:{x:3}", "a:{x{y}}", "a:{ x }"}) {
    EXPECT_FALSE(UriTemplate::parse(text)) << text;
  }
}

TEST(UriTemplate, HasABoundedNumberOfVariablesAndBytes) {
  const auto fault = [](const std::string& text) {
    const auto made = UriTemplate::parse(text);
    return made ? std::string() : made.error().message;
  };
  std::string many = "a:";
  for (int i = 0; i < 16; ++i) many += "{+x}";
  EXPECT_EQ(fault(many), "");
  EXPECT_NE(fault(many + "{x}").find("more than 16 variables"), std::string::npos);
  const std::string longest = "a:{x}" + std::string(8187, 'b');
  EXPECT_EQ(fault(longest), "");
  const std::string refused = fault(longest + "b");
  EXPECT_NE(refused.find("more than 8192 bytes"), std::string::npos) << refused;
  EXPECT_LT(refused.size(), 200u);
}

// It would be compared with each URI of all others.
TEST(UriTemplate, OneWithoutASchemeIsRefused) {
  for (const auto* text : {"{+a}:", "{a}:b", "ab", "a{x}:b", "{+a}"}) {
    EXPECT_FALSE(UriTemplate::parse(text)) << text;
  }
}

// Tries one way after another.
bool matches_slowly(std::string_view pattern, std::string_view uri) {
  if (pattern.empty()) return uri.empty();
  if (pattern[0] != '{')
    return !uri.empty() && uri[0] == pattern[0] && matches_slowly(pattern.substr(1), uri.substr(1));
  const bool any = pattern[1] == '+';
  const std::string_view rest = pattern.substr(pattern.find('}') + 1);
  for (std::size_t length = 1; length <= uri.size(); ++length) {
    if (!any && uri[length - 1] == '/') return false;
    if (matches_slowly(rest, uri.substr(length))) return true;
  }
  return false;
}

TEST(UriTemplate, MatchesWhateverASearchOfAllWaysMatches) {
  std::vector<std::string> uris = {""};
  for (std::size_t at = 0; at < uris.size() && uris[at].size() < 6; ++at) {
    for (const char next : {'a', 'b', '/'}) uris.push_back(uris[at] + next);
  }
  int matched = 0;
  for (const auto* rest :
       {"", "{x}", "{+x}", "{x}{y}", "{x}{+y}", "{+x}{y}", "a{x}", "{x}a", "{+x}a", "{x}/{y}",
        "{+x}/{y}", "{x}/{+y}", "a{x}b{y}", "{+x}ab{y}a", "{x}aa{+y}", "{+x}a{+y}a{z}"}) {
    const std::string pattern = std::string("a:") + rest;
    for (const std::string& uri : uris) {
      const bool is_match = matches_slowly(pattern, "a:" + uri);
      ASSERT_EQ(matches(pattern, "a:" + uri), is_match) << pattern << " " << uri;
      matched += is_match ? 1 : 0;
    }
  }
  EXPECT_GT(matched, 1'000);
}

// As many as an upstream may list, for as many URIs as a client may subscribe to.
TEST(UriTemplate, ManyHostileTemplatesCostLittle) {
  std::vector<UriTemplate> hostile;
  for (int number = 0; number < 1'000; ++number) {
    std::string pattern = "a:";
    for (int i = 0; i < 15; ++i) pattern += "{+x}";
    hostile.push_back(*UriTemplate::parse(pattern + "Q{+y}"));
  }
  const std::string uri = "a:" + std::string(200, 'x');
  const test::CpuTime cpu;
  for (const UriTemplate& one : hostile) {
    for (int uris = 0; uris < 25; ++uris) ASSERT_FALSE(one.matches(uri));
  }
  EXPECT_LT(cpu.taken(), std::chrono::seconds(10));  // the build may be instrumented
}

TEST(UriTemplate, HostileUrisCostLittle) {
  std::string pattern = "a:";
  for (int i = 0; i < 16; ++i) pattern += "{+x}a";
  const auto made = UriTemplate::parse(pattern + "b");
  ASSERT_TRUE(made);
  const test::CpuTime cpu;
  EXPECT_FALSE(made->matches("a:" + std::string(8000, 'a')));
  EXPECT_LT(cpu.taken(), std::chrono::seconds(10));
}

}  // namespace
}  // namespace host::tool
