#include "upstream/pins/pins.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "upstream/connection/budget.h"
#include "upstream/connection/flood.h"
#include "upstream/manager/definition_jobs.h"
#include "upstream/pins/difference.h"
#include "upstream/provider/tool_name.h"

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

auto accept(Pins& pins, const std::string& what) {
  return pins.accept(what, pins.digest_held(what), "anna", {});
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
  EXPECT_TRUE(accept(pins, "c").has_value());
  EXPECT_THAT(names(pins.served()), ElementsAre("b", "c"));
  EXPECT_EQ(accept(pins, "b").error().kind, ErrorKind::NotFound);
  EXPECT_TRUE(accept(pins, "").has_value());
  EXPECT_THAT(names(pins.served()), ElementsAre("a", "b", "c"));
}

// The records of a host that has read a change before another host with the same store.
class TwoHosts : public ::testing::Test {
 protected:
  TwoHosts() {
    const auto read = here_.compare({tool("a", "x"), tool("b", "y")}, {});
    there_.load(read);
    there_.compare({tool("a", "new"), tool("b", "y")}, {});
  }
  Pins here_{"u", config::Pin::Tofu};
  Pins there_{"u", config::Pin::Tofu};
};

TEST_F(TwoHosts, WhatWaitsAtTheOtherHostIsFound) {
  const auto elsewhere = here_.held_elsewhere(there_.records());
  ASSERT_THAT(elsewhere, SizeIs(1));
  EXPECT_EQ(elsewhere[0].tool, "a");
  EXPECT_THAT(there_.held_elsewhere(there_.records()), IsEmpty());
  EXPECT_THAT(Pins("v", config::Pin::Tofu).held_elsewhere(there_.records()), IsEmpty());
  EXPECT_THAT(Pins("u", config::Pin::Off).held_elsewhere(there_.records()), IsEmpty());
  here_.compare({tool("a", "new"), tool("b", "y")}, {});
  EXPECT_THAT(here_.held_elsewhere(there_.records()), IsEmpty());
  auto before = there_.records();
  ASSERT_TRUE(accept(here_, "").has_value());
  EXPECT_THAT(here_.held_elsewhere(before), IsEmpty());  // the store is not written yet
}

TEST_F(TwoHosts, WhatWasAcceptedAtTheOtherHostIsServedOnceItIsRead) {
  ASSERT_TRUE(accept(there_, "a").has_value());
  here_.accepted_elsewhere(there_.records());
  EXPECT_THAT(names(here_.served()), ElementsAre("a", "b"));
  EXPECT_THAT(here_.compare({tool("a", "x"), tool("b", "y")}, {}), IsEmpty());
  here_.compare({tool("a", "evil"), tool("b", "y")}, {});
  EXPECT_THAT(names(here_.served()), ElementsAre("b"));
  const auto changed = here_.compare({tool("a", "new"), tool("b", "y")}, {});
  ASSERT_THAT(changed, SizeIs(1));
  EXPECT_EQ(changed[0].by, "anna");
  EXPECT_EQ(changed[0].accepted, there_.records().at(1).accepted);
  EXPECT_THAT(names(here_.served()), ElementsAre("a", "b"));
  here_.compare({tool("a", "x"), tool("b", "y")}, {});
  EXPECT_THAT(here_.held(), SizeIs(1));  // the earlier one counts no more
}

TEST_F(TwoHosts, WhatWasAcceptedElsewhereCountsUntilAnotherDefinitionIsAcceptedHere) {
  ASSERT_TRUE(accept(there_, "a").has_value());
  here_.accepted_elsewhere(there_.records());
  here_.compare({tool("a", "newer"), tool("b", "y")}, {});
  ASSERT_TRUE(accept(here_, "a").has_value());
  here_.compare({tool("a", "new"), tool("b", "y")}, {});
  EXPECT_THAT(names(here_.served()), ElementsAre("b"));
  EXPECT_THAT(here_.held(), SizeIs(1));
}

