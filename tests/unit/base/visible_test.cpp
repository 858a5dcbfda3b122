#include "base/text/visible.h"

#include <gtest/gtest.h>

namespace host {
namespace {

TEST(Visible, MarksWhatAReaderDoesNotSee) {
  for (const char* const hidden :
       {"\u202E", "\u2066", "\u200B", "\u00AD", "\uFEFF", "\a", "\u0085", "\u00A0", "\u3000",
        "\u2028", "\uFE0F", "\u3164", "\U000E0041", "\U000E0101", "\uE000", "\r", "\x1b", "\x7f"}) {
    const std::string shown = marked(std::string("a") + hidden + "b");
    EXPECT_TRUE(shown.starts_with("a<U+") && shown.ends_with(">b")) << shown;
  }
  EXPECT_EQ(marked("\u202E\U000E0041"), "<U+202E><U+E0041>");
}

TEST(Visible, LeavesWhatIsSeen) {
  for (const char* const text : {"abc \n\tdef", "Grüße 😀 שלום 日本語 e\u0301", "{\"a\":1}", ""})
    EXPECT_EQ(marked(text), text);
}

TEST(Visible, ATextOfHiddenCharactersIsBlank) {
  for (const char* const blank : {"", " ", " \n\t", "\u200B\u202E", "\u00A0 \uFEFF"})
    EXPECT_TRUE(is_blank(blank)) << marked(blank);
  for (const char* const text : {"a", " . ", "\u200Bx", "日", "\x9b"}) EXPECT_FALSE(is_blank(text));
}

TEST(Visible, EscapesAsTheFormatHasIt) {
  EXPECT_EQ(marked("\"\u202E\U000E0041\"", Marking::Json), R"("\u202e\udb40\udc41")");
  EXPECT_EQ(marked("\"\u202E\U000E0041\"", Marking::Toml), R"("\u202E\U000E0041")");
}

TEST(Visible, MarksBytesThatAreNoUtf8) {
  EXPECT_EQ(marked("\x9b\x33"), "<0x9B>3");
  EXPECT_EQ(marked("\xc0\xaf"), "<0xC0><0xAF>");            // overlong
  EXPECT_EQ(marked("\xed\xa0\x80"), "<0xED><0xA0><0x80>");  // a surrogate
  EXPECT_EQ(marked("\xe2\x80"), "<0xE2><0x80>");
  EXPECT_EQ(marked("\xf4\x90\x80\x80"), "<0xF4><0x90><0x80><0x80>");
  EXPECT_EQ(marked("\x9b", Marking::Json), "\\ufffd");
}

TEST(Visible, KnowsTheBeginOfACharacter) {
  EXPECT_EQ(unfinished_bytes("a"), 0u);
  EXPECT_EQ(unfinished_bytes("a\xe2"), 1u);
  EXPECT_EQ(unfinished_bytes("a\xe2\x80"), 2u);
  EXPECT_EQ(unfinished_bytes("a\xe2\x80\xae"), 0u);
  EXPECT_EQ(unfinished_bytes("\xf0\x9f\x98"), 3u);
  EXPECT_EQ(unfinished_bytes("\x80\x80\x80\x80"), 0u);
}

}  // namespace
}  // namespace host
