#include "tool/definition/definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/fault.h"

namespace host::tool {
namespace {

using ::testing::HasSubstr;

constexpr const char* kLook = R"({"name":"look","description":"Looks.",
  "requestArgs":{"properties":{"where":{"type":"string"}},"required":["where"]},
  "responseShape":{"properties":{"found":{"type":"number"}}}})";

Result<Declaration> declared_in(const std::string& text) {
  const auto tree = json::parse(text).value();
  return declaration_of(tree.root(), "/tools/look");
}

std::shared_ptr<const Tool> made(Declaration declared) {
  return Tool::make(std::move(declared), 0).value();
}

json::Document shown(const Tool& tool) {
  return json::parse(definition_of(tool)).value();
}

TEST(Definition, TheHostAddsSessionAndState) {
  const Declaration declared = declared_in(kLook).value();
  const auto tool = made(declared);
  EXPECT_TRUE(tool->requires_argument("sessionId"));
  EXPECT_TRUE(tool->requires_argument("where"));
  EXPECT_TRUE(tool->output()->accepts(json::parse(R"({"state":"COMPLETE","found":3})")->root()));
  EXPECT_FALSE(tool->output()->accepts(json::parse(R"({"found":3})")->root()));
  EXPECT_FALSE(tool->output()->accepts(json::parse(R"({"state":"DONE"})")->root()));
}

TEST(Definition, WhatTheClientSaysOfTheseTwoIsReplaced) {
  const auto tool = made(declared_in(R"({"name":"look","description":"d",
      "requestArgs":{"properties":{"sessionId":{"type":"number"}},"required":["sessionId"]},
      "responseShape":{"properties":{"state":{"enum":["MINE"]}}}})")
                             .value());
  EXPECT_TRUE(tool->input().accepts(json::parse(R"({"sessionId":"s_1"})")->root()));
  EXPECT_TRUE(tool->output()->accepts(json::parse(R"({"state":"PENDING"})")->root()));
  const auto tree = shown(*tool);
  EXPECT_EQ(json::at(tree.root(), "/requestArgs/required")->Size(), 1u);
}

TEST(Definition, ComesBackInTheFormOfItsClient) {
  const auto tree = shown(*made(declared_in(kLook).value()));
  EXPECT_EQ(json::find_text(tree.root(), "name"), "look");
  EXPECT_EQ(json::find_text(tree.root(), "description"), "Looks.");
  EXPECT_TRUE(json::at(tree.root(), "/requestArgs/properties/where"));
  EXPECT_TRUE(json::at(tree.root(), "/requestArgs/properties/sessionId"));
  EXPECT_TRUE(json::at(tree.root(), "/responseShape/properties/state/enum"));
  EXPECT_FALSE(json::at(tree.root(), "/requestArgs/type"));
}

TEST(Definition, EveryToolHasOneAlsoWithoutAnOutputSchema) {
  Declaration plain;
  plain.name = "plain";
  plain.description = "d";
  plain.input_schema = R"({"type":"object"})";
  const auto tree = shown(*made(plain));
  EXPECT_TRUE(json::at(tree.root(), "/requestArgs/properties/sessionId"));
  EXPECT_TRUE(json::at(tree.root(), "/responseShape/properties/state"));
}

TEST(Definition, FaultsNameTheirPlace) {
  const auto expect = [](const std::string& text, const char* pointer, const char* words) {
    const auto fault = declared_in(text);
    ASSERT_FALSE(fault);
    EXPECT_EQ(json::pointer_of(fault.error()), pointer);
    EXPECT_THAT(fault.error().message, HasSubstr(words));
  };
  expect("3", "/tools/look", "expected an object");
  expect(R"({"name":1})", "/tools/look/name", "expected a string");
  expect(R"({"name":"a","description":"d","requestArgs":{}})", "/tools/look/requestArgs/properties",
         "is missing");
  expect(R"({"name":"a","description":"d","requestArgs":{"properties":[]}})",
         "/tools/look/requestArgs/properties", "for each name");
  expect(R"({"name":"a","description":"d","requestArgs":{"properties":{},"type":"array"}})",
         "/tools/look/requestArgs/type", "must be \"object\"");
  expect(R"({"name":"a","description":"d","requestArgs":{"properties":{},"required":[1]}})",
         "/tools/look/requestArgs/required", "array of strings");
  expect(R"({"name":"a","description":"d","requestArgs":{"properties":{}}})",
         "/tools/look/responseShape", "is missing");
  expect(R"({"name":"a","inputSchema":{}})", "/tools/look/inputSchema", "unknown member");
}

}  // namespace
}  // namespace host::tool
