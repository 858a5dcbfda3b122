// What agents and sessions add to the host's policy.
#include "permission/decision/rulebook.h"

#include "unit/permission/support.h"

namespace host::permission {
namespace {

const Place kPlace{"/home/u", "/home/u/code"};

Request asked_by(const Rulebook& book, const tool::Declaration& tool, const json::Value& arguments,
                 const char* agent, const char* session = "") {
  Request request{.tool = tool,
                  .standing = tool::standing_of(tool, tool::ProviderIdentity::Kind::Plugin),
                  .arguments = arguments,
                  .auto_approve = std::nullopt};
  request.agent = book.of_agent(agent);
  request.session = book.of_session(session);
  return request;
}

Rule rule(std::string tool, Behavior behavior) {
  Rule made;
  made.tool = std::move(tool);
  made.behavior = behavior;
  return made;
}

TEST(Rulebook, GivesAnAgentItsModeAndFoldersBesideTheHosts) {
  config::Config config;
  config.permission.working_dirs = {"/srv"};
  config.agents["coder"].mode = Mode::AcceptEdits;
  config.agents["coder"].working_dirs = {"mine", "/opt/it"};
  const Rulebook book = make_rulebook(config, kPlace, {});
  const tool::Declaration tool = test::named("t");
  const json::Value none(rapidjson::kObjectType);
  const Request coder = asked_by(book, tool, none, "coder");
  EXPECT_EQ(book.engine.mode(coder), Mode::AcceptEdits);
  EXPECT_EQ(book.engine.working_dirs(coder),
            (std::vector<std::string>{"/srv", "/home/u/code/mine", "/opt/it"}));
  const Request nobody = asked_by(book, tool, none, "");
  EXPECT_EQ(book.engine.mode(nobody), Mode::Default);
  EXPECT_EQ(book.engine.working_dirs(nobody), std::vector<std::string>{"/srv"});
}

TEST(Rulebook, HoldsEachRuleForWhomItIs) {
  const std::vector<OwnedRule> added = {{rule("of_all", Behavior::Allow), "", ""},
                                        {rule("of_agent", Behavior::Allow), "coder", ""},
                                        {rule("of_session", Behavior::Allow), "", "s1"},
                                        {rule("of_nobody", Behavior::Deny), "gone", ""}};
  const Rulebook book = make_rulebook(config::Config{}, kPlace, added);
  const json::Value none(rapidjson::kObjectType);
  const auto allows = [&](const char* name, const char* agent, const char* session) {
    const tool::Declaration tool = test::named(name);
    return book.engine.decide(asked_by(book, tool, none, agent, session)).behavior ==
           Behavior::Allow;
  };
  EXPECT_TRUE(allows("of_all", "", ""));
  EXPECT_TRUE(allows("of_all", "coder", "s1"));
  EXPECT_TRUE(allows("of_agent", "coder", ""));
  EXPECT_FALSE(allows("of_agent", "", ""));
  EXPECT_FALSE(allows("of_agent", "other", ""));
  EXPECT_TRUE(allows("of_session", "", "s1"));
  EXPECT_FALSE(allows("of_session", "coder", "s2"));
  EXPECT_EQ(book.denial_by_name("of_nobody", {"p", "coder", "s1"}), nullptr);
  EXPECT_NE(book.denial_by_name("of_nobody", {"p", "gone", ""}), nullptr);
}

TEST(Rulebook, HoldsARuleOfACallerForThatPrincipalAsThatAgentAlone) {
  const std::vector<OwnedRule> added = {{rule("plain", Behavior::Allow), "", "", "ann"},
                                        {rule("as_coder", Behavior::Allow), "coder", "", "ann"},
                                        {rule("denied", Behavior::Deny), "", "", "bob"}};
  const Rulebook book = make_rulebook(config::Config{}, kPlace, added);
  const json::Value none(rapidjson::kObjectType);
  const auto allows = [&](const char* name, const char* principal, const char* agent) {
    const tool::Declaration tool = test::named(name);
    Request request = asked_by(book, tool, none, agent);
    request.caller = book.of_caller(principal, agent);
    return book.engine.decide(request).behavior == Behavior::Allow;
  };
  EXPECT_TRUE(allows("plain", "ann", ""));
  EXPECT_FALSE(allows("plain", "bob", ""));
  EXPECT_FALSE(allows("plain", "ann", "coder"));
  EXPECT_TRUE(allows("as_coder", "ann", "coder"));
  EXPECT_FALSE(allows("as_coder", "bob", "coder"));
  EXPECT_FALSE(allows("as_coder", "ann", ""));
  EXPECT_NE(book.denial_by_name("denied", {"bob", "", ""}), nullptr);
  EXPECT_EQ(book.denial_by_name("denied", {"ann", "", ""}), nullptr);
}

TEST(Rulebook, AnAgentsAllowTakesNothingFromTheHostsDeny) {
  config::Config config;
  config.permission.rules = {{"t", {}, Behavior::Deny, "config.toml:1"}};
  config.agents["coder"].rules = {{"t", {}, Behavior::Allow, "config.toml:2"}};
  config.agents["coder"].mode = Mode::Bypass;
  const Rulebook book = make_rulebook(config, kPlace, {});
  const tool::Declaration tool = test::named("t");
  const json::Value none(rapidjson::kObjectType);
  EXPECT_EQ(book.engine.decide(asked_by(book, tool, none, "coder")).behavior, Behavior::Deny);
  EXPECT_NE(book.denial_by_name("t", {"p", "coder", ""}), nullptr);
}

}  // namespace
}  // namespace host::permission
