// What a client may set for a session, and what a change of a session checks again.
#include "router/view/session_bounds.h"

#include <gtest/gtest.h>

#include "json/fault.h"
#include "json/json.h"
#include "permission/rule/rule.h"
#include "support/fake_provider.h"

namespace host::router {
namespace {

using session::Settings;

class SessionBoundsTest : public testing::Test {
 protected:
  SessionBoundsTest() {
    config::Group billing;
    billing.name = "billing";
    config_.groups = {billing};
    config_.permission.mode = permission::Mode::AcceptEdits;
    config_.permission.working_dirs = {"/tmp"};
    offer("github", "list_issues");
    Settings& had = before_;
    had.mode = permission::Mode::AcceptEdits;
    had.working_dirs = {"/tmp"};
    had.groups = {"billing"};
    had.mcp_providers = {"github"};
    had.tools = std::make_shared<const std::string>(tools());
    had.presets = std::make_shared<const std::string>(R"({"list_issues":{}})");
  }

  void offer(const std::string& plugin, const std::string& name) {
    const auto provider = std::make_shared<test::FakeProvider>(plugin);
    provider->add_answering(test::declaration(name), "");
    catalog_.set(plugin, provider);
  }
  static std::string tools() {
    const auto given = json::parse(R"({"get_locations":{"name":"get_locations",
        "description":"Lists","requestArgs":{"properties":{}},"responseShape":{"properties":{}}}})");
    const auto read = session::read_tools(given->root(), "", {});
    return read ? read->text : read.error().message;
  }
  // As after a new start: the session is as it was, with other plugins and another configuration.
  void everything_goes() {
    catalog_.set("github", nullptr);
    config_.groups.clear();
    config_.permission.mode = permission::Mode::Explore;
    config_.permission.working_dirs = {"/usr"};
  }
  std::string fault(const Settings& wanted, const Settings* before) {
    const Profiles profiles(catalog_, config_);
    const Result<void> allowed = SessionBounds(config_, profiles, sets_).check(wanted, "", before);
    return allowed ? "" : std::string(json::pointer_of(allowed.error()));
  }

  tool::Catalog catalog_;
  config::Config config_;
  session::ToolSets sets_;
  Settings before_;
};

TEST_F(SessionBoundsTest, AChangeIsNotRefusedForWhatItLeavesAsItIs) {
  EXPECT_EQ(fault(before_, nullptr), "");
  everything_goes();
  EXPECT_EQ(fault(before_, nullptr), kModePlace);
  Settings wanted = before_;
  // A body that repeats a text has a text of its own.
  wanted.tools = std::make_shared<const std::string>(*before_.tools);
  wanted.presets = std::make_shared<const std::string>(*before_.presets);
  EXPECT_EQ(fault(wanted, &before_), "");
}

TEST_F(SessionBoundsTest, AChangedMemberIsChecked) {
  everything_goes();
  Settings wanted = before_;
  wanted.mode = permission::Mode::Bypass;
  EXPECT_EQ(fault(wanted, &before_), kModePlace);
  wanted = before_;
  wanted.working_dirs = {"/tmp", "/usr"};
  EXPECT_EQ(fault(wanted, &before_), std::string(kDirsPlace) + "/0");
  wanted = before_;
  wanted.groups = {"billing", "billing"};
  EXPECT_EQ(fault(wanted, &before_), std::string(kGroupsPlace) + "/0");
  wanted = before_;
  wanted.mcp_providers = {"gone"};
  EXPECT_EQ(fault(wanted, &before_), std::string(kProvidersPlace) + "/0");
}

TEST_F(SessionBoundsTest, ToolsAndPresetsAreCheckedAgainWithOtherProviders) {
  offer("crm", "get_locations");
  EXPECT_EQ(fault(before_, &before_), "");
  Settings wanted = before_;
  wanted.mcp_providers = {"github", "crm"};
  EXPECT_EQ(fault(wanted, &before_), std::string(kToolsPlace) + "/get_locations");
  wanted.tools = nullptr;
  wanted.mcp_providers = {"crm"};
  EXPECT_EQ(fault(wanted, &before_), std::string(kPresetsPlace) + "/list_issues");
}

}  // namespace
}  // namespace host::router
