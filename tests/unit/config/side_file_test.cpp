// What a side file may have, and where its faults are reported. What it may allow is in
// tests/unit/plugin/narrowing_test.cpp.
#include "config/reader/side_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace host::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const char* const kEnvironment[] = {"HOME=/home/ada", nullptr};

Result<std::shared_ptr<const SideFile>> read(std::string text) {
  return parse_side_file(std::move(text), "/p/hello.toml", kEnvironment);
}

std::string fault_of(std::string text) {
  const auto read_file = read(std::move(text));
  return read_file ? "" : read_file.error().message;
}

TEST(SideFile, HasTheKeysOfAPluginAndOfItsTools) {
  const auto side = read(R"(timeout_s = 2
fs = ["ro:~/data"]
[tool.greet]
enabled = false
presets = { name = "Ada" }
[tool.greet.extend.properties.why]
type = "string"
)");
  ASSERT_TRUE(side) << side.error().message;
  const Plugin& plugin = (*side)->plugin;
  EXPECT_EQ(plugin.timeout, Seconds(2000));
  EXPECT_EQ(plugin.fs, (std::vector<sandbox::FsGrant>{{"/home/ada/data", false}}));
  const ToolOverride& greet = plugin.tools.at("greet");
  EXPECT_EQ(greet.enabled, false);
  EXPECT_EQ(greet.presets, R"({"name":"Ada"})");
  EXPECT_EQ(greet.extend, R"({"properties":{"why":{"type":"string"}}})");
  EXPECT_THAT((*side)->plugin_keys(), ElementsAre("fs", "timeout_s"));
  EXPECT_THAT((*side)->keys(), ElementsAre("fs", "timeout_s", "tool.greet.enabled",
                                           "tool.greet.extend", "tool.greet.presets"));
  EXPECT_EQ((*side)->places.at("tool.greet.presets").line, 5u);
  EXPECT_EQ((*side)->fault("fs", "C023", "no", "try").message,
            "/p/hello.toml:2:1: error[C023]: no; try");
}

TEST(SideFile, MayBeEmpty) {
  const auto side = read("# nothing\n");
  ASSERT_TRUE(side);
  EXPECT_TRUE((*side)->keys().empty());
}

TEST(SideFile, ReportsTheFirstFaultWithItsPlace) {
  EXPECT_EQ(
      fault_of("tols = 1"),
      R"(/p/hello.toml:1:1: error[C014]: unknown key "tols" in hello.toml; did you mean "tool"?)");
  EXPECT_THAT(
      fault_of("\n[tool.greet]\nenable = false\nread_onl = false"),
      StartsWith(R"(/p/hello.toml:3:1: error[C014]: unknown key "enable" in [tool.greet])"));
  EXPECT_THAT(fault_of("\n[tool.greet]\nenable = false\nread_onl = false"),
              HasSubstr("(and 1 more in this file)"));
  EXPECT_THAT(fault_of("[tool.\"a b\"]"), HasSubstr("[tool.a b]: expected 1 to 64 letters"));
  EXPECT_THAT(fault_of("tool = 1"), HasSubstr("hello.toml: expected a table"));
  EXPECT_THAT(fault_of("timeout_s = 1e9"), HasSubstr("C012"));
  EXPECT_THAT(fault_of("isolation = \"inlin\""), HasSubstr("did you mean \"inline\"?"));
  EXPECT_THAT(fault_of("isolation = \"inline\"\nworkers = 2"), HasSubstr("C018"));
  EXPECT_THAT(fault_of("trust = \"none\"\ntrust_read_only = true"), HasSubstr("C018"));
}

TEST(SideFile, IsBoundedInDepthToolsAndReports) {
  EXPECT_THAT(fault_of("a = " + std::string(200, '[') + std::string(200, ']')),
              HasSubstr("nest deeper than 32"));
  std::string many;
  for (int i = 0; i <= 1024; ++i) many += "[tool.t" + std::to_string(i) + "]\n";
  EXPECT_THAT(fault_of(many), HasSubstr("sections for 1025 tools, more than the 1024 allowed"));
  // All faults in one line: each of them quotes a part of it.
  std::string line = "tool = { ";
  while (line.size() < SideFile::kMostBytes - 100)
    line += "t" + std::to_string(line.size()) + " = 1, ";
  EXPECT_THAT(fault_of(line + "z = 1 }"), HasSubstr("more in this file"));
}

TEST(SideFile, ThatIsNoTomlIsRefused) {
  for (const char* const text : {"[tool.greet", "a = ", "\xff = 1", "a = 1\na = 2"})
    EXPECT_THAT(fault_of(text), HasSubstr("error[C002]")) << text;
}

}  // namespace
}  // namespace host::config
