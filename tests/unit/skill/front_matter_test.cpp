#include "skill/front_matter.h"

#include <gtest/gtest.h>

namespace host::skill {
namespace {

TEST(FrontMatter, PutsPlainTextsWithColonsInQuotes) {
  EXPECT_EQ(quote_colons("name: x\ndescription: Use when: it's asked\nend: see:\n"),
            "name: x\ndescription: 'Use when: it''s asked'\nend: 'see:'\n");
  const std::string fine =
      "a: 'x: y'\nb: \"x: y\"\nc: {x: y}\nd: |\n  x: y\n  e: f: g\n# f: g: h\n";
  EXPECT_EQ(quote_colons(fine), fine);
}

}  // namespace
}  // namespace host::skill
