#include <gmock/gmock.h>

#include "unit/permission/support.h"

namespace host::permission::test {
namespace {

using ::testing::HasSubstr;

constexpr Mode kModes[] = {Mode::Default, Mode::AcceptEdits, Mode::Explore, Mode::Bypass,
                           Mode::DontAsk};

tool::Declaration with_check(tool::Declaration tool) {
  tool.has_check_permissions = true;
  return tool;
}

// Case 1.
TEST(Permission, DeniesWhereAnAllowAndADenyRuleFitTheSameTool) {
  const auto decision = decide(engine(Mode::Default, {allow("w"), deny("w")}), named("w"));
  EXPECT_EQ(decision.behavior, Behavior::Deny);
  EXPECT_EQ(decision.step, Step::DenyRule);
  EXPECT_EQ(decision.by(), "rule test");
}

// Case 2.
TEST(Permission, AsksWithASuggestionWhereAnAllowAndAnAskRuleFit) {
  const auto decision = decide(engine(Mode::Default, {allow("w"), ask("w")}), named("w"));
  EXPECT_EQ(decision.behavior, Behavior::Ask);
  EXPECT_GE(decision.suggestions.size(), 1u);
  EXPECT_FALSE(decision.rules_can_allow());
}

// Case 3.
TEST(Permission, DeniesWhereAllThreeKindsOfRulesFit) {
  const auto decision =
      decide(engine(Mode::Default, {allow("w"), ask("w"), deny("w")}), named("w"));
  EXPECT_EQ(decision.behavior, Behavior::Deny);
}

// Case 4.
TEST(Permission, AsksForAWritingToolWithoutRulesAndSuggestsToAllowTheTool) {
  const auto decision = decide(engine(Mode::Default), named("w"));
  EXPECT_EQ(decision.behavior, Behavior::Ask);
  EXPECT_THAT(decision.message, HasSubstr("permission required for \"w\""));
  ASSERT_EQ(decision.suggestions.size(), 1u);
  EXPECT_EQ(decision.suggestions[0],
            (Rule{"w", std::nullopt, Behavior::Allow, Scope::Session, "suggested"}));
  EXPECT_TRUE(decision.rules_can_allow());
}

// Case 5.
TEST(Permission, AllowsAReadOnlyToolInEveryModeUnlessARuleSaysOtherwise) {
  for (const Mode mode : kModes) {
    SCOPED_TRACE(to_string(mode));
    EXPECT_EQ(decide(engine(mode), read_only("r")).behavior, Behavior::Allow);
    EXPECT_EQ(decide(engine(mode, {deny("r")}), read_only("r")).behavior, Behavior::Deny);
    EXPECT_EQ(decide(engine(mode, {ask("r")}), read_only("r")).behavior,
              mode == Mode::DontAsk ? Behavior::Deny : Behavior::Ask);
  }
}

// Case 6.
TEST(Permission, AllowsInBypassAndSaysSoButKeepsDenyAndAskRules) {
  const auto decision = decide(engine(Mode::Bypass), named("w"));
  EXPECT_EQ(decision.behavior, Behavior::Allow);
  EXPECT_THAT(decision.message, HasSubstr("bypass"));
  EXPECT_EQ(decide(engine(Mode::Bypass, {deny("w")}), named("w")).behavior, Behavior::Deny);
  EXPECT_EQ(decide(engine(Mode::Bypass, {ask("w")}), named("w")).behavior, Behavior::Ask);
}

// Case 7.
TEST(Permission, KeepsTheNoOfAToolsOwnCheckInBypass) {
  const Answers answers = checked(Verdict::Deny, false, "closed on Sundays");
  const auto decision =
      decide(engine(Mode::Bypass, {allow("w")}), with_check(named("w")), {.answers = &answers});
  EXPECT_EQ(decision.behavior, Behavior::Deny);
  EXPECT_EQ(decision.step, Step::ToolCheck);
  EXPECT_THAT(decision.message, HasSubstr("own message"));
  EXPECT_EQ(decision.reason, "closed on Sundays");
}

// Case 8.
TEST(Permission, HoldsASafetyQuestionOfAToolsOwnCheckInBypass) {
  const Answers answers = checked(Verdict::Ask, true, "looks odd");
  const auto decision = decide(engine(Mode::Bypass), with_check(named("w")), {.answers = &answers});
  EXPECT_EQ(decision.behavior, Behavior::Ask);
  EXPECT_TRUE(decision.safety);
  EXPECT_THAT(decision.reason, HasSubstr("looks odd"));
}

// Case 9.
TEST(Permission, NeverAsksInDontAsk) {
  const auto unknown = decide(engine(Mode::DontAsk), named("w"));
  EXPECT_EQ(unknown.behavior, Behavior::Deny);
  EXPECT_THAT(unknown.message, HasSubstr("dont_ask"));
  const auto asked = decide(engine(Mode::DontAsk, {ask("w")}), named("w"));
  EXPECT_EQ(asked.behavior, Behavior::Deny);
  EXPECT_TRUE(asked.from_mode);
  EXPECT_EQ(asked.suggestions.size(), 1u);
  EXPECT_THAT(asked.reason, HasSubstr("rule: w"));
  EXPECT_EQ(decide(engine(Mode::DontAsk, {allow("w")}), named("w")).behavior, Behavior::Allow);
  EXPECT_EQ(decide(engine(Mode::DontAsk), read_only("r")).behavior, Behavior::Allow);
}

TEST(Permission, TurnsASafetyQuestionIntoANoInDontAskAndKeepsItsSuggestions) {
  const auto decision =
      decide_path(engine(Mode::DontAsk, {allow("write")}), writes_file(), "/home/u/.bashrc");
  EXPECT_EQ(decision.behavior, Behavior::Deny);
  EXPECT_TRUE(decision.safety);
  EXPECT_EQ(decision.suggestions.size(), 1u);
}

// Case 10.
TEST(Permission, AllowsOnlyReadingInExploreWhateverRulesAllow) {
  EXPECT_EQ(decide(engine(Mode::Explore), read_only("r")).behavior, Behavior::Allow);
  const auto decision = decide(engine(Mode::Explore, {allow("w")}), named("w"));
  EXPECT_EQ(decision.behavior, Behavior::Deny);
  EXPECT_THAT(decision.message, HasSubstr("explore"));
}

// Case 10.
TEST(Permission, DeniesADangerousPathInExploreInsteadOfAsking) {
  EXPECT_EQ(decide_path(engine(Mode::Explore), reads_file(), "/home/u/.ssh/id").behavior,
            Behavior::Deny);
  EXPECT_EQ(decide_path(engine(Mode::Explore), reads_file(), "notes.txt").behavior,
            Behavior::Allow);
}

TEST(Permission, DoesNotAskAToolsOwnCheckInExplore) {
  const Answers answers = checked(Verdict::Allow);
  EXPECT_EQ(decide(engine(Mode::Explore), with_check(named("w")), {.answers = &answers}).behavior,
            Behavior::Deny);
}

// Case 11.
TEST(Permission, LetsAnAllowRuleAnswerAPlainQuestionButNoSafetyQuestion) {
  const Answers plain = checked(Verdict::Ask);
  const Answers safety = checked(Verdict::Ask, true);
  const Engine allowing = engine(Mode::Default, {allow("w")});
  EXPECT_EQ(decide(allowing, with_check(named("w")), {.answers = &plain}).behavior,
            Behavior::Allow);
  EXPECT_EQ(decide(allowing, with_check(named("w")), {.answers = &safety}).behavior, Behavior::Ask);
}

// Case 12.
TEST(Permission, GoesOnToAllowRulesWhereAToolsOwnCheckPassesOn) {
  const Answers answers = checked(Verdict::Passthrough);
  const Engine allowing = engine(Mode::Default, {allow("w")});
  EXPECT_EQ(decide(allowing, with_check(named("w")), {.answers = &answers}).behavior,
            Behavior::Allow);
  EXPECT_EQ(decide(engine(Mode::Default), with_check(named("w")), {.answers = &answers}).behavior,
            Behavior::Ask);
}

TEST(Permission, TakesAToolsOwnYes) {
  const Answers answers = checked(Verdict::Allow);
  const auto decision =
      decide(engine(Mode::DontAsk), with_check(named("w")), {.answers = &answers});
  EXPECT_EQ(decision.behavior, Behavior::Allow);
  EXPECT_EQ(decision.step, Step::ToolCheck);
}

TEST(Permission, AsksForSafetyWhereACheckThatTheToolHasWasNotAsked) {
  const auto decision = decide(engine(Mode::Bypass), with_check(named("w")));
  EXPECT_EQ(decision.behavior, Behavior::Ask);
  EXPECT_TRUE(decision.safety);
}

TEST(Permission, LetsAToolSayPerCallWhetherItReadsOnly) {
  tool::Declaration tool = named("w");
  tool.has_check_read_only = true;
  Answers answers;
  answers.read_only = true;
  EXPECT_EQ(decide(engine(Mode::Default), tool, {.answers = &answers}).behavior, Behavior::Allow);
  answers.read_only = false;
  tool.read_only = true;
  EXPECT_EQ(decide(engine(Mode::Default), tool, {.answers = &answers}).behavior, Behavior::Ask);
}

TEST(Permission, IgnoresTheClaimToBeReadOnlyWhereItIsNotTrusted) {
  EXPECT_EQ(decide(engine(Mode::Default), read_only("r"), {.trust = config::Trust::None}).behavior,
            Behavior::Ask);
}

TEST(Permission, AsksNoCheckOfAToolThatIsNotBelieved) {
  tool::Declaration tool = named("w");
  tool.has_check_read_only = true;
  Answers answers;
  answers.read_only = true;
  const Beside none{.trust = config::Trust::None, .answers = &answers};
  for (const Mode mode : {Mode::Default, Mode::Explore, Mode::DontAsk}) {
    EXPECT_NE(decide(engine(mode), tool, none).behavior, Behavior::Allow);
    const Beside reads{.trust = config::Trust::ReadOnly, .answers = &answers};
    EXPECT_EQ(decide(engine(mode), tool, reads).behavior, Behavior::Allow);
    EXPECT_TRUE(decide(engine(mode), tool, reads).judged_to_read);
  }
  EXPECT_FALSE(engine(Mode::Default).needs(request_of(tool, arguments({}), none)).check_read_only);
  EXPECT_FALSE(decide(engine(Mode::Default), tool, none).judged_to_read);
}

TEST(Permission, OfAToolThatIsNotBelievedACommandIsAskedToo) {
  EXPECT_EQ(decide_command(engine(Mode::Default), "ls").behavior, Behavior::Allow);
  EXPECT_EQ(decide_command(engine(Mode::Default), "ls", {.trust = config::Trust::None}).behavior,
            Behavior::Ask);
}

TEST(Permission, BelievesAnOwnYesInFullTrustAloneAndAnOwnNoAlways) {
  const tool::Declaration tool = with_check(named("w"));
  const Answers yes = checked(Verdict::Allow);
  const Answers no = checked(Verdict::Deny);
  EXPECT_EQ(decide(engine(Mode::DontAsk), tool, {.answers = &yes}).behavior, Behavior::Allow);
  for (const config::Trust trust : {config::Trust::ReadOnly, config::Trust::None}) {
    const Beside believed{.trust = trust, .answers = &yes};
    EXPECT_EQ(decide(engine(Mode::Default), tool, believed).behavior, Behavior::Ask);
    EXPECT_EQ(decide(engine(Mode::DontAsk), tool, believed).behavior, Behavior::Deny);
    EXPECT_EQ(decide(engine(Mode::Bypass), tool, {.trust = trust, .answers = &no}).behavior,
              Behavior::Deny);
  }
}

TEST(Permission, BelievesAnOwnMatchWhereItMakesACallHarderAndElseInFullTrustAlone) {
  tool::Declaration tool = named("w");
  tool.has_match_rule = true;
  Answers answers;
  answers.matches = {{"narrow", Match::Yes}, {"denied", Match::No}};
  const Engine allows = engine(Mode::Default, {allow("w", "narrow")});
  const Engine denies = engine(Mode::Bypass, {deny("w", "denied")});
  EXPECT_EQ(decide(allows, tool, {.answers = &answers}).behavior, Behavior::Allow);
  EXPECT_EQ(decide(denies, tool, {.answers = &answers}).behavior, Behavior::Allow);
  const Beside less{.trust = config::Trust::ReadOnly, .answers = &answers};
  EXPECT_EQ(decide(allows, tool, less).behavior, Behavior::Ask);
  EXPECT_EQ(decide(denies, tool, less).behavior, Behavior::Ask);
  answers.matches = {{"denied", Match::Yes}};
  EXPECT_EQ(decide(denies, tool, less).behavior, Behavior::Deny);
}

TEST(Permission, TakesTheModeOfTheSessionBeforeThatOfTheHost) {
  Overlay session;
  session.mode = Mode::Bypass;
  EXPECT_EQ(decide(engine(Mode::Default), named("w"), {.session = &session}).behavior,
            Behavior::Allow);
}

TEST(Permission, AddsTheRulesOfTheSessionToThoseOfTheHost) {
  Overlay session;
  session.rules = RuleSet({allow("w"), allow("x")});
  const Engine host = engine(Mode::Default, {deny("x")});
  EXPECT_EQ(decide(host, named("w"), {.session = &session}).behavior, Behavior::Allow);
  EXPECT_EQ(decide(host, named("x"), {.session = &session}).behavior, Behavior::Deny);
}

// Nobody could tell which calls such a content is for.
TEST(Permission, AppliesDenyAndAskRulesWithContentToAllCallsOfAToolWithoutAFormOfContent) {
  EXPECT_EQ(decide(engine(Mode::Bypass, {deny("w", "x*")}), named("w")).behavior, Behavior::Deny);
  EXPECT_EQ(decide(engine(Mode::Bypass, {ask("w", "x*")}), named("w")).behavior, Behavior::Ask);
  EXPECT_EQ(decide(engine(Mode::Default, {allow("w", "x*")}), named("w")).behavior, Behavior::Ask);
}

TEST(Permission, KnowsToolsThatAreDeniedByName) {
  const Engine host = engine(Mode::Bypass, {deny("a"), deny("b", "x*"), deny("c", ""), ask("d")});
  EXPECT_TRUE(host.denied_by_name("a"));
  EXPECT_FALSE(host.denied_by_name("b"));
  EXPECT_TRUE(host.denied_by_name("c")) << "empty content fits every call";
  EXPECT_FALSE(host.denied_by_name("d"));
  EXPECT_FALSE(host.denied_by_name("aa"));
  ASSERT_NE(host.denial_by_name("a"), nullptr);
  EXPECT_EQ(host.denial_by_name("a")->source, "test");
}

TEST(Permission, MatchesToolNamesExactly) {
  const Engine host = engine(Mode::Default, {allow("w"), allow("*")});
  EXPECT_EQ(decide(host, named("w")).behavior, Behavior::Allow);
  EXPECT_EQ(decide(host, named("W")).behavior, Behavior::Ask);
  EXPECT_EQ(decide(host, named("ww")).behavior, Behavior::Ask);
}

TEST(Permission, UsesAToolsOwnMatchForRulesWithContent) {
  tool::Declaration tool = named("w");
  tool.has_match_rule = true;
  const Engine host = engine(Mode::Default, {allow("w", "one"), deny("w", "two")});
  const auto given = arguments({});
  const Needs needs = host.needs(request_of(tool, given, {}));
  EXPECT_THAT(needs.match_rule, ::testing::UnorderedElementsAre("one", "two"));

  Answers answers;
  answers.matches = {{"one", Match::Yes}, {"two", Match::No}};
  EXPECT_EQ(decide(host, tool, {.answers = &answers}).behavior, Behavior::Allow);
  answers.matches = {{"one", Match::Yes}, {"two", Match::Yes}};
  EXPECT_EQ(decide(host, tool, {.answers = &answers}).behavior, Behavior::Deny);
}

TEST(Permission, AsksWhereNobodyCanTellWhetherADenyRuleFits) {
  tool::Declaration tool = named("w");
  tool.has_match_rule = true;
  const Engine host = engine(Mode::Bypass, {deny("w", "two")});
  Answers answers;
  answers.matches = {{"two", Match::Failed}};
  EXPECT_EQ(decide(host, tool, {.answers = &answers}).behavior, Behavior::Ask);
}

TEST(Permission, NeedsNothingOfAReadOnlyToolWithoutPaths) {
  const auto given = arguments({});
  const tool::Declaration tool = with_check(read_only("r"));
  EXPECT_FALSE(engine(Mode::Default).needs(request_of(tool, given, {})).any());
  EXPECT_TRUE(engine(Mode::Default).needs(request_of(tool, given, {.auto_approve = false})).any());
  const auto decision = decide(engine(Mode::Default, {ask("r")}), tool);
  EXPECT_FALSE(decision.safety) << "a check that was not needed is no danger";
}

TEST(Permission, NeedsNothingOfAToolThatIsDeniedByName) {
  const auto given = arguments({});
  const tool::Declaration tool = with_check(named("w"));
  EXPECT_FALSE(engine(Mode::Default, {deny("w")}).needs(request_of(tool, given, {})).any());
  EXPECT_TRUE(engine(Mode::Default).needs(request_of(tool, given, {})).check_permissions);
}

TEST(Permission, TakesTheToolsOwnSuggestions) {
  tool::Declaration tool = named("w");
  tool.has_generate_suggestions = true;
  Decision decision = decide(engine(Mode::Default), tool);
  ASSERT_TRUE(decision.wants_suggestions);
  suggest(decision, std::vector<Rule>{allow("w", "this")});
  EXPECT_EQ(contents(decision.suggestions), std::vector<std::string>{"this"});
  EXPECT_FALSE(decision.wants_suggestions);
}

}  // namespace
}  // namespace host::permission::test
