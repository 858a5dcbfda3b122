#include "permission/decision/explain.h"

#include <gmock/gmock.h>

#include "unit/permission/support.h"

namespace host::permission::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr tool::Standing kStanding{config::Trust::ReadOnly, tool::Reads::ByCheck,
                                   tool::OwnYes::Never, false};

TEST(Explain, TellsEachStepAndTheRuleThatDecided) {
  Trace trace;
  const auto decision =
      decide(engine(Mode::Default, {allow("w"), ask("w")}), named("w"), {.trace = &trace});
  const std::string text = explain(decision, trace, kStanding);
  EXPECT_THAT(text, HasSubstr("trust: read_only; reads only: by_check; allows itself: never\n"));
  EXPECT_THAT(text, HasSubstr("deny_rule     none fits\n"));
  EXPECT_THAT(text, HasSubstr("ask rule: w (test) fits"));
  EXPECT_THAT(text, HasSubstr("ask by rule test\n"));
  EXPECT_THAT(text, Not(HasSubstr("would be allowed by"))) << "an allow rule does not help";
}

TEST(Explain, NamesRulesThatWouldHelp) {
  Trace trace;
  const auto decision = decide(engine(Mode::Default), shell(),
                               arguments({{"command", "npm run build"}}), {.trace = &trace});
  EXPECT_THAT(explain(decision, trace, kStanding),
              HasSubstr("would be allowed by: allow shell(npm run build)\n"));
}

TEST(Explain, MarksASafetyQuestion) {
  Trace trace;
  const auto decision = decide_path(engine(Mode::Bypass), writes_file(), ".env", {.trace = &trace});
  EXPECT_THAT(explain(decision, trace, kStanding),
              HasSubstr("ask by safety (safety: no rule and no mode"));
}

TEST(Explain, KeepsALineALineWhateverTheCallSays) {
  Trace trace;
  const auto decision =
      decide_path(engine(Mode::Default), writes_file(), "a\n\x1b[31mb/.env\n/x", {.trace = &trace});
  EXPECT_THAT(explain(decision, trace, kStanding), Not(HasSubstr("\x1b")));
}

TEST(Explain, WritesJsonThatParses) {
  Trace trace;
  const auto decision = decide(engine(Mode::Default), named("w"), {.trace = &trace});
  const auto document = json::parse(explain_json(decision, trace, kStanding));
  ASSERT_TRUE(document.has_value()) << document.error().message;
  EXPECT_EQ(json::find_text(document->root(), "decision"), "ask");
  EXPECT_EQ(json::find_text(document->root(), "by"), "mode");
  EXPECT_EQ(json::text(*json::at(document->root(), "/suggestions/0/tool")), "w");
  EXPECT_GE(json::at(document->root(), "/steps")->Size(), 3u);
}

}  // namespace
}  // namespace host::permission::test
