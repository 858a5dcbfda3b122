#include <gmock/gmock.h>

#include "unit/permission/support.h"

namespace host::permission::test {
namespace {

TEST(AutoApprove, PassesWhatWouldBeAsked) {
  EXPECT_EQ(decide(engine(Mode::Default), named("w"), {.auto_approve = true}).behavior,
            Behavior::Allow);
  EXPECT_EQ(decide(engine(Mode::Default, {ask("w")}), named("w"), {.auto_approve = true}).behavior,
            Behavior::Allow);
  EXPECT_EQ(decide(engine(Mode::DontAsk), named("w"), {.auto_approve = true}).behavior,
            Behavior::Allow);
}

TEST(AutoApprove, PassesNoDenyRuleNoExploreAndNoSafetyQuestion) {
  const Beside approved{.auto_approve = true};
  EXPECT_EQ(decide(engine(Mode::Default, {deny("w")}), named("w"), approved).behavior,
            Behavior::Deny);
  EXPECT_EQ(decide(engine(Mode::Explore), named("w"), approved).behavior, Behavior::Deny);
  const auto decision =
      decide_path(engine(Mode::Default, {ask("write")}), writes_file(), ".env", approved);
  EXPECT_EQ(decision.behavior, Behavior::Ask);
  EXPECT_TRUE(decision.safety);
}

TEST(AutoApprove, WhenFalseAsksEveryCall) {
  const Beside asked{.auto_approve = false};
  EXPECT_EQ(decide(engine(Mode::Default, {allow("w")}), named("w"), asked).behavior, Behavior::Ask);
  EXPECT_EQ(decide(engine(Mode::Bypass), named("w"), asked).behavior, Behavior::Ask);
  EXPECT_EQ(decide(engine(Mode::Default), read_only("r"), asked).behavior, Behavior::Ask);
  EXPECT_EQ(decide(engine(Mode::Explore), read_only("r"), asked).behavior, Behavior::Ask);
  tool::Declaration tool = named("w");
  tool.has_check_permissions = true;
  const Answers yes = checked(Verdict::Allow);
  EXPECT_EQ(decide(engine(Mode::Default), tool, {.auto_approve = false, .answers = &yes}).behavior,
            Behavior::Ask);
}

TEST(AutoApprove, WhenFalseStillLetsRulesModesAndTheToolDeny) {
  const Beside asked{.auto_approve = false};
  EXPECT_EQ(decide(engine(Mode::Default, {deny("w")}), named("w"), asked).behavior, Behavior::Deny);
  EXPECT_EQ(decide(engine(Mode::Explore), named("w"), asked).behavior, Behavior::Deny);
  EXPECT_EQ(decide(engine(Mode::DontAsk), named("w"), asked).behavior, Behavior::Deny);
  EXPECT_EQ(decide(engine(Mode::DontAsk), read_only("r"), asked).behavior, Behavior::Deny);
  tool::Declaration tool = named("w");
  tool.has_check_permissions = true;
  const Answers no = checked(Verdict::Deny);
  EXPECT_EQ(decide(engine(Mode::Default), tool, {.auto_approve = false, .answers = &no}).behavior,
            Behavior::Deny);
}

TEST(PreTools, AreAskedPastReadOnlyOwnYesAllowRulesAndBypass) {
  tool::Declaration tool = read_only("pre_pay");
  tool.has_check_permissions = true;
  const Answers yes = checked(Verdict::Allow);
  for (const Mode mode : {Mode::Default, Mode::AcceptEdits, Mode::Bypass}) {
    SCOPED_TRACE(to_string(mode));
    const auto decision = decide(engine(mode, {allow("pre_pay")}), tool, {.answers = &yes});
    EXPECT_EQ(decision.behavior, Behavior::Ask);
    EXPECT_EQ(decision.step, Step::PreGate);
    EXPECT_FALSE(decision.rules_can_allow());
  }
}

TEST(PreTools, AreDeniedInExploreAndDontAsk) {
  const std::vector<Rule> rules{allow("pre_pay")};
  EXPECT_EQ(decide(engine(Mode::Explore, rules), read_only("pre_pay")).behavior, Behavior::Deny);
  EXPECT_EQ(decide(engine(Mode::Explore, {ask("pre_pay")}), read_only("pre_pay")).behavior,
            Behavior::Deny);
  EXPECT_EQ(decide(engine(Mode::DontAsk, rules), read_only("pre_pay")).behavior, Behavior::Deny);
}

TEST(PreTools, PassByTheOperatorsAutoApproveAlone) {
  const Beside approved{.auto_approve = true};
  EXPECT_EQ(decide(engine(Mode::Default), named("pre_pay"), approved).behavior, Behavior::Allow);
  EXPECT_EQ(decide(engine(Mode::DontAsk), named("pre_pay"), approved).behavior, Behavior::Allow);
  EXPECT_EQ(decide(engine(Mode::Explore), named("pre_pay"), approved).behavior, Behavior::Deny);
}

TEST(PreTools, AreDeniedByRulesAndTheirOwnCheckBeforeAnybodyIsAsked) {
  EXPECT_EQ(decide(engine(Mode::Default, {deny("pre_pay")}), named("pre_pay")).behavior,
            Behavior::Deny);
  tool::Declaration tool = named("pre_pay");
  tool.has_check_permissions = true;
  const Answers no = checked(Verdict::Deny);
  EXPECT_EQ(decide(engine(Mode::Default), tool, {.answers = &no}).behavior, Behavior::Deny);
}

TEST(PreTools, TellThePersonOfADangerousPathToo) {
  const auto decision = decide_path(engine(Mode::Bypass), writes_file("pre_write"), "/x/.env");
  EXPECT_EQ(decision.step, Step::PreGate);
  EXPECT_TRUE(decision.safety);
  EXPECT_THAT(decision.reason, ::testing::HasSubstr(".env"));
}

TEST(PostTools, RunUnderDenyRulesAlone) {
  const auto given = arguments({{"path", "/x/.env"}});
  const tool::Declaration tool = writes_file("post_log");
  const auto post = [&](const Engine& host) {
    return host.decide_post(request_of(tool, given, {.auto_approve = false})).behavior;
  };
  EXPECT_EQ(post(engine(Mode::DontAsk, {ask("post_log")})), Behavior::Allow);
  EXPECT_EQ(post(engine(Mode::Explore)), Behavior::Allow);
  EXPECT_EQ(post(engine(Mode::Bypass, {deny("post_log")})), Behavior::Deny);
  EXPECT_EQ(post(engine(Mode::Bypass, {deny("post_log", "*.env")})), Behavior::Deny);
  EXPECT_EQ(post(engine(Mode::Bypass, {deny("post_log", "*.txt")})), Behavior::Allow);
}

TEST(InternalTools, HaveNoHumanGate) {
  EXPECT_EQ(decide(engine(Mode::DontAsk), named("_index")).behavior, Behavior::Allow);
  EXPECT_EQ(decide(engine(Mode::Bypass, {deny("_index")}), named("_index")).behavior,
            Behavior::Deny);
}

TEST(OwnTools, AllowThemselvesUnderDenyAndAskRules) {
  const Beside own{.own_yes = tool::OwnYes::Always};
  for (const Mode mode : {Mode::Default, Mode::Explore, Mode::DontAsk}) {
    SCOPED_TRACE(to_string(mode));
    EXPECT_EQ(decide(engine(mode), named("reset_tools"), own).behavior, Behavior::Allow);
    EXPECT_EQ(decide(engine(mode, {deny("reset_tools")}), named("reset_tools"), own).behavior,
              Behavior::Deny);
  }
  EXPECT_EQ(decide(engine(Mode::Default, {ask("reset_tools")}), named("reset_tools"), own).behavior,
            Behavior::Ask);
}

TEST(OwnTools, ThatWriteAreDeniedInExplore) {
  const Beside own{.own_yes = tool::OwnYes::NotInExplore};
  EXPECT_EQ(decide(engine(Mode::Explore), named("todo_write"), own).behavior, Behavior::Deny);
  EXPECT_EQ(decide(engine(Mode::DontAsk), named("todo_write"), own).behavior, Behavior::Allow);
}

TEST(UpstreamTools, AreAllowedByTheirHintAndElseAsked) {
  EXPECT_EQ(decide(engine(Mode::Default), read_only("mcp__s__list")).behavior, Behavior::Allow);
  EXPECT_EQ(decide(engine(Mode::Default), named("mcp__s__drop")).behavior, Behavior::Ask);
}

}  // namespace
}  // namespace host::permission::test