TEST_F(TwoHosts, WhatWasAcceptedElsewhereCountsUntilTheOtherHostGoesBack) {
  ASSERT_TRUE(accept(there_, "a").has_value());
  here_.accepted_elsewhere(there_.records());
  there_.compare({tool("a", "x"), tool("b", "y")}, {});
  ASSERT_TRUE(accept(there_, "a").has_value());
  here_.accepted_elsewhere(there_.records());
  here_.compare({tool("a", "new"), tool("b", "y")}, {});
  EXPECT_THAT(names(here_.served()), ElementsAre("b"));
  EXPECT_THAT(here_.held(), SizeIs(1));
}

TEST_F(TwoHosts, WhatNobodyAcceptedElsewhereDoesNotCount) {
  for (const config::Pin mode : {config::Pin::Off, config::Pin::Tofu}) {
    Pins other("u", mode);
    other.compare({tool("a", "new"), tool("b", "y")}, {});
    here_.accepted_elsewhere(other.records());
    here_.compare({tool("a", "new"), tool("b", "y")}, {});
    EXPECT_THAT(names(here_.served()), ElementsAre("b"));
  }
}

TEST_F(TwoHosts, WhatTheStoreHasFromBeforeAnAcceptanceHereDoesNotCount) {
  const auto at = [](int second) { return WallTime(std::chrono::seconds(second)); };
  ASSERT_TRUE(there_.accept("a", there_.digest_held("a"), "anna", at(1)).has_value());
  here_.compare({tool("a", "newer"), tool("b", "y")}, at(2));
  ASSERT_TRUE(here_.accept("a", here_.digest_held("a"), "anna", at(3)).has_value());
  here_.accepted_elsewhere(there_.records());
  here_.compare({tool("a", "new"), tool("b", "y")}, at(4));
  EXPECT_THAT(names(here_.served()), ElementsAre("b"));
}

TEST_F(TwoHosts, WhatWasAcceptedElsewhereGoesWithTheToolThatIsDropped) {
  Pins small("u", config::Pin::Tofu, nullptr, {0, 0});
  small.compare({tool("a", "x"), tool("b", "y")}, {});
  ASSERT_TRUE(accept(there_, "a").has_value());
  small.accepted_elsewhere(there_.records());
  small.compare({tool("b", "y")}, {});
  small.compare({tool("a", "new"), tool("b", "y")}, {});
  EXPECT_THAT(names(small.served()), ElementsAre("b"));
}

TEST_F(TwoHosts, ASuccessorRemembersWhatWasAcceptedElsewhere) {
  ASSERT_TRUE(accept(there_, "a").has_value());
  here_.accepted_elsewhere(there_.records());
  Pins after("u", config::Pin::Tofu);
  after.remember_as(here_);
  after.load(here_.records());
  after.compare({tool("a", "new"), tool("b", "y")}, {});
  EXPECT_THAT(names(after.served()), ElementsAre("a", "b"));
  Pins late("u", config::Pin::Tofu);
  late.remember_as(here_);
  late.load(there_.records());  // it has the same definition
  late.compare({tool("a", "evil"), tool("b", "y")}, {});
  ASSERT_TRUE(accept(late, "a").has_value());
  late.compare({tool("a", "new"), tool("b", "y")}, {});
  EXPECT_THAT(names(late.served()), ElementsAre("b"));
}

TEST_F(TwoHosts, WhatTheUpstreamNoLongerOffersDoesNotWaitAtTheOtherHost) {
  using std::chrono::milliseconds;
  const auto at = [](int time) { return WallTime(milliseconds(time)); };
  there_.compare({tool("a", "newer"), tool("b", "y"), tool("c", "z")}, at(10));
  EXPECT_THAT(here_.held_elsewhere(there_.records(), at(10)), SizeIs(2));
  EXPECT_THAT(here_.held_elsewhere(there_.records(), at(11)), IsEmpty());
}

