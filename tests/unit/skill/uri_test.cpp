#include "skill/uri.h"

#include <gtest/gtest.h>

#include "skill/media_type.h"

namespace host::skill {
namespace {

TEST(SkillUri, ComesBackAsItWasMade) {
  for (const auto& [name, path] : {std::pair<std::string, std::string>{"invoices", "SKILL.md"},
                                   {"invoices", ""},
                                   {"a b", "references/über 100%?.md"}}) {
    const auto parsed = parse_uri(uri_of(name, path));
    ASSERT_TRUE(parsed) << uri_of(name, path);
    EXPECT_EQ(parsed->skill, name);
    EXPECT_EQ(parsed->path, path);
  }
  EXPECT_EQ(uri_of("a b", "c/d?e"), "skill://a%20b/c/d%3Fe");
}

TEST(SkillUri, RefusesWhatNamesNoFile) {
  for (const char* uri : {"", "skill:", "skill://", "skill:///SKILL.md", "skill://a/",
                          "skill://a/b%2Fc", "skill://a%2Fb/c", "skill://a/%0", "skill://a/%zz",
                          "skill://a/b%00", "SKILL://a/b", "file:///a"}) {
    EXPECT_FALSE(parse_uri(uri)) << uri;
  }
}

TEST(MediaType, FollowsTheEndingAndTheBytes) {
  EXPECT_EQ(media_type("a/SKILL.md", true), "text/markdown");
  EXPECT_EQ(media_type("a.json", true), "application/json");
  EXPECT_EQ(media_type("a.py", true), "text/plain");
  EXPECT_EQ(media_type("a.png", false), "image/png");
  EXPECT_EQ(media_type("a.md", false), "application/octet-stream");
  EXPECT_TRUE(is_text("äöü"));
  EXPECT_FALSE(is_text(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_text("\xff"));
}

}  // namespace
}  // namespace host::skill
