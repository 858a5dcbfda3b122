// What agents see of the catalog.
#include "router/view/profiles.h"

#include <gmock/gmock.h>

#include "permission/decision/rulebook.h"
#include "router/view/router.h"
#include "support/fake_provider.h"

namespace host::router {
namespace {

using testing::ElementsAre;

tool::Declaration in_group(std::string name, std::string group) {
  tool::Declaration declared = test::declaration(std::move(name));
  declared.group = std::move(group);
  return declared;
}

tool::Resource resource(std::string uri) {
  tool::Resource made;
  made.uri = uri;
  made.name = std::move(uri);
  return made;
}

class ProfilesTest : public testing::Test {
 protected:
  ProfilesTest() {
    files_->add_answering(test::declaration("read_file"), "");
    files_->add_answering(in_group("write_file", "edit"), "");
    web_->add_answering(test::declaration("fetch"), "");
    web_->add_answering(test::declaration("post_read_file"), "");
    web_->add_answering(test::declaration("_log"), "");
    builtin_->add_answering(test::declaration("Skill"), "the host's");
    files_->offered.resources = {resource("file:///a")};
    web_->offered.resources = {resource("web:///b")};
    builtin_->offered.resources = {resource("skill://s/SKILL.md")};
    for (const auto& provider : {builtin_, files_, web_}) catalog_.set(provider->name(), provider);
    config::Group edit;
    edit.name = "edit";
    config_.groups = {edit};
    config_.agents["all"];
    config_.agents["reader"].plugins = {"files"};
    config_.agents["editor"].plugins = {"files"};
    config_.agents["editor"].groups = {"edit"};
    config_.agents["nothing"].plugins.emplace();
  }

  std::vector<std::string> seen(const Profiles& profiles, const std::string& agent) {
    const auto rules = std::make_shared<const permission::Rulebook>(
        permission::make_rulebook(config_, {"/home/u", "/tmp"}, added_));
    std::vector<std::string> names;
    Views views(catalog_, profiles);
    const Router router(views, rules);
    const Router::Listing listing = router.visible({"local", agent});
    for (const tool::Entry* entry : listing.tools) names.push_back(entry->tool->name());
    return names;
  }
  static std::vector<std::string> resources(const Profiles& profiles, std::string_view agent) {
    std::vector<std::string> uris;
    for (const auto& one : profiles.find(agent)->snapshot()->offers().resources())
      uris.push_back(one.resource->uri);
    return uris;
  }

