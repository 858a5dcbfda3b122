#include "session/client_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/fault.h"
#include "json/schema/time_budget.h"

namespace host::session {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

std::string definition(const std::string& name,
                       const std::string& request = R"({"properties":{}})") {
  return R"({"name":")" + name + R"(","description":"d","requestArgs":)" + request +
         R"(,"responseShape":{"properties":{}}})";
}

Result<std::string> read(const std::string& tools, ToolLimits limits = {}) {
  const auto tree = json::parse(tools).value();
  HOST_TRY_ASSIGN(ReadTools read, read_tools(tree.root(), "/t", limits));
  return std::move(read.text);
}

// The place and the words of a fault.
void expect_fault(const Result<std::string>& read, std::string_view pointer, const char* words) {
  ASSERT_FALSE(read);
  EXPECT_EQ(json::pointer_of(read.error()), pointer) << read.error().message;
  EXPECT_THAT(read.error().message, HasSubstr(words));
}

TEST(ClientTools, AreCompiledInTheOrderOfTheirNames) {
  const auto text = read("{\"pre_b\":" + definition("pre_b") + ",\"a\":" + definition("a") + "}");
  ToolSets sets;
  const auto own = sets.of(std::make_shared<const std::string>(text.value()));
  ASSERT_EQ(own->tools.size(), 2u);
  EXPECT_EQ(own->tools[0]->name(), "a");
  EXPECT_EQ(own->tools[1]->tool_class(), tool::Class::Pre);
  EXPECT_TRUE(own->tools[0]->requires_argument("sessionId"));
  EXPECT_TRUE(own->tools[0]->declared().external);
}

TEST(ClientTools, EqualTextsAreCompiledOnce) {
  const std::string text = read("{\"a\":" + definition("a") + "}").value();
  ToolSets sets;
  const auto one = sets.of(std::make_shared<const std::string>(text));
  EXPECT_EQ(sets.of(std::make_shared<const std::string>(text)), one);
  EXPECT_EQ(sets.of(nullptr), nullptr);
  for (int i = 0; i < 500; ++i) {
    const std::string name = "t" + std::to_string(i);
    sets.of(std::make_shared<const std::string>("{\"" + name + "\":" + definition(name) + "}"));
  }
  EXPECT_LE(sets.size(), 128u);
}

TEST(ClientTools, ToolsThatTakeTooLongToCompileAreRefusedEarly) {
  std::string properties;
  for (int i = 0; i < 10; ++i) {
    properties += (i ? "," : "") + ("\"p" + std::to_string(i)) +
                  R"(":{"type":"string","pattern":"(a{1,130}){1,130}N"})";
  }
  std::string tools = "{";
  for (int i = 0; i < 256; ++i) {
    const std::string name = "t" + std::to_string(i);
    tools += (i ? ",\"" : "\"") + name +
             "\":" + definition(name, R"({"properties":{)" + properties + "}}");
  }
  const auto tree = json::parse(tools + "}").value();
  const std::chrono::nanoseconds before = json::schema::thread_cpu_time();
  const auto read = read_tools(tree.root(), "/t", {});
  EXPECT_LT(json::schema::thread_cpu_time() - before, std::chrono::seconds(2));
  if (!read) {
    EXPECT_THAT(read.error().message,
                AnyOf(HasSubstr("too long to compile"), HasSubstr("too much memory")));
  }
}

// A pattern of 20 bytes compiles to 15 KiB, and a session could have a thousand of them.
TEST(ClientTools, PatternsThatTakeTooMuchMemoryAreRefused) {
  const auto with_patterns = [](int tools, const char* pattern) {
    std::string all = "{";
    for (int i = 0; i < tools; ++i) {
      const std::string name = "t" + std::to_string(i);
      all += (i ? ",\"" : "\"") + name + "\":" +
             definition(name, std::string(R"({"properties":{"p":{"type":"string","pattern":")") +
                                  pattern + R"("}}})");
    }
    return all + "}";
  };
  expect_fault(read(with_patterns(250, R"((\\p{L}\\p{N}ID){1,400})")), "/t", "too much memory");
  EXPECT_TRUE(read(with_patterns(25, R"(^[a-z]{2,8}-[0-9]{1,6}$)")));
}