// Its records are there, and it writes none.
class FullStore : public store::PinStore {
 public:
  explicit FullStore(std::vector<store::PinRecord> records) : records_(std::move(records)) {}
  Result<std::vector<store::PinRecord>> list() override { return records_; }
  Result<std::vector<store::PinRecord>> held() override { return records_; }
  Result<void> put(const std::vector<store::PinRecord>&) override {
    return Error{ErrorKind::Io, "the disk is full"};
  }
  Result<void> put_accepted(const std::vector<store::PinRecord>& records) override {
    return put(records);
  }
  Result<std::vector<store::PinRecord>> put_first(std::string_view,
                                                  const std::vector<store::PinRecord>&) override {
    return Error{ErrorKind::Io, "the disk is full"};
  }
  Result<void> forget(std::string_view) override {
    return Error{ErrorKind::Io, "the disk is full"};
  }

 private:
  const std::vector<store::PinRecord> records_;
};

TEST_F(TwoHosts, AnErrorOfTheStoreIsNoAnswerAboutWhatWaits) {
  FullStore store(there_.records());
  Pins pins("u", config::Pin::Tofu);
  const auto failed = pins.accept_in(store, "a", there_.digest_held("a"), "anna", {});
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().message, "the disk is full");
  const auto other = Pins("u", config::Pin::Tofu).accept_in(store, "b", "sha256:0", "anna", {});
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->accepted.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(other->records, there_.records());
}

// Another host read it before this host's last list, which does not contain it.
TEST_F(TwoHosts, WhatIsNotShownIsNotAccepted) {
  using std::chrono::milliseconds;
  const auto accept_after = [this](int last_list) {
    auto records = there_.records();
    class Held final : public FullStore {
     public:
      using FullStore::FullStore;
      Result<std::vector<store::PinRecord>> list() override {
        return std::vector<store::PinRecord>();
      }
    } held(std::move(records));
    Pins pins("u", config::Pin::Tofu);
    return pins.accept_in(held, "a", there_.digest_held("a"), "anna", {},
                          WallTime(milliseconds(last_list)));
  };
  there_.compare({tool("a", "newer"), tool("b", "y")}, WallTime(milliseconds(10)));
  EXPECT_FALSE(accept_after(10).has_value()) << "it is accepted, and the store is full";
  ASSERT_TRUE(accept_after(11).has_value());
  EXPECT_EQ(accept_after(11)->accepted.error().kind, ErrorKind::NotFound);
}

TEST(Pins, WhatWasAcceptedElsewhereTakesNoNameOfAnAcceptedTool) {
  const auto here = [](std::string_view tool) { return served_name("u", tool); };
  Pins pins("u", config::Pin::Tofu, here);
  pins.compare({tool("a b", "x")}, {});
  Pins other("u", config::Pin::Review, here);
  other.compare({tool("a_b", "evil")}, {});
  ASSERT_TRUE(accept(other, "").has_value());
  pins.accepted_elsewhere(other.records());
  pins.compare({tool("a b", "x"), tool("a_b", "evil")}, {});
  EXPECT_THAT(names(pins.served()), ElementsAre("a b"));
  EXPECT_THAT(pins.held(), SizeIs(1));
}

