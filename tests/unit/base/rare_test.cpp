#include "base/rare.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace host {
namespace {

using Rares = Rare<std::vector<int>>;

TEST(Rare, ACopyHasAValueOfItsOwn) {
  Rares one = std::vector<int>{1};
  Rares copy = one;
  copy->push_back(2);
  EXPECT_EQ(*one, (std::vector<int>{1}));
  EXPECT_EQ(*copy, (std::vector<int>{1, 2}));
  copy = one;
  EXPECT_EQ(*copy, *one);
  copy = Rares();
  EXPECT_FALSE(copy);
  EXPECT_TRUE(one);
}

TEST(Rare, AMoveTakesTheValue) {
  Rares one = std::vector<int>{1};
  const Rares moved = std::move(one);
  EXPECT_EQ(*moved, (std::vector<int>{1}));
  EXPECT_TRUE(Rares().emplace().empty());
}

TEST(RareText, IsATextThatMayBeEmpty) {
  RareText text;
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text, "");
  text = "words";
  EXPECT_FALSE(text.empty());
  const RareText copy = text;
  text = "";
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(copy.text(), "words");
}

}  // namespace
}  // namespace host