  tool::Catalog catalog_;
  config::Config config_;
  std::vector<permission::OwnedRule> added_;
  std::shared_ptr<test::FakeProvider> files_ = std::make_shared<test::FakeProvider>("files");
  std::shared_ptr<test::FakeProvider> web_ = std::make_shared<test::FakeProvider>("web");
  std::shared_ptr<test::FakeProvider> builtin_ =
      std::make_shared<test::FakeProvider>("builtin", test::FakeProvider::Kind::Host);
};

TEST_F(ProfilesTest, ShowTheToolsOfTheirPluginsAndGroups) {
  const Profiles profiles(catalog_, config_);
  EXPECT_THAT(seen(profiles, ""), ElementsAre("Skill", "fetch", "read_file"));
  EXPECT_THAT(seen(profiles, "all"), ElementsAre("Skill", "fetch", "read_file"));
  EXPECT_THAT(seen(profiles, "reader"), ElementsAre("Skill", "read_file"));
  EXPECT_THAT(seen(profiles, "editor"), ElementsAre("Skill", "read_file", "write_file"));
  EXPECT_THAT(seen(profiles, "nothing"), ElementsAre("Skill"));
  EXPECT_THAT(seen(profiles, "unknown"), ElementsAre());
}

TEST_F(ProfilesTest, ShowTheOffersOfTheirPlugins) {
  const Profiles profiles(catalog_, config_);
  EXPECT_THAT(resources(profiles, ""), ElementsAre("file:///a", "skill://s/SKILL.md", "web:///b"));
  EXPECT_THAT(resources(profiles, "reader"), ElementsAre("file:///a", "skill://s/SKILL.md"));
}

TEST_F(ProfilesTest, LeaveWhatTheHostRunsOfItself) {
  const Profiles profiles(catalog_, config_);
  const auto& snapshot = profiles.find("reader")->snapshot();
  EXPECT_NE(snapshot->find("_log"), nullptr);
  ASSERT_EQ(snapshot->after("read_file").size(), 1u);
  EXPECT_EQ(snapshot->after("read_file").front()->tool->name(), "post_read_file");
}

TEST_F(ProfilesTest, FollowTheCatalog) {
  const Profiles profiles(catalog_, config_);
  EXPECT_THAT(seen(profiles, "reader"), ElementsAre("Skill", "read_file"));
  catalog_.set("files", nullptr);
  EXPECT_THAT(seen(profiles, "reader"), ElementsAre("Skill"));
}

// The upstream of this name is another server now, for all. The earlier one serves for a while.
TEST_F(ProfilesTest, SeeAnUpstreamThatIsExchangedIfTheySawBoth) {
  const auto upstream =
      std::make_shared<test::FakeProvider>("db", test::FakeProvider::Kind::Upstream);
  upstream->add_answering(test::declaration("query"), "");
  catalog_.set("upstream:db", upstream);
  config::Config before = config_;
  before.upstream.emplace_back();
  before.upstream.front().name = "db";
  before.upstream.front().agents = {"all"};
  config::Config after = before;
  after.upstream.front().agents.reset();
  Profiles profiles(catalog_, before);
  EXPECT_FALSE(profiles.take_upstreams_of_both(before, after));
  EXPECT_THAT(seen(profiles, "all"), testing::Contains("query"));
  EXPECT_THAT(seen(profiles, ""), testing::Not(testing::Contains("query")));
  EXPECT_TRUE(profiles.take_upstreams(after));
  EXPECT_THAT(seen(profiles, ""), testing::Contains("query"));
}

TEST_F(ProfilesTest, SayWhichProvidersAnAgentSees) {
  using Kind = tool::ProviderIdentity::Kind;
  config_.upstream.emplace_back().name = "db";
  config_.upstream.front().agents = {"all"};
  const Profiles profiles(catalog_, config_);
  EXPECT_TRUE(profiles.find("all")->sees({Kind::Upstream, "db"}));
  EXPECT_FALSE(profiles.find("")->sees({Kind::Upstream, "db"}));
  EXPECT_FALSE(profiles.find("reader")->sees({Kind::Plugin, "web"}));
  EXPECT_TRUE(profiles.find("reader")->sees({Kind::Plugin, "files"}));
  EXPECT_TRUE(profiles.find("nothing")->sees({Kind::Host, "builtin"}));
}

TEST_F(ProfilesTest, HoldNothingThatServesNoMore) {
  const Profiles profiles(catalog_, config_);
  EXPECT_THAT(seen(profiles, "reader"), ElementsAre("Skill", "read_file"));
  const std::weak_ptr<test::FakeProvider> replaced = files_;
  catalog_.set("files", std::make_shared<test::FakeProvider>("files"));
  files_ = nullptr;
  EXPECT_TRUE(replaced.expired());
}

TEST_F(ProfilesTest, MayHaveSkillsOfTheirOwn) {
  Profiles profiles(catalog_, config_);
  const auto own = std::make_shared<test::FakeProvider>("builtin", test::FakeProvider::Kind::Host);
  own->add_answering(test::declaration("Skill"), "its own");
  own->offered.resources = {resource("skill://t/SKILL.md")};
  profiles.find("reader")->set_builtin(own);
  EXPECT_THAT(seen(profiles, "reader"), ElementsAre("Skill", "read_file"));
  EXPECT_EQ(profiles.find("reader")->snapshot()->find("Skill")->provider, own);
  EXPECT_EQ(profiles.find("")->snapshot()->find("Skill")->provider, builtin_);
  EXPECT_THAT(resources(profiles, "reader"), ElementsAre("file:///a", "skill://t/SKILL.md"));
  own->offered.resources.clear();
  profiles.find("reader")->builtin_changed();
  EXPECT_THAT(resources(profiles, "reader"), ElementsAre("file:///a"));
}

TEST(GroupsTest, HideTheSkillsThatAreInGroupsButInNoActiveOne) {
  config::Group asleep;
  asleep.name = "x";
  asleep.skills = {"a", "b"};
  config::Group awake;
  awake.name = "y";
  awake.active = true;
  awake.skills = {"b", "c"};
  using Set = std::set<std::string>;
  const Groups all({asleep, awake}, Switchable::All);
  EXPECT_EQ(all.hidden_skills(nullptr), Set({"a"}));
  const std::vector<std::string> none, both{"x", "y"}, x{"x"};
  EXPECT_EQ(all.hidden_skills(&none), Set({"a", "b", "c"}));
  EXPECT_EQ(all.hidden_skills(&both), Set());
  EXPECT_EQ(all.hidden_skills(&x), Set({"c"}));
  // What the session may not switch stays as it is.
  EXPECT_EQ(Groups({asleep, awake}, Switchable::ActiveOnes).hidden_skills(&both), Set({"a"}));
  EXPECT_FALSE(Groups({config::Group()}).have_skills());
}

TEST_F(ProfilesTest, DoNotShowWhatARuleDeniesThem) {
  config_.agents["all"].rules = {{"fetch", {}, config::Behavior::Deny, "config.toml:1"}};
  permission::Rule stored;
  stored.tool = "read_file";
  stored.behavior = config::Behavior::Deny;
  added_ = {{stored, "reader", ""}};
  const Profiles profiles(catalog_, config_);
  EXPECT_THAT(seen(profiles, "all"), ElementsAre("Skill", "read_file"));
  EXPECT_THAT(seen(profiles, "reader"), ElementsAre("Skill"));
  EXPECT_THAT(seen(profiles, ""), ElementsAre("Skill", "fetch", "read_file"));
}

}  // namespace
}  // namespace host::router