TEST(Pins, OneOfTwoToolsWithTheSameNameHereIsAccepted) {
  Pins pins("u", config::Pin::Tofu, [](std::string_view tool) { return served_name("u", tool); });
  const auto first = pins.compare({tool("a b", "x"), tool("a_b", "evil")}, {});
  EXPECT_THAT(names(pins.served()), ElementsAre("a b"));
  EXPECT_THAT(pins.held(), SizeIs(1));
  EXPECT_EQ(accept(pins, "a_b").error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(accept(pins, "").error().kind, ErrorKind::InvalidArgument);
  pins.compare({tool("a_b", "evil")}, {});  // the first one is withdrawn
  EXPECT_THAT(pins.served(), IsEmpty());
  const auto accepted = accept(pins, "a_b");
  ASSERT_TRUE(accepted.has_value());
  EXPECT_THAT(*accepted, SizeIs(2));  // and the withdrawn one, which is dropped
  EXPECT_THAT(pins.tools(), ElementsAre("a_b"));
  pins.compare({tool("a b", "x"), tool("a_b", "evil")}, {});
  EXPECT_THAT(names(pins.served()), ElementsAre("a_b"));
}

TEST(Pins, AllWaitingToolsAreAcceptedButThoseWithTheNameOfAnother) {
  Pins pins("u", config::Pin::Review, [](std::string_view tool) { return served_name("u", tool); });
  pins.compare({tool("a b", "x"), tool("a_b", "evil"), tool("c", "x")}, {});
  ASSERT_TRUE(accept(pins, "").has_value());
  EXPECT_THAT(names(pins.served()), ElementsAre("a b", "c"));
  EXPECT_THAT(pins.held(), SizeIs(1));
}

TEST(Pins, WhatIsOfferedNoMoreIsNotAcceptedUnseen) {
  Pins pins("u", config::Pin::Tofu);
  const auto first = pins.compare({tool("a", "x")}, {});
  const auto held = pins.compare({tool("a", "x"), tool("b", "evil")}, {});
  const auto withdrawn = pins.compare({tool("a", "x")}, {});
  EXPECT_EQ(accept(pins, "b").error().kind, ErrorKind::NotFound);
  EXPECT_FALSE(accept(pins, "").has_value());
  const auto again = pins.compare({tool("a", "x"), tool("b", "evil")}, {});
  EXPECT_THAT(names(pins.served()), ElementsAre("a"));
  EXPECT_THAT(pins.held(), SizeIs(1));
}

TEST(Pins, WhatChangedAgainSinceTheReviewIsNotAccepted) {
  Pins pins("u", config::Pin::Tofu);
  pins.compare({tool("a", "x")}, {});
  pins.compare({tool("a", "better")}, {});
  const std::string seen = pins.digest_held("a");
  const std::string seen_all = pins.digest_held("");
  pins.compare({tool("a", "evil"), tool("b", "new")}, {});
  EXPECT_EQ(pins.accept("a", seen, "anna", {}).error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(pins.accept("", seen_all, "anna", {}).error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(pins.accept("a", "", "anna", {}).error().kind, ErrorKind::InvalidArgument);
  EXPECT_THAT(pins.held(), SizeIs(2));
  EXPECT_THAT(pins.served(), IsEmpty());
}

TEST(Pins, ADecisionIsLaterThanThoseBeforeItAlsoIfTheClockWasSetBack) {
  const auto at = [](int second) { return WallTime(std::chrono::seconds(second)); };
  const auto changed_of = [](const Pins& pins) { return pins.records().back().changed; };
  Pins pins("u", config::Pin::Tofu);
  pins.compare({tool("a", "x")}, at(50));
  pins.compare({tool("a", "y")}, at(10));
  ASSERT_TRUE(pins.accept("a", pins.digest_held("a"), "anna", at(20)));
  EXPECT_GT(changed_of(pins), at(50));
  EXPECT_LT(changed_of(pins), at(51));
  Pins elsewhere("u", config::Pin::Tofu);
  elsewhere.load(pins.records());
  elsewhere.compare({tool("a", "z")}, at(70));
  ASSERT_TRUE(elsewhere.accept("a", elsewhere.digest_held("a"), "anna", at(70)));
  pins.accepted_elsewhere(elsewhere.records());
  pins.compare({tool("a", "other")}, at(30));
  ASSERT_TRUE(pins.accept("a", pins.digest_held("a"), "anna", at(30)));
  EXPECT_GT(changed_of(pins), at(70));
  Pins off("u", config::Pin::Off);
  off.load(pins.records());
  off.compare({tool("a", "newest")}, at(40));
  EXPECT_GT(changed_of(off), at(70));
}

TEST(Pins, TheDigestOfTheOnlyWaitingDefinitionNeedsNoName) {
  Pins pins("u", config::Pin::Review);
  pins.compare({tool("a", "x"), tool("b", "x")}, {});
  const std::string of_a = pins.digest_held("a");
  const auto refused = pins.accept("", of_a, "anna", {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("that of \"a\" alone, and 2 changes"));
  EXPECT_EQ(pins.digest_fault("", pins.digest_held(""), "diff u"), "");
  ASSERT_TRUE(pins.accept("b", pins.digest_held("b"), "anna", {}));
  EXPECT_EQ(pins.digest_fault("", of_a, "diff u"), "");
  EXPECT_THAT(pins.digest_fault("", "sha256:0", "diff u"), ::testing::HasSubstr("`diff u`"));
  ASSERT_TRUE(pins.accept("", of_a, "anna", {}));
  EXPECT_THAT(names(pins.served()), ElementsAre("a", "b"));
  EXPECT_EQ(pins.digest_fault("", "sha256:0", "diff u"), "");  // nothing waits
}

TEST(Pins, AWithdrawnToolThatNobodyAcceptedIsForgotten) {
  Pins pins("u", config::Pin::Tofu);
  pins.compare({tool("a", "x")}, {});
  pins.compare({tool("a", "x"), tool("b", "evil")}, {});
  const auto changed = pins.compare({tool("a", "x")}, {});
  ASSERT_THAT(changed, SizeIs(1));
  EXPECT_EQ(changed[0].tool, "b");
  EXPECT_TRUE(changed[0].accepted.empty() && changed[0].held.empty() && !changed[0].offered);
}

TEST(Pins, OnlySoManyWithdrawnToolsAreKeptAndADroppedOneWaitsWhenItComesBack) {
  Pins pins("u", config::Pin::Tofu, nullptr, {2, 1u << 20u});
  const auto at = [](int second) { return WallTime(std::chrono::seconds(second)); };
  pins.compare({tool("a", "x"), tool("b", "x"), tool("c", "x"), tool("d", "x")}, at(1));
  pins.compare({tool("a", "y"), tool("b", "x"), tool("c", "x"), tool("d", "x")}, at(2));
  ASSERT_TRUE(pins.accept("a", pins.digest_held("a"), "anna", at(3)));
  const auto changed = pins.compare({tool("d", "x")}, at(4));
  EXPECT_THAT(changed, SizeIs(3));
  EXPECT_EQ(std::count_if(changed.begin(), changed.end(),
                          [](const auto& one) { return one.accepted.empty(); }),
            1);
  pins.compare({tool("a", "y"), tool("b", "x"), tool("c", "x"), tool("d", "x")}, at(5));
  EXPECT_THAT(names(pins.served()), ElementsAre("a", "b", "d"));
  EXPECT_THAT(pins.held(), SizeIs(1));
}

TEST(Pins, AnUpstreamThatAlwaysHasOtherToolsDoesNotGrow) {
  Pins off("u", config::Pin::Off, nullptr, {3, 1u << 20u});
  std::map<std::string, store::PinRecord> stored;
  for (int i = 0; i < 50; ++i) {
    for (const auto& record : off.compare({tool("t" + std::to_string(i), "x")}, {})) {
      const bool gone = !record.tool.empty() && !record.offered && record.accepted.empty();
      gone ? void(stored.erase(record.tool)) : void(stored[record.tool] = record);
    }
  }
  EXPECT_THAT(stored, SizeIs(1 + 1 + 3));  // the mark, the last, and those that are kept
  Pins small("u", config::Pin::Off, nullptr, {100, 200});
  small.compare({tool("a", std::string(150, 'x')), tool("b", std::string(150, 'x'))}, {});
  EXPECT_THAT(small.compare({}, {}), SizeIs(2));
  small.compare({tool("a", "x")}, {});
  EXPECT_THAT(names(small.served()), ElementsAre("a"));
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
  const auto one = definition_of(R"({"name":"a","inputSchema":{"b":1,"a":2},"at":1})");
  const auto two = definition_of(R"({"at":2,"inputSchema":{"a":2,"b":1},"name":"a"})");
  EXPECT_EQ(one->canonical, two->canonical);
  EXPECT_EQ(digest_of(one->text), digest_of(two->text));
  EXPECT_TRUE(is_same(*one, two->text));
  EXPECT_FALSE(definition_of("{}").has_value());
  EXPECT_FALSE(definition_of("nothing").has_value());
}

Definition with_schema(const char* schema) {
  return definition_of(std::string(R"({"name":"a","inputSchema":)") + schema + "}").value();
}

// A model writes the arguments in the order of the schema.
TEST(Pins, TheOrderOfMembersIsKeptAndIsNoChange) {
  Pins pins("u", config::Pin::Tofu);
  const Definition first = with_schema(R"({"properties":{"thought":{},"branch":{}}})");
  const Definition reordered = with_schema(R"({"properties":{"branch":{},"thought":{}}})");
  const auto accepted = pins.compare({first}, {});
  EXPECT_EQ(pins.served().at(0).text,
            R"({"name":"a","inputSchema":{"properties":{"thought":{},"branch":{}}}})");
  EXPECT_THAT(pins.compare({reordered}, {}), IsEmpty());
  EXPECT_EQ(pins.served().at(0).text, first.text);
  pins.compare({with_schema("{}")}, {});
  pins.compare({with_schema(R"({"x":1,"b":2})")}, {});
  const std::string digest = pins.digest_held("a");
  EXPECT_THAT(pins.compare({with_schema(R"({"b":2,"x":1})")}, {}), IsEmpty());
  EXPECT_EQ(pins.digest_held("a"), digest);
}

// Earlier hosts stored canonical JSON.
TEST(Pins, AStoredDefinitionWithoutAnOrderGetsThatOfTheUpstream) {
  const Definition now = with_schema(R"({"properties":{"thought":{},"branch":{}}})");
  store::PinRecord mark;
  mark.upstream = "u";
  mark.offered = true;
  store::PinRecord record = mark;
  record.tool = "a";
  record.accepted = now.canonical;
  Pins pins("u", config::Pin::Tofu);
  pins.load({mark, record});
  EXPECT_THAT(pins.compare({now}, {}), SizeIs(1));
  EXPECT_THAT(pins.held(), IsEmpty());
  EXPECT_EQ(pins.served().at(0).text, now.text);
  EXPECT_THAT(pins.compare({now}, {}), IsEmpty());
}

// A pin that was stored before `_meta` was a part of definitions is still equal to its definition.
TEST(Definition, WithoutMetaThatClientsGetItIsTheSameAsBefore) {
  const auto with = [](const char* meta) {
    return definition_of(std::string(R"({"name":"a","inputSchema":{})") + meta + "}")->canonical;
  };
  for (const char* const meta :
       {"", R"(,"_meta":{})", R"(,"_meta":null)", R"(,"_meta":"x")",
        R"(,"_meta":{"io.toolpost/class":"private","io.modelcontextprotocol/x":{},"dev.mcp/y":1,)"
        R"("org.modelcontextprotocol.api/z":2})"}) {
    EXPECT_EQ(with(meta), R"({"inputSchema":{},"name":"a"})") << meta;
  }
}

TEST(Definition, ItsMetaIsAPartOfIt) {
  const auto with = [](const std::string& meta) {
    return definition_of(R"({"name":"a","_meta":)" + meta + "}");
  };
  EXPECT_EQ(with(R"({"ui/resourceUri":"ui://a/b","io.toolpost/group":"x","mcp/own":{"b":1,"a":2}})")
                ->canonical,
            R"({"_meta":{"mcp/own":{"a":2,"b":1},"ui/resourceUri":"ui://a/b"},"name":"a"})");
  const std::string text(65u << 10u, 'x');
  const auto refused = with(R"({"x":")" + text + R"("})");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              ::testing::HasSubstr("the `_meta` of \"a\" has 66566 bytes"));
}

std::vector<std::string> lines_between(std::string_view before, std::string_view after) {
  return difference(before, after).lines;
}

TEST(Difference, NamesThePlaceAndShowsHiddenCharacters) {
  EXPECT_THAT(lines_between(R"({"description":"Adds","inputSchema":{"type":"object"}})",
                            "{\"description\":\"Adds\xE2\x80\x8B.\\nSends\",\"inputSchema\":"
                            "{\"type\":\"object\",\"required\":[\"x\"]}}"),
              ElementsAre("- description: Adds", "+ description: Adds<U+200B>.",
                          "+ description: Sends", "+ inputSchema.required[0]: x"));
  EXPECT_THAT(lines_between("", R"({"name":"a"})"), ElementsAre("+ name: a"));
}

TEST(Difference, NoNameOfAMemberLooksLikeAnotherPlace) {
  EXPECT_THAT(lines_between(R"({"a":{"b":"x"}})", R"({"a.b":"x"})"),
              ElementsAre("- a.b: x", R"(+ ["a.b"]: x)"));
  EXPECT_THAT(
      lines_between("", R"({"description: good\n+ name":1,"list[0]":2,"":3})"),
      ElementsAre(R"(+ [""]: 3)", R"(+ ["description: good\n+ name"]: 1)", R"(+ ["list[0]"]: 2)"));
}

TEST(Difference, AValueOfAnotherTypeIsADifference) {
  EXPECT_THAT(lines_between(R"({"a":5,"b":{},"c":null})", R"({"a":"5","b":"{}","c":"null"})"),
              ElementsAre("- a: 5", R"(+ a: "5")", "- b: {}", R"(+ b: "{}")", "- c: null",
                          R"(+ c: "null")"));
}

TEST(Difference, OfATextOfManyLinesTheChangedOnesAreShown) {
  EXPECT_THAT(lines_between(R"({"d":"1\n2\n3\n4\n5\n6"})", R"({"d":"1\n2\n3\nsend\n4\n5\n6"})"),
              ElementsAre("  d: ... 2 equal lines", "  d: 3", "+ d: send", "  d: 4",
                          "  d: ... 2 equal lines"));
  EXPECT_THAT(lines_between(R"({"d":"a\nb\nc"})", R"({"d":"b\nx\nc\na"})"),
              ElementsAre("- d: a", "  d: b", "+ d: x", "  d: c", "+ d: a"));
}

TEST(Difference, OfTwoVeryLongTextsAllLinesBetweenTheChangesAreShown) {
  std::string before;
  std::string after;
  for (int i = 0; i < 2'000; ++i) {
    before += std::to_string(i) + R"(\n)";
    after += std::to_string(2 * i) + R"(\n)";
  }
  const Difference differs =
      difference(R"({"d":")" + before + R"("})", R"({"d":")" + after + R"("})");
  EXPECT_TRUE(differs.is_cut);
  EXPECT_THAT(differs.lines, SizeIs(kMostLines));
  EXPECT_EQ(differs.lines[1], "- d: 1");
}

// The place of each leaf is as long as the definition, and there are thousands of leaves.
TEST(Difference, ManyLeavesBelowLongNamesCostNoMoreThanIsShown) {
  std::string text = "[0";
  for (int i = 0; i < 60'000; ++i) text += ",0";
  text += "]";
  for (int i = 0; i < 100; ++i) text = R"({")" + std::string(1000, 'k') + R"(":)" + text + "}";
  const Difference differs = difference("", text);
  EXPECT_TRUE(differs.is_cut);
  EXPECT_LE(differs.lines.size(), kMostLines);
  std::size_t bytes = 0;
  for (const std::string& line : differs.lines) bytes += line.size();
  EXPECT_LT(bytes, kMostDifferenceBytes + 8192);
  EXPECT_THAT(differs.lines.back(), ::testing::MatchesRegex("... and [0-9]+ more lines"));
}

TEST(Difference, ALongTextGivesSeveralLinesAndNothingIsLeftOut) {
  const std::string text = std::string(5000, 'a') + "!";
  const Difference differs = difference("", R"({"description":")" + text + R"("})");
  EXPECT_FALSE(differs.is_cut);
  std::string shown;
  for (const std::string& line : differs.lines)
    shown += line.substr(std::string("+ description: ").size());
  EXPECT_EQ(shown, text);
}

TEST(Review, ComparesOnlyAsMuchAsIsShownAtOnce) {
  std::vector<store::PinRecord> held(40);
  for (std::size_t i = 0; i < held.size(); ++i) {
    held[i].tool = "t" + std::to_string(i);
    held[i].held = R"({"description":")" + std::string(60'000, 'a') + R"("})";
  }
  Reviewer reviewer(held, {});
  while (reviewer.step()) {
  }
  ASSERT_THAT(reviewer.review.held, SizeIs(40));
  EXPECT_FALSE(reviewer.review.held.front().is_cut);
  EXPECT_TRUE(reviewer.review.held.back().is_cut);
  EXPECT_EQ(reviewer.review.held.back().digest, digest_of(held.back().held));
}

TEST(Review, WhoSawOnlyAPartGetsNoDigestToAcceptBy) {
  Status status;
  status.held.push_back({"short", false, "sha256:1", {}, {"+ a"}, false});
  status.held_digest = "sha256:all";
  EXPECT_THAT(as_json(status), ::testing::HasSubstr(R"("digest":"sha256:1","cut":false)"));
  EXPECT_THAT(as_json(status), ::testing::HasSubstr(R"("held_digest":"sha256:all")"));
  status.held.push_back({"long", false, "sha256:2", {}, {"+ b"}, true});
  EXPECT_THAT(as_json(status), ::testing::HasSubstr(R"("digest":"","cut":true)"));
  EXPECT_THAT(as_json(status), ::testing::HasSubstr(R"("held_digest":"")"));
}

TEST(DefinitionReader, NamesTheToolOfAnEntryThatItRefuses) {
  const std::string meta = "\"_meta\":{\"m\":\"" + std::string(70u << 10u, 'x') + "\"}}";
  DefinitionReader reader({{R"({"name":"b",)" + meta, "{" + meta, "[]",
                            "{\"name\":\"" + std::string(100, 'n') + "\"," + meta},
                           {}});
  while (reader.step()) {
  }
  std::vector<std::string> tools;
  for (const tool::Refusal& one : reader.refusals) tools.push_back(one.tool);
  EXPECT_EQ(tools, (std::vector<std::string>{"b", "", "", std::string(64, 'n') + "..."}));
  EXPECT_THAT(reader.refusals[0].reason, ::testing::HasSubstr("the `_meta` of \"b\" has"));
}

TEST(Budget, BytesOfAllStreamsShareOneRateAndADebtIsPaidByWaiting) {
  using namespace std::chrono_literals;
  Budget budget(1000, 100);
  const SteadyTime now{1h};
  budget.spend(600, 0ms, now);
  budget.spend(400, 0ms, now);
  EXPECT_EQ(budget.debt(now), 0ms) << "a second's worth at once";
  budget.spend(500, 0ms, now);
  EXPECT_EQ(budget.debt(now), 500ms);
  EXPECT_EQ(budget.debt(now + 500ms), 0ms);
}

TEST(Budget, WorkThatNobodyAskedForTakesATenthOfTheTime) {
  using namespace std::chrono_literals;
  Budget budget(0, 100);
  const SteadyTime now{1h};
  budget.spend(1, 100ms, now);
  EXPECT_EQ(budget.debt(now), 0ms);
  budget.spend(1, 50ms, now);
  EXPECT_EQ(budget.debt(now), 500ms);
  budget.excuse(80ms);
  budget.spend(1, 80ms, now);
  EXPECT_EQ(budget.debt(now), 500ms) << "an answer costs nothing";
}

TEST(Budget, MessagesThatAreNotWholeAreCountedTogether) {
  Budget budget(0, 100);
  EXPECT_TRUE(budget.keep(0, 60));
  EXPECT_TRUE(budget.keep(0, 40));
  EXPECT_FALSE(budget.keep(40, 41));
  EXPECT_TRUE(budget.keep(60, 0));
}

TEST(Flood, ThePauseIsAsLongAsTheDebt) {
  using namespace std::chrono_literals;
  Flood flood(10);
  const SteadyTime now{1h};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(flood.take(now), 0ms);
  EXPECT_EQ(flood.take(now), 100ms);
  EXPECT_EQ(flood.take(now), 200ms);
}

}  // namespace
}  // namespace host::upstream
