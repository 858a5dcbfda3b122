#include "permission/rule/rule.h"

#include <gmock/gmock.h>

#include "unit/permission/support.h"

namespace host::permission::test {
namespace {

using ::testing::HasSubstr;

Result<Rule> read(std::string_view text) {
  auto document = json::parse(text);
  EXPECT_TRUE(document.has_value());
  return read_rule(document->root());
}

// Case 22.
TEST(RuleWords, AreReadWhateverTheirLetterCase) {
  EXPECT_EQ(*parse_mode("ACCEPT_EDITS"), Mode::AcceptEdits);
  EXPECT_EQ(*parse_mode("dont_ask"), Mode::DontAsk);
  EXPECT_EQ(*parse_behavior("Deny"), Behavior::Deny);
  EXPECT_EQ(*parse_scope("HOST"), Scope::Host);
}

// Case 22.
TEST(RuleWords, ThatAreUnknownAreErrorsThatNameTheKnownOnes) {
  for (const std::string_view text : {"", "plan", "default ", "allow"}) {
    const auto mode = parse_mode(text);
    ASSERT_FALSE(mode.has_value()) << text;
    EXPECT_EQ(mode.error().kind, ErrorKind::InvalidArgument);
    EXPECT_THAT(mode.error().message,
                HasSubstr("default, accept_edits, explore, bypass, dont_ask"));
  }
  EXPECT_THAT(parse_behavior("passthrough").error().message, HasSubstr("allow, ask, deny"));
}

TEST(RuleWords, AreWrittenAsTheyAreRead) {
  for (const Mode mode :
       {Mode::Default, Mode::AcceptEdits, Mode::Explore, Mode::Bypass, Mode::DontAsk}) {
    EXPECT_EQ(*parse_mode(to_string(mode)), mode);
  }
}

TEST(RuleJson, IsWrittenAsItIsRead) {
  for (const Rule& each : {Rule{"w", std::nullopt, Behavior::Deny, Scope::Agent, "a \"b\""},
                           Rule{"shell", "git:*", Behavior::Allow, Scope::Session, ""}}) {
    std::string text;
    write(each, text);
    const auto again = read(text);
    ASSERT_TRUE(again.has_value()) << text;
    EXPECT_EQ(*again, each);
  }
}

TEST(RuleJson, MeansTheSessionWhereItNamesNoScope) {
  const auto rule = read(R"({"tool":"w","behavior":"ALLOW"})");
  ASSERT_TRUE(rule.has_value());
  EXPECT_EQ(rule->scope, Scope::Session);
  EXPECT_TRUE(rule->whole_tool());
}

TEST(RuleJson, IsRefusedWithTheReason) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"[]", "must be an object"},
      {"{}", "must name a tool"},
      {R"({"tool":"w"})", "unknown behavior"},
      {R"({"tool":7,"behavior":"ask"})", "\"tool\" must be a string"},
      {R"({"tool":"w","behavior":"ask","content":7})", "\"content\" must be a string"},
      {R"({"tool":"w","behavior":"ask","scope":"world"})", "unknown scope"},
      {R"({"tool":"w","behavior":"ask","contents":"x"})", "unknown member \"contents\""}};
  for (const auto& [text, why] : cases) {
    const auto rule = read(text);
    ASSERT_FALSE(rule.has_value()) << text;
    EXPECT_THAT(rule.error().message, HasSubstr(std::string(why)));
  }
}

// Case 21.
TEST(RuleSet, GivesSnapshotsThatLaterSetsDoNotChange) {
  const RuleSet before({allow("w")});
  const RulePtr held = before.find("w")->allow.front();
  const RuleSet after({allow("w"), deny("w")});
  EXPECT_EQ(before.find("w")->deny.size(), 0u);
  EXPECT_FALSE(before.denied_by_name("w"));
  EXPECT_TRUE(after.denied_by_name("w"));
  EXPECT_EQ(held->behavior, Behavior::Allow);
}

TEST(RuleSet, OutlivedByTheRuleThatDecided) {
  std::optional<Engine> host(engine(Mode::Default, {allow("w")}));
  const Decision decision = decide(*host, named("w"));
  host.reset();
  EXPECT_EQ(decision.by(), "rule test");
}

TEST(Settings, TakeRulesAndFoldersOfTheConfiguration) {
  config::Permission permission;
  permission.mode = Mode::Explore;
  permission.working_dirs = {"/srv/work", "~/code"};
  permission.dangerous_paths = {"secret.txt"};
  permission.rules = {{"w", "x", Behavior::Deny, "config.toml:3"}};
  const Settings settings = settings_of(permission, kPlace);
  EXPECT_EQ(settings.mode, Mode::Explore);
  EXPECT_EQ(settings.working_dirs, (std::vector<std::string>{"/srv/work", "/home/u/code"}));
  ASSERT_EQ(settings.rules.size(), 1u);
  EXPECT_EQ(settings.rules[0].source, "config.toml:3");
  EXPECT_EQ(settings.rules[0].scope, Scope::Host);
  EXPECT_EQ(decide_path(Engine(settings), reads_file(), "a/secret.txt").behavior, Behavior::Deny);
}

}  // namespace
}  // namespace host::permission::test
