// Plugins built against headers of another age, whose structs are smaller or larger than this
// host's: see tests/plugins/skew.
#include "support/places.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class Skew : public PluginTest {
 protected:
  Skew() { settings().isolation = GetParam(); }

  void load(const std::string& name) {
    install_file(places::build() / "tests/plugins" / (name + ".so"));
    start();
  }
  void expect_serves(const std::string& name) {
    load(name);
    ASSERT_EQ(status().state, State::Active) << status().last_error;
    ASSERT_EQ(status().tools.size(), 2u);
    const tool::Declaration& first = catalog_.snapshot()->find("first")->tool->declared();
    EXPECT_EQ(first.description, "Answers first");
    EXPECT_EQ(first.max_inflight, 3u);
    EXPECT_EQ(first.exclusive, "");
    const tool::Declaration& second = catalog_.snapshot()->find("second")->tool->declared();
    EXPECT_EQ(second.description, "Answers second");
    EXPECT_EQ(second.exclusive, "skew");
    EXPECT_EQ(text("first"), "first");
    EXPECT_EQ(text("second"), "second");
  }
  void expect_refused(const std::string& name, const std::string& words) {
    load(name);
    EXPECT_EQ(status().state, State::Rejected);
    EXPECT_NE(status().last_error.find(words), std::string::npos) << status().last_error;
    EXPECT_TRUE(catalog_.snapshot()->entries().empty());
  }
};
INSTANTIATE_TEST_SUITE_P(Both, Skew,
                         ::testing::Values(config::Isolation::Worker, config::Isolation::Inline),
                         isolation_name);

TEST_P(Skew, ToolsThatHaveGrownServe) {
  expect_serves("skew_larger_tool");
}
TEST_P(Skew, ToolsThatAreSmallerServe) {
  expect_serves("skew_smaller_tool");
}
TEST_P(Skew, ADescriptorAndAnInstancesTableThatHaveGrownServe) {
  expect_serves("skew_larger_tables");
}
TEST_P(Skew, AnInstancesTableWithoutItsLaterFunctionsServes) {
  expect_serves("skew_smaller_table");
}
TEST_P(Skew, ADescriptorTooSmallForItsFirstFieldsIsRefused) {
  expect_refused("skew_tiny_plugin", "set struct_size to sizeof(tp_plugin)");
}
TEST_P(Skew, AStrideTooSmallForAToolsFirstFieldsIsRefused) {
  expect_refused("skew_tiny_stride", "set it to sizeof(tp_tool)");
}
TEST_P(Skew, ATableTooSmallForItsFirstFunctionsIsRefused) {
  expect_refused("skew_tiny_table", "its tp_instance_api has");
}

}  // namespace
}  // namespace host::plugin
