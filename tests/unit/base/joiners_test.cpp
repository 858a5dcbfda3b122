#include "base/text/joiners.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/text/visible.h"

namespace host {
namespace {

TEST(Joiners, StayWhereScriptsAndEmojiNeedThem) {
  for (const char* const text :
       {"\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645",            // Persian
        "\u0915\u094D\u200D\u0937", "\u0DC1\u0DCA\u200D\u0DBB\u0DD3",  // Devanagari, Sinhala
        "\u2764\uFE0F", "1\uFE0F\u20E3", "\U0001F468\u200D\U0001F4BB",
        "\U0001F3F3\uFE0F\u200D\U0001F308", "\U0001F469\U0001F3FD\u200D\U0001F680"}) {
    EXPECT_EQ(marked_prose(text), text);
    EXPECT_NE(marked(text), text);
  }
}

TEST(Joiners, AreMarkedWhereTheyHide) {
  const std::pair<const char*, const char*> texts[] = {
      {"rm\u200D -rf", "rm<U+200D> -rf"},
      {"a\u200Cb", "a<U+200C>b"},
      {"\u200D\u06CC", "<U+200D>\u06CC"},
      {"\u06CC\u200C", "\u06CC<U+200C>"},
      {"\u06CC\u200C\u200C\u06CC", "\u06CC<U+200C><U+200C>\u06CC"},
      {"\u06CC\u200Ca", "\u06CC<U+200C>a"},
      {"x\uFE0F", "x<U+FE0F>"},
      {"1\uFE0F", "1<U+FE0F>"},
      {"\u2764\uFE0F\uFE0F", "\u2764\uFE0F<U+FE0F>"},
      {"\u2764\u200C\u2764", "\u2764<U+200C>\u2764"},
      {"\u2764\u200Da", "\u2764<U+200D>a"},
      {"\u061C\u200C\u06CC", "<U+061C><U+200C>\u06CC"},
      {"\u200D", "<U+200D>"},
      {"a\u202E\xff", "a<U+202E><0xFF>"},
  };
  for (const auto& [text, shown] : texts) EXPECT_EQ(marked_prose(text), shown);
}

}  // namespace
}  // namespace host
