#include "router/view/views.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "executor/executor.h"
#include "permission/decision/rulebook.h"
#include "router/step/permission_step.h"
#include "router/view/router.h"
#include "session/client_tools.h"
#include "support/fake_provider.h"
#include "support/manual_clock.h"
#include "support/passports.h"
#include "support/run_loop.h"

namespace host::router {
namespace {

using ::testing::ElementsAre;

// Notes what it is given, and answers none.
struct FakeWork final : tool::CallerWork {
  std::vector<std::string> handed;
  std::vector<std::string> taken_back;
  bool has_twin(const tool::Call&, const tool::Tool&) override { return false; }
  boost::asio::awaitable<Result<tool::CallResult>> join_twin(tool::Call&,
                                                             const tool::Tool&) override {
    co_return tool::CallResult::text("");
  }
  boost::asio::awaitable<Result<void>> prepare(tool::Call&, const tool::Tool&) override {
    co_return Result<void>();
  }
  boost::asio::awaitable<void> checked(const tool::Call&, const tool::CallResult&) override {
    co_return;
  }
  bool ended(const tool::Call&, const Result<tool::CallResult>&) override { return false; }
  void hand_over(std::shared_ptr<tool::Invocation> invocation) override {
    handed.push_back(invocation->tool->name());
  }
  void take_back(const std::shared_ptr<tool::Invocation>& invocation) override {
    taken_back.push_back(invocation->tool->name());
  }
};

class ViewsTest : public ::testing::Test {
 protected:
  ViewsTest() {
    config::Group edit;
    edit.name = "edit";
    edit.active = true;
    edit.tools = {"write_file"};
    config.groups = {edit};
    builtin->add_answering(test::declaration("Skill"), "");
    files->add_answering(test::declaration("read_file"), "");
    files->add_answering(test::declaration("write_file"), "");
    web->add_answering(test::declaration("fetch"), "");
    web->add_answering(test::declaration("post_look"), "");
    web->add_answering(test::declaration("post_read_file"), "");
    for (const auto& provider : {builtin, files, web}) catalog.set(provider->name(), provider);
    profiles.emplace(catalog, config);
    views.emplace(catalog, *profiles, sessions.get());
    views->take_client_tools(sets, work);
    sessions->adopt("s_1", "anna", "", clock.wall());
  }

  void set(session::Settings settings) {
    const auto now = sessions->find("s_1");
    ASSERT_FALSE(loop.get(sessions->change("s_1", now->version, std::move(settings)))->clash);
  }
  static session::Settings with_tools(const std::vector<std::string>& names) {
    std::string text = "{";
    for (const std::string& name : names) {
      text += (text.size() > 1 ? ",\"" : "\"") + name + R"(":{"name":")" + name +
              R"(","description":"d","requestArgs":{"properties":{}},)" +
              R"("responseShape":{"properties":{}}})";
    }
    session::Settings settings;
    settings.tools = std::make_shared<const std::string>(text + "}");
    return settings;
  }
  std::vector<std::string> seen(const tool::Peer& who) {
    const auto rules = std::make_shared<const permission::Rulebook>(
        permission::make_rulebook(config, {"/home/u", "/tmp"}, {}));
    std::vector<std::string> names;
    const Router router(*views, rules);
    const Router::Listing listing = router.visible(who);
    for (const tool::Entry* entry : listing.tools) {
      names.push_back(entry->tool->name());
      EXPECT_TRUE(router.resolve(who, entry->tool->name()));  // what is listed can be called
    }
    return names;
  }
  std::vector<std::string> after(const std::string& action) {
    std::vector<std::string> names;
    for (const tool::Entry* post : views->of(anna)->snapshot->after(action))
      names.push_back(post->tool->name());
    return names;
  }

