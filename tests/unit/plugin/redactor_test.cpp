#include "plugin/wire/redactor.h"

#include <gtest/gtest.h>

#include "base/text/encoding.h"

namespace host::plugin {
namespace {

const Secrets kTwo{{"SHORT", "swordfish"}, {"LONG", "swordfish \"and more\""}, {"NONE", "abc"}};

TEST(Redactor, PutsTheNameInPlaceOfTheValue) {
  const Redactor redact(kTwo);
  EXPECT_EQ(redact("a swordfish, abc"), "a [SHORT], abc");
  EXPECT_EQ(redact("swordfish \"and more\""), "[LONG]");
  EXPECT_EQ(redact(R"({"a":"swordfish \"and more\""})"), R"({"a":"[LONG]"})");
}

// Wherever the secret lies about the end, and whatever stands before it.
TEST(Redactor, CutsNoSecret) {
  constexpr std::size_t kMost = 100;
  const Redactor redact(kTwo);
  for (std::size_t at = 0; at < 200; ++at) {
    for (const std::string_view before : {"", "swordfish swordfish swordfish "}) {
      const std::string text =
          std::string(before) + std::string(at, '.') + "swordfish" + std::string(200, '.');
      const std::string shown = redact.begin_of(text, kMost);
      EXPECT_LE(shown.size(), kMost);
      EXPECT_EQ(shown.find("sw"), std::string::npos) << at << shown;
    }
  }
}

TEST(Redactor, CutsNoCharacter) {
  for (const Redactor& redact : {Redactor(), Redactor(kTwo)}) {
    for (std::size_t at = 0; at < 8; ++at) {
      std::string text(at, '.');
      while (text.size() < 300) text += "\xe2\x82\xac";
      const std::string shown = redact.begin_of(text, 100);
      EXPECT_TRUE(is_utf8(shown));
      EXPECT_GT(shown.size(), 97u);
      EXPECT_TRUE(is_utf8(redact.begin_of("swordfish" + text, 280)));
    }
  }
  EXPECT_EQ(Redactor().begin_of("whole", 5), "whole");
}

}  // namespace
}  // namespace host::plugin
