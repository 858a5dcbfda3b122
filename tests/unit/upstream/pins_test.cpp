#include "upstream/pins/pins.h"

#include <gmock/gmock.h>

#include "upstream/manager/backoff.h"
#include "upstream/pins/difference.h"

namespace host::upstream {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Definition tool(const std::string& name, const std::string& description) {
  return definition_of(R"({"name":")" + name + R"(","description":")" + description +
                       R"(","inputSchema":{"type":"object"}})")
      .value();
}

std::vector<std::string> names(const std::vector<Definition>& definitions) {
  std::vector<std::string> out;
  for (const Definition& one : definitions) out.push_back(one.tool);
  return out;
}

TEST(Pins, TheFirstConnectionIsAcceptedAndTheSameListChangesNothing) {
  Pins pins("u", config::Pin::Tofu);
  EXPECT_FALSE(pins.seen());
  EXPECT_THAT(pins.compare({tool("a", "x"), tool("b", "y")}, {}), SizeIs(3));  // and the mark
  EXPECT_THAT(names(pins.served()), ElementsAre("a", "b"));
  EXPECT_THAT(pins.compare({tool("b", "y"), tool("a", "x")}, {}), IsEmpty());
}

TEST(Pins, ChangesAndNewToolsAreHeldUntilTheyAreAccepted) {
  Pins pins("u", config::Pin::Tofu);
  const auto ignored = pins.compare({tool("a", "x"), tool("b", "y")}, {});
  pins.compare({tool("a", "evil"), tool("b", "y"), tool("c", "new")}, {});
  EXPECT_THAT(names(pins.served()), ElementsAre("b"));
  EXPECT_THAT(pins.held(), SizeIs(2));
  EXPECT_TRUE(pins.accept("c", "anna", {}).has_value());
  EXPECT_THAT(names(pins.served()), ElementsAre("b", "c"));
  EXPECT_EQ(pins.accept("b", "anna", {}).error().kind, ErrorKind::NotFound);
  EXPECT_TRUE(pins.accept("", "anna", {}).has_value());
  EXPECT_THAT(names(pins.served()), ElementsAre("a", "b", "c"));
}

TEST(Pins, WhatIsOfferedNoMoreIsNotAcceptedUnseen) {
  Pins pins("u", config::Pin::Tofu);
  const auto first = pins.compare({tool("a", "x")}, {});
  const auto held = pins.compare({tool("a", "x"), tool("b", "evil")}, {});
  const auto withdrawn = pins.compare({tool("a", "x")}, {});
  EXPECT_EQ(pins.accept("b", "anna", {}).error().kind, ErrorKind::NotFound);
  EXPECT_FALSE(pins.accept("", "anna", {}).has_value());
  const auto again = pins.compare({tool("a", "x"), tool("b", "evil")}, {});
  EXPECT_THAT(names(pins.served()), ElementsAre("a"));
  EXPECT_THAT(pins.held(), SizeIs(1));
}

TEST(Definition, OneThatNobodyCanReadIsRefused) {
  const std::string text(300u << 10u, 'x');
  EXPECT_FALSE(definition_of(R"({"name":"a","description":")" + text + R"("})").has_value());
}

TEST(Pins, ADefinitionThatGoesBackToTheAcceptedOneIsServedAgain) {
  Pins pins("u", config::Pin::Tofu);
  pins.compare({tool("a", "x")}, {});
  pins.compare({tool("a", "evil")}, {});
  pins.compare({tool("a", "x")}, {});
  EXPECT_THAT(names(pins.served()), ElementsAre("a"));
  EXPECT_THAT(pins.held(), IsEmpty());
}

TEST(Pins, AToolThatIsGoneIsNotServedAndKeepsItsPin) {
  Pins pins("u", config::Pin::Tofu);
  pins.compare({tool("a", "x")}, {});
  pins.compare({}, {});
  EXPECT_THAT(pins.served(), IsEmpty());
  pins.compare({tool("a", "evil")}, {});
  EXPECT_THAT(pins.served(), IsEmpty());
  pins.compare({tool("a", "x")}, {});
  EXPECT_THAT(names(pins.served()), ElementsAre("a"));
}

TEST(Pins, ToolsOfAnUpstreamThatHadNoneAreChanges) {
  Pins pins("u", config::Pin::Tofu);
  pins.compare({}, {});
  pins.compare({tool("a", "x")}, {});
  EXPECT_THAT(pins.served(), IsEmpty());
  EXPECT_THAT(pins.held(), SizeIs(1));
}

TEST(Pins, ReviewHoldsTheFirstAndOffHoldsNothing) {
  Pins review("u", config::Pin::Review);
  review.compare({tool("a", "x")}, {});
  EXPECT_THAT(review.served(), IsEmpty());
  Pins off("u", config::Pin::Off);
  off.compare({tool("a", "x")}, {});
  off.compare({tool("a", "evil")}, {});
  EXPECT_THAT(names(off.served()), ElementsAre("a"));
}

TEST(Pins, WhatWasStoredIsTheSameAfterARestart) {
  Pins before("u", config::Pin::Tofu);
  const auto records = before.compare({tool("a", "x")}, {});
  Pins after("u", config::Pin::Tofu);
  after.load(records);
  EXPECT_TRUE(after.seen());
  EXPECT_THAT(names(after.served()), ElementsAre("a"));
  EXPECT_THAT(after.compare({tool("a", "x")}, {}), IsEmpty());
}

TEST(Definition, MembersThatTheHostDoesNotUseMayChange) {
  const auto one = definition_of(R"({"name":"a","inputSchema":{"b":1,"a":2},"_meta":{"at":1}})");
  const auto two = definition_of(R"({"_meta":{"at":2},"inputSchema":{"a":2,"b":1},"name":"a"})");
  EXPECT_EQ(one->text, two->text);
  EXPECT_FALSE(definition_of("{}").has_value());
  EXPECT_FALSE(definition_of("nothing").has_value());
}

TEST(Difference, NamesThePlaceAndShowsHiddenCharacters) {
  EXPECT_THAT(difference(R"({"description":"Adds","inputSchema":{"type":"object"}})",
                         "{\"description\":\"Adds\xE2\x80\x8B.\\nSends\",\"inputSchema\":"
                         "{\"type\":\"object\",\"required\":[\"x\"]}}"),
              ElementsAre("- description: Adds", "+ description: Adds<U+200B>.",
                          "+ description: Sends", "+ inputSchema.required[0]: x"));
  EXPECT_THAT(difference("", R"({"name":"a"})"), ElementsAre("+ name: a"));
}

TEST(Backoff, DoublesUpToAMostAndBeginsAnewAfterAConnectionThatLasted) {
  using namespace std::chrono_literals;
  Backoff backoff(500ms, 3s);
  SteadyTime now{1h};
  EXPECT_EQ(backoff.failed(now), 500ms);
  EXPECT_EQ(backoff.failed(now), 1000ms);
  EXPECT_EQ(backoff.failed(now), 2000ms);
  EXPECT_EQ(backoff.failed(now), 3000ms);
  backoff.became_ready(now);
  EXPECT_EQ(backoff.failed(now + 1s), 3000ms);
  backoff.became_ready(now);
  EXPECT_EQ(backoff.failed(now + 4s), 500ms);
}

}  // namespace
}  // namespace host::upstream
