#include "upstream/provider/served_tools.h"

#include <gmock/gmock.h>

#include "upstream/provider/tool_name.h"

namespace host::upstream {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

config::Upstream settings() {
  config::Upstream made;
  made.name = "u";
  return made;
}

std::string named(const std::string& name, const std::string& more = "") {
  return R"({"name":")" + name + R"(","description":"d","inputSchema":{"type":"object",)" +
         R"("properties":{"a":{"type":"string"}}})" + more + "}";
}

TEST(ServedName, ReplacesCharactersAndShortensWithADigest) {
  EXPECT_EQ(served_name("git", "search.code"), "mcp__git__search_code");
  EXPECT_EQ(served_name("git", "a b\xC3\xA9"), "mcp__git__a_b__");
  const std::string longest = served_name("git", std::string(100, 'x'));
  EXPECT_THAT(longest, SizeIs(64));
  EXPECT_NE(longest, served_name("git", std::string(99, 'x')));
}

TEST(FitsPattern, KnowsOnlyTheStar) {
  EXPECT_TRUE(fits_pattern("*", ""));
  EXPECT_TRUE(fits_pattern("get_*", "get_x"));
  EXPECT_TRUE(fits_pattern("*a*b", "xaxbxb"));
  EXPECT_FALSE(fits_pattern("*a*b", "xbxa"));
  EXPECT_FALSE(fits_pattern("get", "get_x"));
  EXPECT_FALSE(fits_pattern("a*a", "a"));
}

TEST(ServedTools, ABadToolIsLeftOutByItself) {
  const auto served = served_tools(
      settings(), {named("good"), R"({"name":"none"})", "[]", R"({"name":"","inputSchema":{}})",
                   R"({"name":"bad","inputSchema":{"type":"object","properties":7}})",
                   named("task", R"(,"execution":{"taskSupport":"required"})")});
  ASSERT_THAT(served.tools, SizeIs(2));
  EXPECT_EQ(served.tools[0]->name(), "mcp__u__good");
  EXPECT_EQ(served.names[0], "good");
  EXPECT_THAT(served.refusals, SizeIs(4));
}

// The host makes the upstream's tasks, so no client needs to know them.
TEST(ServedTools, ATaskIsOfferedAndNeverRequired) {
  const auto execution = [](const char* name, const char* support) {
    return named(name, std::string(R"(,"execution":{"taskSupport":")") + support + "\"}");
  };
  const auto served =
      served_tools(settings(), {named("none"), execution("no", "forbidden"),
                                execution("may", "optional"), execution("must", "required")});
  ASSERT_THAT(served.tools, SizeIs(4));
  std::vector<tool::TaskUse> uses;
  for (const auto& tool : served.tools) uses.push_back(tool->declared().tasks);
  EXPECT_THAT(uses, ::testing::ElementsAre(tool::TaskUse::Never, tool::TaskUse::Never,
                                           tool::TaskUse::Offered, tool::TaskUse::Offered));
  using protocol::TaskSupport;
  EXPECT_THAT(served.tasks, ::testing::ElementsAre(TaskSupport::Forbidden, TaskSupport::Forbidden,
                                                   TaskSupport::Optional, TaskSupport::Required));
}

// An approval is for a digest: the same tool with another request behind it needs another one.
TEST(ServedTools, TheDigestIsOfTheWholeDefinition) {
  const auto one = [](const std::string& place) {
    return named("a", R"(,"annotations":{"request":{"b":")" + place + R"("}})");
  };
  const auto digest = [&](const std::string& place) {
    return served_tools(settings(), {one(place)}).tools.at(0)->digest();
  };
  EXPECT_EQ(digest("query"), digest("query"));
  EXPECT_NE(digest("query"), digest("header"));
}

// Case 44: the name is cleaned, and calls use the upstream's own.
TEST(ServedTools, ASecondToolOfTheSameNameIsRefused) {
  const auto served = served_tools(settings(), {named("a.b"), named("a_b")});
  ASSERT_THAT(served.tools, SizeIs(1));
  EXPECT_EQ(served.tools[0]->name(), "mcp__u__a_b");
  EXPECT_EQ(served.names[0], "a.b");
  ASSERT_THAT(served.refusals, SizeIs(1));
  EXPECT_THAT(served.refusals[0].reason, HasSubstr("mcp__u__a_b"));
}

// Case 43: a tool in both lists is denied.
TEST(ServedTools, TheSettingsChooseToolsAndFixArguments) {
  config::Upstream chosen = settings();
  chosen.tools = {"a*"};
  chosen.tools_denied = {"ab"};
  chosen.presets = R"({"aa":{"a":"fixed"},"ac":{"absent":1}})";
  const auto served = served_tools(chosen, {named("aa"), named("ab"), named("ac"), named("b")});
  ASSERT_THAT(served.tools, SizeIs(1));
  EXPECT_THAT(served.tools[0]->shown_input(), ::testing::Not(HasSubstr("\"a\"")));
  ASSERT_THAT(served.refusals, SizeIs(1));  // presets that do not fit its schema
}

// Case 44.
TEST(ServedTools, AHintToOnlyReadCountsUnlessItIsNotTrusted) {
  const std::string reads = named("r", R"(,"annotations":{"readOnlyHint":true})");
  EXPECT_EQ(served_tools(settings(), {reads}).tools.at(0)->reads(), tool::Reads::Always);
  config::Upstream distrusted = settings();
  distrusted.trust_read_only = false;
  EXPECT_EQ(served_tools(distrusted, {reads}).tools.at(0)->reads(), tool::Reads::Never);
  EXPECT_THAT(served_tools(settings(), {reads}).refusals, IsEmpty());
}

TEST(ServedTools, HiddenCharactersOfADescriptionAreWrittenOut) {
  const auto served =
      served_tools(settings(), {"{\"name\":\"a\",\"description\":\"x\xE2\x80\x8By\","
                                "\"inputSchema\":{\"type\":\"object\"}}"});
  EXPECT_EQ(served.tools.at(0)->declared().description, "x<U+200B>y");
}

TEST(ServedTools, ClientsGetTheMetaOfAToolBesideThatOfTheHost) {
  const auto served = served_tools(
      settings(),
      {named("a", R"(,"_meta":{"ui/resourceUri":"ui://a","io.toolpost/class":"private",)"
                  R"("io.modelcontextprotocol/x":1,"ui":{"io.toolpost/y":2}})")});
  EXPECT_THAT(served.tools.at(0)->listing(),
              HasSubstr(R"("_meta":{"io.toolpost/class":"upstream","ui/resourceUri":"ui://a",)"
                        R"("ui":{"io.toolpost/y":2}})"));
}

TEST(ServedTools, TheDigestIsOfTheMetaToo) {
  const auto digest = [](const char* uri) {
    const std::string meta = std::string(R"(,"_meta":{"ui/resourceUri":")") + uri + "\"}";
    return served_tools(settings(), {named("a", meta)}).tools.at(0)->digest();
  };
  EXPECT_EQ(digest("ui://a"), digest("ui://a"));
  EXPECT_NE(digest("ui://a"), digest("ui://b"));
}

TEST(ToolMaker, MakesOneToolInEachStepUntilItsCpuTimeIsUsedUp) {
  std::chrono::nanoseconds now{0};
  const auto five_seconds_each = [&now] { return now += std::chrono::seconds(5); };
  ToolMaker maker(std::make_shared<const config::Upstream>(settings()),
                  {named("a"), named("b"), named("c"), named("d"), named("e")}, five_seconds_each);
  int steps = 1;
  while (maker.step()) ++steps;
  EXPECT_EQ(steps, 3);
  const ServedTools made = maker.take();
  EXPECT_THAT(made.names, ::testing::ElementsAre("a", "b", "c"));
  ASSERT_THAT(made.refusals, SizeIs(1));
  EXPECT_EQ(made.refusals[0].tool, "d");
  EXPECT_THAT(made.refusals[0].reason, HasSubstr("more than 10 s of CPU time"));
  EXPECT_THAT(made.refusals[0].reason, HasSubstr("1 tools after it"));
}

TEST(ToolMaker, OfNoDefinitionsHasNothingToDo) {
  ToolMaker maker(std::make_shared<const config::Upstream>(settings()), {});
  EXPECT_FALSE(maker.step());
  EXPECT_THAT(maker.take().tools, IsEmpty());
}

}  // namespace
}  // namespace host::upstream