  test::RunLoop loop;
  test::ManualClock clock;
  config::Config config;
  tool::Catalog catalog;
  std::shared_ptr<test::FakeProvider> builtin =
      std::make_shared<test::FakeProvider>("builtin", tool::ProviderIdentity::Kind::Host);
  std::shared_ptr<test::FakeProvider> files = std::make_shared<test::FakeProvider>("files");
  std::shared_ptr<test::FakeProvider> web = std::make_shared<test::FakeProvider>("web");
  std::shared_ptr<session::Sessions> sessions = std::make_shared<session::Sessions>(
      loop.io.get_executor(), nullptr, clock, session::Sessions::Limits());
  session::ToolSets sets;
  FakeWork work;
  std::optional<Profiles> profiles;
  std::optional<Views> views;
  const tool::Peer anna{"anna", "", "s_1"};
};

TEST_F(ViewsTest, ASessionWithoutSettingsSeesWhatItsAgentSees) {
  EXPECT_THAT(seen(anna), ElementsAre("Skill", "fetch", "read_file", "write_file"));
  EXPECT_EQ(views->of(anna)->snapshot, catalog.snapshot());
  EXPECT_EQ(views->size(), 0u);
}

TEST_F(ViewsTest, ASessionThatHasEndedOrIsAnothersSeesNothing) {
  EXPECT_THAT(seen({"bob", "", "s_1"}), ElementsAre());
  sessions->release("s_1");
  EXPECT_THAT(seen(anna), ElementsAre());
}

TEST_F(ViewsTest, ProvidersAndGroupsNarrow) {
  session::Settings settings;
  settings.mcp_providers = std::vector<std::string>{"files"};
  set(settings);
  EXPECT_THAT(seen(anna), ElementsAre("Skill", "read_file", "write_file"));
  settings.groups = std::vector<std::string>{};
  set(settings);
  EXPECT_THAT(seen(anna), ElementsAre("Skill", "read_file"));
  // The operator's tools follow as before.
  EXPECT_THAT(after("read_file"), ElementsAre("post_read_file"));
}

TEST_F(ViewsTest, ClientToolsAreInNoOtherView) {
  sessions->adopt("s_2", "anna", "", clock.wall());
  set(with_tools({"look", "pre_move", "post_move"}));
  EXPECT_THAT(seen(anna),
              ElementsAre("Skill", "fetch", "look", "pre_move", "read_file", "write_file"));
  EXPECT_THAT(seen({"anna", "", "s_2"}), ElementsAre("Skill", "fetch", "read_file", "write_file"));
  EXPECT_THAT(seen({"anna", "", ""}), ElementsAre("Skill", "fetch", "read_file", "write_file"));
}

TEST_F(ViewsTest, PostToolsOfTheHostDoNotFollowAClientsTools) {
  set(with_tools({"look", "post_read_file_too", "post_fetch"}));
  EXPECT_THAT(after("look"), ElementsAre());
  EXPECT_THAT(after("fetch"), ElementsAre("post_fetch"));
  EXPECT_THAT(after("read_file"), ElementsAre("post_read_file"));
}

TEST_F(ViewsTest, ACatalogsToolThatComesLaterHasPriority) {
  set(with_tools({"look", "weigh"}));
  EXPECT_EQ(views->of(anna)->snapshot->find("weigh")->provider->name(), "session");
  files->add_answering(test::declaration("weigh"), "");
  catalog.set("files", files);
  EXPECT_EQ(views->of(anna)->snapshot->find("weigh")->provider->name(), "files");
  EXPECT_EQ(views->of(anna)->snapshot->find("look")->provider->name(), "session");
}

TEST_F(ViewsTest, AViewIsMadeOnceForASnapshotAndWhatASessionSaysOfTools) {
  set(with_tools({"look"}));
  const auto first = views->of(anna)->snapshot;
  EXPECT_EQ(views->of(anna)->snapshot, first);
  session::Settings with_todos = sessions->find("s_1")->settings;
  with_todos.todos = std::make_shared<const session::Todos>();
  set(with_todos);
  EXPECT_EQ(views->of(anna)->snapshot, first);
  EXPECT_EQ(views->of(anna)->session->settings.todos, with_todos.todos);
  set(with_tools({"look", "find"}));
  EXPECT_TRUE(views->of(anna)->snapshot->find("find"));
  session::Settings narrowed = with_tools({"look"});
  narrowed.mcp_providers.emplace();
  set(narrowed);
  const auto without = views->of(anna)->snapshot;
  EXPECT_FALSE(without->find("read_file"));
  narrowed.presets = std::make_shared<const std::string>("{}");
  set(narrowed);
  EXPECT_NE(views->of(anna)->snapshot, without);
  set(with_tools({"look"}));
  const auto second = views->of(anna)->snapshot;
  EXPECT_NE(second, first);
  catalog.set("web", nullptr);
  EXPECT_EQ(views->size(), 0u);  // so that replaced providers can retire
  EXPECT_NE(views->of(anna)->snapshot, second);
  EXPECT_THAT(seen(anna), ElementsAre("Skill", "look", "read_file", "write_file"));
}

TEST_F(ViewsTest, AViewFollowsTheSkillsOfItsAgent) {
  session::Settings settings;
  settings.mcp_providers = session::Names{std::vector<std::string>{"files"}};
  set(settings);
  const auto before = views->of(anna)->snapshot;
  EXPECT_EQ(views->of(anna)->snapshot, before);
  profiles->find("")->set_builtin(std::make_shared<test::FakeProvider>(
      "builtin", tool::ProviderIdentity::Kind::Host));  // nothing is published
  EXPECT_NE(views->of(anna)->snapshot, before);
  EXPECT_THAT(seen(anna), ElementsAre("read_file", "write_file"));
}

// However a tool comes into groups, and whichever of them are active.
TEST_F(ViewsTest, EveryToolThatIsOfferedIsAmongThoseToCheck) {
  config::Group look = config.groups.front();
  look.name = "look";
  look.active = false;
  look.tools = {"write_file", "fetch"};
  config::Group web_tools = look;
  web_tools.name = "web";
  web_tools.tools.clear();
  web_tools.plugins = {"web"};
  config.groups.push_back(look);
  config.groups.push_back(web_tools);
  tool::Declaration own = test::declaration("stat");
  own.group = "look";
  files->add_answering(own, "");
  own = test::declaration("list");
  own.group = "nobody-describes-it";
  files->add_answering(own, "");
  catalog.set("files", files);
  profiles.emplace(catalog, config);
  views.emplace(catalog, *profiles, sessions.get());
  const std::vector<std::vector<std::string>> chosen = {
      {}, {"edit"}, {"look"}, {"web"}, {"look", "edit", "web"}};
  for (const auto& groups : chosen) {
    session::Settings settings;
    settings.groups = groups;
    set(settings);
    const auto view = *views->of(anna);
    std::vector<const tool::Entry*> offered;
    for (const tool::Entry& entry : view.snapshot->entries()) {
      if (view.offers(entry)) offered.push_back(&entry);
    }
    const auto found = views->tools_to_check(view);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    EXPECT_TRUE(std::includes(found.begin(), found.end(), offered.begin(), offered.end()))
        << groups.size();
    EXPECT_LT(found.size(), view.snapshot->entries().size() + (groups.size() == 3 ? 1 : 0));
  }
}

TEST_F(ViewsTest, ASessionWithOtherSkillsHasTheirProviderAndSharesItsSnapshot) {
  const auto other =
      std::make_shared<test::FakeProvider>("builtin", tool::ProviderIdentity::Kind::Host);
  other->add_answering(test::declaration("Skill"), "");
  views->take_session_skills([&](const tool::Peer&, const session::Session& session) {
    return session.settings.groups ? other : nullptr;
  });
  sessions->adopt("s_2", "anna", "", clock.wall());
  const tool::Peer second{"anna", "", "s_2"};
  EXPECT_EQ(views->of(anna)->snapshot, catalog.snapshot());
  session::Settings settings;
  settings.groups = std::vector<std::string>{"edit"};
  set(settings);
  ASSERT_FALSE(loop.get(sessions->change("s_2", 1, settings))->clash);
  EXPECT_EQ(views->of(anna)->snapshot->find("Skill")->provider, other);
  EXPECT_EQ(views->of(anna)->snapshot, views->of(second)->snapshot);
  EXPECT_THAT(seen(anna), ElementsAre("Skill", "fetch", "read_file", "write_file"));
  settings.mcp_providers = std::vector<std::string>{"files"};
  set(settings);
  EXPECT_EQ(views->of(anna)->snapshot->find("Skill")->provider, other);
  EXPECT_THAT(seen(anna), ElementsAre("Skill", "read_file", "write_file"));
  catalog.set("web", nullptr);  // a publication: nothing that was replaced is kept
  EXPECT_THAT(seen(second), ElementsAre("Skill", "read_file", "write_file"));
  EXPECT_EQ(views->of({"anna", "", ""})->snapshot->find("Skill")->provider, builtin);
}

TEST_F(ViewsTest, ACallOfASessionThatHasEndedIsDenied) {
  const auto rules = std::make_shared<const permission::Rulebook>(
      permission::make_rulebook(config, {"/home/u", "/tmp"}, {}));
  executor::Executor executor(loop.io.get_executor());
  PermissionStep step(rules, executor, sessions);
  tool::Declaration reads = test::declaration("look");
  reads.read_only = true;
  web->add_answering(reads, "");
  tool::Call call;
  call.passport = test::passport_with([&](tool::Passport& passport) { passport.who = anna; });
  call.name = "look";
  const Route route{web->tools().back(), web, catalog.snapshot()};
  EXPECT_EQ(loop.get(step.decide(call, route)).behavior, permission::Behavior::Allow);
  sessions->release("s_1");
  EXPECT_EQ(loop.get(step.decide(call, route)).behavior, permission::Behavior::Deny);
  EXPECT_TRUE(step.deny_post(call, route));
  EXPECT_EQ(call.outcome, "denied");
}

TEST_F(ViewsTest, ViewsThatNobodyUsesAreForgotten) {
  for (int i = 0; i < 300; ++i) {
    const std::string id = "s_many" + std::to_string(i);
    sessions->adopt(id, "anna", "", clock.wall());
    ASSERT_FALSE(loop.get(sessions->change(id, 1, with_tools({"look"})))->clash);
    EXPECT_TRUE(views->of({"anna", "", id})->snapshot->find("look"));
  }
  EXPECT_LE(views->size(), 256u);
}

TEST_F(ViewsTest, CallsOfClientToolsAreHandedOver) {
  set(with_tools({"look"}));
  const tool::Entry* const look = views->of(anna)->snapshot->find("look");
  EXPECT_TRUE(look->provider->identity().is_session());
  EXPECT_THAT(look->provider->identity().build, ::testing::StartsWith("sha256:"));
  const auto invocation = std::make_shared<tool::Invocation>();
  invocation->tool = look->tool;
  look->provider->start(invocation);
  look->provider->cancel(invocation);
  EXPECT_THAT(work.handed, ElementsAre("look"));
  EXPECT_THAT(work.taken_back, ElementsAre("look"));
}

}  // namespace
}  // namespace host::router
