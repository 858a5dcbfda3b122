#include "permission/decision/answers.h"

#include <gmock/gmock.h>

#include "unit/permission/support.h"

namespace host::permission::test {
namespace {

Result<tool::CallResult> gave(std::string_view json) {
  tool::CallResult result;
  result.structured = json;
  return result;
}

TEST(Answers, OfCheckPermissionsAreRead) {
  const auto answer = read_check(gave(R"({"behavior":"deny","message":"no","reason":"because"})"));
  EXPECT_EQ(answer.verdict, Verdict::Deny);
  EXPECT_FALSE(answer.safety);
  EXPECT_EQ(answer.message, "no");
  EXPECT_EQ(answer.reason, "because");
  EXPECT_TRUE(read_check(gave(R"({"behavior":"ask","safety":true})")).safety);
  EXPECT_EQ(read_check(gave(R"({"behavior":"PassThrough","message":""})")).verdict,
            Verdict::Passthrough);
}

TEST(Answers, ThatFailedOrAreMalformedCountAsASafetyQuestion) {
  for (const std::string_view text :
       {"", "7", "[]", "{", R"({"behavior":"yes"})", "{}", R"({"behavior":"allow","safety":1})"}) {
    const auto answer = read_check(gave(text));
    EXPECT_EQ(answer.verdict, Verdict::Ask) << text;
    EXPECT_TRUE(answer.safety) << text;
  }
  const auto crashed = read_check(Error{ErrorKind::PluginFault, "it crashed"});
  EXPECT_EQ(crashed.verdict, Verdict::Ask);
  EXPECT_EQ(crashed.reason, "it crashed");
  tool::CallResult failed;
  failed.structured = R"({"behavior":"allow"})";
  failed.is_error = true;
  EXPECT_EQ(read_check(failed).verdict, Verdict::Ask);
}

TEST(Answers, OfTheOtherFunctionsAreReadAndNeverGuessed) {
  EXPECT_EQ(read_match(gave("true")), Match::Yes);
  EXPECT_EQ(read_match(gave("false")), Match::No);
  EXPECT_EQ(read_match(gave("1")), Match::Failed);
  EXPECT_TRUE(read_read_only(gave("true")));
  EXPECT_FALSE(read_read_only(gave("\"true\"")));
  EXPECT_FALSE(read_read_only(Error{ErrorKind::PluginFault, "gone"}));
}

TEST(Answers, OfGenerateSuggestionsBecomeAllowRules) {
  const auto rules = read_suggestions(gave(R"([{"content":"a"},{"content":null}])"), "w");
  ASSERT_TRUE(rules.has_value());
  ASSERT_EQ(rules->size(), 2u);
  EXPECT_EQ((*rules)[0], (Rule{"w", "a", Behavior::Allow, Scope::Session, "suggested"}));
  EXPECT_FALSE((*rules)[1].content.has_value());
  for (const std::string_view text : {"{}", "[7]", "[{}]", R"([{"content":7}])", "["}) {
    EXPECT_FALSE(read_suggestions(gave(text), "w").has_value()) << text;
  }
}

TEST(Answers, AreAskedForWithTheContextThatTheAbiDescribes) {
  const std::vector<std::string> folders{"/a", "/b\"c"};
  EXPECT_EQ(context_text(Mode::AcceptEdits, folders),
            R"({"mode":"accept_edits","working_dirs":["/a","/b\"c"]})");
  EXPECT_EQ(context_text(Mode::Default, {}, "git:*"),
            R"({"mode":"default","working_dirs":[],"rule_content":"git:*"})");
}

}  // namespace
}  // namespace host::permission::test