TEST(ClientTools, WhatWasCompiledWhileItWasReadIsKept) {
  const auto tree = json::parse("{\"a\":" + definition("a") + "}").value();
  const ReadTools read = read_tools(tree.root(), "/t", {}).value();
  ToolSets sets;
  sets.keep(std::make_shared<const std::string>(read.text), read.compiled);
  EXPECT_EQ(sets.of(std::make_shared<const std::string>(read.text)), read.compiled);
}

TEST(ClientTools, AnArrayIsRefusedWithTheRightForm) {
  expect_fault(read("[" + definition("a") + "]"), "/t", "not an array: write {\"getLocations\"");
}

TEST(ClientTools, TheKeyMustBeTheName) {
  expect_fault(read("{\"b\":" + definition("a") + "}"), "/t/b/name", "must be its name");
}

TEST(ClientTools, OnlyThreeClassesOfNames) {
  for (const char* name : {"_hidden", "priv_pay", "mcp__a__b"}) {
    expect_fault(read(std::string("{\"") + name + "\":" + definition(name) + "}"),
                 std::string("/t/") + name + "/name", "no prefix, pre_ or post_");
  }
  expect_fault(read("{\"Skill\":" + definition("Skill") + "}"), "/t/Skill/name", "the host's own");
  EXPECT_TRUE(read("{\"post_a\":" + definition("post_a") + "}"));
}

TEST(ClientTools, NamesHaveNoControlCharacters) {
  expect_fault(read("{\"a\\u0007\":" + definition("a\\u0007") + "}"), "/t/a\a/name",
               "must be 1 to");
}

TEST(ClientTools, SchemasMustCompileWithinTheTool) {
  expect_fault(
      read("{\"a\":" + definition("a", R"({"properties":{"x":{"type":"nothing"}}})") + "}"),
      "/t/a/requestArgs", "type");
  expect_fault(
      read("{\"a\":" + definition("a", R"({"properties":{"x":{"$ref":"https://example.org/s"}}})") +
           "}"),
      "/t/a/requestArgs", "$ref");
}

TEST(ClientTools, LimitsAreNamed) {
  std::vector<std::string> refused;
  const ToolLimits limits{2, 400, [&](std::string_view limit) { refused.emplace_back(limit); }};
  expect_fault(
      read("{\"a\":" + definition("a") + ",\"b\":" + definition("b") + ",\"c\":1}", limits), "/t",
      "limits.session_tools");
  const std::string big =
      definition("a", R"({"properties":{"x":{"description":")" + std::string(400, 'x') + "\"}}}");
  expect_fault(read("{\"a\":" + big + "}", limits), "/t/a", "limits.session_tool_bytes");
  EXPECT_EQ(refused.size(), 2u);
}

TEST(ClientTools, OneFaultRefusesAll) {
  expect_fault(read("{\"a\":" + definition("a") + ",\"b\":{\"name\":\"b\"}}"), "/t/b/description",
               "is missing");
}

TEST(RemovedTools, AreThoseOfTheFirstTextThatTheSecondHasNot) {
  const auto text = [](const char* tools) { return std::make_shared<const std::string>(tools); };
  const auto both = text(R"({"a":{},"b":{}})");
  EXPECT_THAT(removed_tools(both, text(R"({"b":{"changed":1},"c":{}})")),
              testing::ElementsAre("a"));
  EXPECT_THAT(removed_tools(both, nullptr), testing::ElementsAre("a", "b"));
  EXPECT_THAT(removed_tools(both, both), testing::IsEmpty());
  EXPECT_THAT(removed_tools(nullptr, both), testing::IsEmpty());
}

}  // namespace
}  // namespace host::session
