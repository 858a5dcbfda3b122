#include "tool/definition/extension.h"

#include <gtest/gtest.h>

#include "support/fake_provider.h"

namespace host::tool {
namespace {

constexpr const char* kOpen = R"({"type":"object","properties":{"a":{"type":"string"}}})";
constexpr const char* kClosed =
    R"({"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false})";

Declaration declared(const char* schema) {
  Declaration made = test::declaration("t");
  made.input_schema = schema;
  return made;
}

std::string fault_of(const char* schema, const char* extension) {
  Declaration tool = declared(schema);
  const auto extended = extend(tool, extension);
  return extended ? "" : extended.error().message;
}

TEST(Extension, AddsArgumentsToTheSchemaThatTheModelSees) {
  Declaration tool = declared(kOpen);
  ASSERT_TRUE(extend(tool, R"({"properties":{"b":{"$ref":"#/$defs/B"}},"required":["b","a"],)"
                           R"("$defs":{"B":{"type":"integer"}}})"));
  EXPECT_EQ(tool.input_schema,
            R"({"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/$defs/B"}},)"
            R"("required":["b","a"],"$defs":{"B":{"type":"integer"}}})");
  EXPECT_TRUE(tool.withheld.empty()) << "an open tool gets what is added";
  const auto made = Tool::make(tool, 0);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_NE((*made)->digest(), (*Tool::make(declared(kOpen), 0))->digest());
}

TEST(Extension, IsWithheldFromAToolWhoseSchemaIsClosed) {
  Declaration tool = declared(kClosed);
  ASSERT_TRUE(extend(tool, R"({"properties":{"b":{}},"required":["b"]})"));
  EXPECT_EQ(tool.withheld, std::vector<std::string>{"b"});
  ASSERT_TRUE(extend(tool, R"({"properties":{"c":true}})"));
  EXPECT_EQ(tool.withheld, (std::vector<std::string>{"b", "c"}));
  Declaration evaluated = declared(R"({"type":"object","unevaluatedProperties":{"type":"null"}})");
  ASSERT_TRUE(extend(evaluated, R"({"properties":{"b":{}}})"));
  EXPECT_EQ(evaluated.withheld, std::vector<std::string>{"b"});
}

TEST(Extension, ThatClashesIsRefused) {  // case 39
  EXPECT_EQ(fault_of(kOpen, R"({"properties":{"a":{"type":"string"}}})"),
            "cannot add the argument \"a\", which the tool itself declares");
  constexpr const char* kDefines = R"({"type":"object","$defs":{"B":{"type":"integer"}}})";
  EXPECT_EQ(fault_of(kDefines, R"({"$defs":{"B":{"type":"string"}}})"),
            "the tool's schema defines \"B\" otherwise in \"$defs\"");
  EXPECT_EQ(fault_of(kDefines, R"({"$defs":{"B":{"type":"integer"}}})"), "");
}

// A name of its own could catch a reference of the tool's schema.
TEST(Extension, ThatNamesASchemaIsRefused) {
  for (const char* const more :
       {R"({"properties":{"b":{"$id":"x"}}})", R"({"properties":{"b":{"items":{"$anchor":"x"}}}})",
        R"({"$defs":{"C":{"anyOf":[{"$dynamicAnchor":"x"}]}}})",
        R"({"properties":{"b":{"properties":{"c":{"$schema":"x"}}}}})"}) {
    EXPECT_NE(fault_of(kOpen, more).find("must not use \"$"), std::string::npos) << more;
  }
  // As the name of an argument, or as data, it names nothing.
  EXPECT_EQ(fault_of(kOpen, R"({"properties":{"$id":{},"b":{"default":{"$id":"x"}}}})"), "");
  EXPECT_EQ(fault_of(kOpen, R"({"properties":{"b":{"properties":{"$id":{}}}}})"), "");
}

TEST(Extension, OfAnotherShapeIsRefused) {
  EXPECT_NE(fault_of(kOpen, "[]"), "");
  EXPECT_EQ(fault_of(kOpen, R"({"type":"object"})"),
            "has \"type\": expected properties, required or $defs");
  EXPECT_EQ(fault_of(kOpen, R"({"properties":[]})"), "\"properties\" must be an object of schemas");
  EXPECT_EQ(fault_of(kOpen, R"({"required":"b"})"), "\"required\" must be an array of arguments");
  EXPECT_EQ(fault_of(kOpen, R"({"required":["b"]})"),
            "\"required\" names \"b\", which is no argument");
  EXPECT_EQ(fault_of(kOpen, R"({"required":[7]})"),
            "\"required\" names no text, which is no argument");
  for (const char* const name : {"attachments", "idempotency_key"})
    EXPECT_NE(fault_of(kOpen, (R"({"properties":{")" + std::string(name) + R"(":{}}})").c_str())
                  .find("is reserved"),
              std::string::npos);
}

TEST(Presets, AreAddedOrChanged) {
  EXPECT_EQ(*added_presets("", R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(*added_presets(R"({"a":1})", R"({"b":2,"a":1})"), R"({"a":1,"b":2})");
  EXPECT_EQ(added_presets(R"({"a":1})", R"({"a":2})").error().message,
            "the argument \"a\" is fixed already");
  EXPECT_EQ(*changed_presets(R"({"a":1})", R"({"a":2,"b":3})"), R"({"a":2,"b":3})");
  EXPECT_EQ(*changed_presets(R"({"a":1})", ""), R"({"a":1})");
  EXPECT_FALSE(changed_presets("", "[]"));
}

TEST(Presets, OfAViewKeepTheToolsLimitsAndItsOrigin) {
  Declaration exclusive = declared(kOpen);
  exclusive.concurrency_safe = false;
  const auto tool = *Tool::make(exclusive, 3, {{"plugin:p", 2}});
  const auto view = tool->with_presets(R"({"a":"x"})");
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ((*view)->index(), 3u);
  ASSERT_EQ((*view)->limits().size(), tool->limits().size());
  EXPECT_EQ((*view)->limits()[0].key, tool->limits()[0].key);
  EXPECT_EQ((*view)->source_digest(), tool->digest());
  EXPECT_NE((*view)->digest(), tool->digest());
  EXPECT_EQ((*view)->shown_input(), R"({"type":"object","properties":{}})");
  EXPECT_FALSE(tool->with_presets(R"({"b":"x"})"));
  EXPECT_FALSE(tool->with_presets(R"({"a":7})"));
}

}  // namespace
}  // namespace host::tool
