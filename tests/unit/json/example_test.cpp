#include "json/schema/example.h"

#include <gtest/gtest.h>

namespace host::json::schema {
namespace {

// The example made from a schema; "none" where there is none that fits.
std::string example(const char* text) {
  const auto tree = parse(text);
  const auto compiled = Schema::compile(tree->root());
  if (!compiled) return compiled.error().message;
  return example_of(tree->root(), *compiled).value_or("none");
}

TEST(SchemaExample, HasWhatIsRequiredAndNoMore) {
  EXPECT_EQ(example(R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},
                        "required":["b"]})"),
            R"({"b":0})");
  EXPECT_EQ(example(R"({"type":"object"})"), "{}");
}

TEST(SchemaExample, TakesTheSchemasOwnValuesFirst) {
  EXPECT_EQ(example(R"({"examples":[{"x":1}],"type":"object"})"), R"({"x":1})");
  EXPECT_EQ(example(R"({"properties":{"a":{"enum":["p","q"]},"b":{"const":7},"c":{"default":[1]},
                        "d":{"type":"string","examples":["mine"]}},"required":["a","b","c"]})"),
            R"({"a":"p","b":7,"c":[1],"d":"mine"})");
}

TEST(SchemaExample, KeepsToBounds) {
  const auto one = [](const std::string& schema) {
    return example((R"({"properties":{"v":)" + schema + R"(},"required":["v"]})").c_str());
  };
  EXPECT_EQ(one(R"({"type":"integer","minimum":3})"), R"({"v":3})");
  EXPECT_EQ(one(R"({"type":"integer","exclusiveMinimum":3,"multipleOf":5})"), R"({"v":10})");
  EXPECT_EQ(one(R"({"type":"integer","maximum":-2})"), R"({"v":-2})");
  EXPECT_EQ(one(R"({"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1})"), R"({"v":0.5})");
  EXPECT_EQ(one(R"({"type":"string","minLength":9})"), R"({"v":"examplexx"})");
  EXPECT_EQ(one(R"({"type":"string","maxLength":2})"), R"({"v":"ex"})");
  EXPECT_EQ(one(R"({"type":"string","format":"date"})"), R"({"v":"2024-01-15"})");
  EXPECT_EQ(one(R"({"type":"array","minItems":2,"items":{"type":"boolean"}})"),
            R"({"v":[false,false]})");
  EXPECT_EQ(one(R"({"type":["null","string"]})"), R"({"v":null})");
}

TEST(SchemaExample, FollowsReferencesAndAlternatives) {
  EXPECT_EQ(example(R"({"$defs":{"n":{"type":"integer","minimum":2}},
                        "properties":{"a":{"$ref":"#/$defs/n"}},"required":["a"]})"),
            R"({"a":2})");
  EXPECT_EQ(
      example(R"({"type":"object","oneOf":[{"properties":{"k":{"const":"x"}},"required":["k"]},
                        {"properties":{"k":{"const":"y"}},"required":["k"]}]})"),
      R"({"k":"x"})");
  EXPECT_EQ(example(R"({"allOf":[{"properties":{"a":{"const":1}},"required":["a"]},
                        {"properties":{"b":{"const":2}},"required":["b"]}]})"),
            R"({"a":1,"b":2})");
}

TEST(SchemaExample, SaysWhereItFindsNone) {
  EXPECT_EQ(example(R"({"properties":{"a":{"type":"string","pattern":"^[0-9]{4}$"}},
                        "required":["a"]})"),
            "none");
  EXPECT_EQ(example(R"({"not":{}})"), "none");
}

}  // namespace
}  // namespace host::json::schema
