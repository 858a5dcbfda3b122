#include "json/schema/regex/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/schema/schema.h"

namespace host::json::schema {
namespace {

bool matches(std::string_view pattern, std::string_view subject) {
  Document schema;
  schema.root().SetObject();
  set(schema.root(), "pattern", string(pattern, schema.allocator()), schema.allocator());
  const auto compiled = Schema::compile(schema.root());
  EXPECT_TRUE(compiled) << pattern << ": " << (compiled ? "" : compiled.error().message);
  Document instance;
  instance.root() = string(subject, instance.allocator());
  return compiled && compiled->accepts(instance.root());
}

TEST(Pattern, MatchesAnywhereUnlessAnchored) {
  EXPECT_TRUE(matches("b", "abc"));
  EXPECT_FALSE(matches("^b", "abc"));
  EXPECT_FALSE(matches("^abc$", "abc\n"));
  EXPECT_TRUE(matches("", ""));
}

TEST(Pattern, ReadsClassesAsEcma262Does) {
  EXPECT_FALSE(matches("^\\d$", "\u09e8"));  // digits, words: ASCII alone
  EXPECT_FALSE(matches("^\\w$", "\u00e9"));
  EXPECT_TRUE(matches("^\\s$", "\u2003"));
  EXPECT_TRUE(matches("^[\\s]$", "\ufeff"));
  EXPECT_FALSE(matches("^\\S$", "\u00a0"));
  EXPECT_TRUE(matches("^[\\S]$", "\u00e9"));
  EXPECT_FALSE(matches("^.$", "\u2028"));
  EXPECT_TRUE(matches("^.$", "\U0001F432"));  // one character, not two
  EXPECT_TRUE(matches("^[^]$", "\n"));
  EXPECT_FALSE(matches("[]", "a"));
  EXPECT_TRUE(matches("^[[:alpha:]]$", ":]"));  // no class of POSIX
  EXPECT_TRUE(matches("^[a&&b]+$", "&b"));
}

TEST(Pattern, ReadsEscapesAsEcma262Does) {
  EXPECT_TRUE(matches("^\\u0041\\x42\\cJ\\0$", std::string_view("AB\n\0", 4)));
  EXPECT_TRUE(matches("^\\ud83d\\udc32\\u{1F432}$", "\U0001F432\U0001F432"));
  EXPECT_TRUE(matches("^[\\b]$", "\b"));
  EXPECT_TRUE(matches("^\\p{Letter}\\p{Lu}\\P{digit}\\p{Script=Greek}$", "a\u00c9-\u03b1"));
  EXPECT_TRUE(matches("^\\-\\/\\.$", "-/."));
  EXPECT_TRUE(matches("^(?<year>\\d{4})-\\k<year>$", "2026-2026"));
  EXPECT_TRUE(matches("^(a)?\\1b$", "b"));
  EXPECT_TRUE(matches("^a{,2}$", "a{,2}"));
  EXPECT_TRUE(matches("^(?=a)(?!ab)a(?<=a)c$", "ac"));
}

TEST(Pattern, RefusesWhatOnlyPcre2Has) {
  for (const char* pattern : {"(?i)a",     "(?>a)",       "(?P<n>a)", "(?#x)a",   "(?|a)",
                              "(*UTF)a",   "a++",         "a*+",      "\\Qa\\E",  "\\Aa",
                              "a\\z",      "\\R",         "\\K",      "\\h",      "\\a",
                              "\\C",       "\\1x(",       "[a",       "a)",       "*a",
                              "a**",       "\\u{110000}", "\\ud83d",  "\\p{Xan}", "\\p{Nonsense}",
                              "\\k<none>", "(?<1a>x)",    "\\"}) {
    EXPECT_FALSE(Pattern::compile(pattern)) << pattern;
  }
}

TEST(Pattern, SaysWhatIsWrong) {
  const auto schema = Schema::compile(R"({"properties":{"a":{"pattern":"(?i)x"}}})");
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error().message,
            "schema at /properties/a/pattern: `pattern` is no regular expression that can be used: "
            "a kind of group that ECMA-262 does not have (at byte 1)");
}

}  // namespace
}  // namespace host::json::schema
