// Plugins and hosts of different ages, seen from the plugin's side and by who steps through its
// tables.
#include <cstring>

#include <gtest/gtest.h>

#include "support/fake_host.h"
#include "support/places.h"

namespace {

std::string test_plugin(const std::string& name) {
  return places::build().string() + "/tests/plugins/" + name + ".so";
}

TEST(Skew, ToolsOfALargerStrideAreFoundByTheStrideAndAnswer) {
  fake::Plugin plugin(test_plugin("skew_larger_tool"));
  EXPECT_GT(plugin.about().tool_stride, sizeof(tp_tool));
  EXPECT_TRUE(TP_HAS(tp_tool, &plugin.tool(1), icons));
  EXPECT_EQ(fake::text(plugin.tool(1).exclusive), "skew");
  EXPECT_EQ(plugin.answer("second", "{}"), "second");
}

TEST(Skew, AToolOfASmallerStrideSaysThatItLacksTheLastField) {
  fake::Plugin plugin(test_plugin("skew_smaller_tool"));
  EXPECT_LT(plugin.about().tool_stride, sizeof(tp_tool));
  EXPECT_FALSE(TP_HAS(tp_tool, &plugin.tool(0), icons));
  EXPECT_TRUE(TP_HAS(tp_tool, &plugin.tool(0), after));
  EXPECT_EQ(plugin.answer("first", "{}"), "first");
  EXPECT_EQ(plugin.answer("second", "{}"), "second");
}

TEST(Skew, AnotherMajorVersionIsToldByTheDescription) {
  fake::Plugin plugin(test_plugin("abi_major_2"));
  EXPECT_EQ(plugin.about().abi_major, 2u);
}

TEST(Skew, HelloServesAHostThatKnowsNoMoreThanItAsksFor) {
  fake::Plugin whole(places::build().string() + "/plugins/hello.so");
  tp_host_api small{};
  std::memcpy(&small, &fake::host_api(), whole.about().host_api_min_size);
  small.struct_size = whole.about().host_api_min_size;
  ASSERT_LT(small.struct_size, sizeof(tp_host_api));
  fake::Plugin plugin(places::build().string() + "/plugins/hello.so", "{}", small);
  EXPECT_EQ(plugin.answer("greet", R"({"name":"Ada"})"), "Hello, Ada!");
}

TEST(Skew, APluginServesAHostWhoseTableHasGrown) {
  struct {
    tp_host_api known;
    void* unknown[4];
  } grown{fake::host_api(), {}};
  grown.known.struct_size = sizeof grown;
  fake::Plugin plugin(places::build().string() + "/plugins/clock.so", "{}", grown.known);
  EXPECT_NE(plugin.answer("get_current_time", "{}").find("UTC"), std::string::npos);
}

}  // namespace
