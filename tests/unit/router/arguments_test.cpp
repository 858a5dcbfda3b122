#include "router/step/arguments.h"

#include <gtest/gtest.h>

#include <utility>

#include "support/cpu_time.h"
#include "support/fake_provider.h"
#include "tool/definition/input_rules.h"

namespace host::router {
namespace {

using test::declaration;
using test::make_tool;

struct Prepared {
  std::string arguments;
  std::string refusal;  // empty: none
};

Prepared prepare(const tool::Declaration& declared, std::string_view arguments) {
  tool::Call call;
  if (!arguments.empty()) {
    auto parsed = json::parse(arguments);
    if (!parsed) throw std::runtime_error(parsed.error().message);
    call.arguments = std::move(*parsed);
  }
  const auto tool = make_tool(declared);
  const auto refusal = Arguments().prepare(call, *tool);
  return {json::write(call.arguments.root()), refusal ? refusal->content : ""};
}

tool::Declaration with_schema(std::string schema) {
  tool::Declaration declared = declaration("t");
  declared.input_schema = std::move(schema);
  return declared;
}

TEST(Arguments, AbsentOnesAreAnEmptyObject) {
  EXPECT_EQ(prepare(declaration("t"), "").arguments, "{}");
}

// Case 37.
TEST(Arguments, NameThePlaceTheRuleAndTheValueThatBrokeIt) {
  const auto declared = with_schema(
      R"({"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"amount":{"type":"number"}}}}}})");
  const Prepared prepared = prepare(declared, R"({"rows":[{"amount":"12"}]})");
  EXPECT_NE(prepared.refusal.find("/rows/0/amount"), std::string::npos) << prepared.refusal;
  EXPECT_NE(prepared.refusal.find("number"), std::string::npos) << prepared.refusal;
}

// Case 37.
TEST(Arguments, DropTheNullOfAnOptionalMember) {
  const auto declared = with_schema(
      R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false})");
  EXPECT_EQ(prepare(declared, R"({"a":null})").arguments, "{}");
}

// Case 37.
TEST(Arguments, KeepANullThatIsRequiredAndFail) {
  const auto declared =
      with_schema(R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]})");
  EXPECT_NE(prepare(declared, R"({"a":null})").refusal.find("/a"), std::string::npos);
}

// Case 37.
TEST(Arguments, KeepANullThatIsNotDeclaredAndFailWhereNothingElseIsAllowed) {
  const auto declared =
      with_schema(R"({"type":"object","properties":{},"additionalProperties":false})");
  EXPECT_NE(prepare(declared, R"({"a":null})").refusal, "");
}

// Case 38.
TEST(Arguments, AreHeldToEnumBoundsPatternAndNestedDefinitions) {
  const auto declared = with_schema(
      R"({"type":"object","properties":{"color":{"enum":["red","blue"]},)"
      R"("count":{"type":"integer","minimum":1,"maximum":9},)"
      R"("code":{"type":"string","pattern":"^[A-Z]{2}$"},"box":{"$ref":"#/$defs/box"}},)"
      R"("$defs":{"box":{"type":"object","properties":{"size":{"$ref":"#/$defs/size"}}},)"
      R"("size":{"type":"integer","maximum":5}}})");
  EXPECT_EQ(prepare(declared, R"({"color":"red","count":9,"code":"AB","box":{"size":5}})").refusal,
            "");
  const std::pair<const char*, const char*> bad[] = {{R"({"color":"green"})", "/color"},
                                                     {R"({"count":0})", "/count"},
                                                     {R"({"count":10})", "/count"},
                                                     {R"({"code":"abc"})", "/code"},
                                                     {R"({"box":{"size":6}})", "/box/size"}};
  for (const auto& [arguments, place] : bad) {
    const Prepared prepared = prepare(declared, arguments);
    EXPECT_NE(prepared.refusal.find(place), std::string::npos) << arguments << prepared.refusal;
  }
}

TEST(Arguments, DropNullsWithinItemsReferencesAndAdditionalProperties) {
  const auto declared = with_schema(
      R"({"type":"object","properties":{"list":{"type":"array","items":{"$ref":"#/$defs/item"}}},)"
      R"("additionalProperties":{"type":"object","properties":{"x":{"type":"string"}}},)"
      R"("$defs":{"item":{"type":"object","properties":{"n":{"type":"number"}}}}})");
  EXPECT_EQ(prepare(declared, R"({"list":[{"n":null},{"n":1}],"more":{"x":null}})").arguments,
            R"({"list":[{},{"n":1}],"more":{}})");
}

TEST(Arguments, SurviveAReferenceThatGoesInCircles) {
  json::Document value = *json::parse(R"({"a":null})");
  const json::Document schema = *json::parse(R"({"$ref":"#"})");
  tool::drop_optional_nulls(value.root(), schema.root(), schema.root());
  EXPECT_EQ(json::write(value.root()), R"({"a":null})");
}

// Whoever makes a tool in a session chooses both sides, and other clients wait for the same thread.
TEST(Arguments, AreFreedOfNullsInLittleTime) {
  std::string schema = R"({"type":"object","$defs":{)", required = "[";
  std::string nulls, others, items;
  for (int i = 0; i < 6'000; ++i) {
    const std::string name = "\"a" + std::to_string(100'000 + i) + "\"";
    schema += (i > 0 ? "," : "") + name + R"(:{"properties":{"n":{}}})";
    required += (i > 0 ? "," : "") + name;
    nulls += "\"b" + std::to_string(100'000 + i) + "\":null,";
  }
  schema += R"(},"properties":{"list":{"items":{"$ref":"#/$defs/a105999"}})";
  for (int i = 0; i < 6'000; ++i) schema += ",\"b" + std::to_string(100'000 + i) + "\":{}";
  for (int i = 0; i < 40'000; ++i) {
    others += "\"c" + std::to_string(100'000 + i) + "\":1,";
    items += std::string(i > 0 ? "," : "") + "{\"n\":null}";
  }
  const auto rules = json::parse(schema + "},\"required\":" + required + "]}").value();
  auto value = json::parse("{" + nulls + others + "\"list\":[" + items + "]}").value();
  const test::CpuTime cpu;
  tool::drop_optional_nulls(value.root(), rules.root(), rules.root());
  EXPECT_LT(cpu.taken(), std::chrono::seconds(1));
  EXPECT_EQ(value.root().MemberCount(), 40'001u);
  EXPECT_EQ(json::write(value.root()["list"][39'999]), "{}");
}

TEST(Arguments, KeepTheirOrderAndTheirRequiredNulls) {
  auto value = json::parse(R"({"a":null,"b":1,"c":null,"d":2,"e":null})").value();
  const auto rules =
      json::parse(R"({"properties":{"a":{},"b":{},"c":{},"d":{}},"required":["c"]})").value();
  tool::drop_optional_nulls(value.root(), rules.root(), rules.root());
  EXPECT_EQ(json::write(value.root()), R"({"b":1,"c":null,"d":2,"e":null})");
}

// Case 36.
TEST(Arguments, LetAPresetWinOverTheModel) {
  auto declared =
      with_schema(R"({"type":"object","properties":{"k":{"type":"string"}},"required":["k"]})");
  declared.presets = R"({"k":"p"})";
  EXPECT_EQ(prepare(declared, R"({"k":"m"})").arguments, R"({"k":"p"})");
  EXPECT_EQ(prepare(declared, "").arguments, R"({"k":"p"})");
}

TEST(Arguments, RefuseHarnessMembersThatAreNotOfferedRatherThanDropThem) {
  EXPECT_NE(prepare(declaration("t"), R"({"attachments":[]})").refusal.find("attachments"),
            std::string::npos);
  const auto declared =
      with_schema(R"({"type":"object","properties":{"attachments":{"type":"array"}}})");
  EXPECT_EQ(prepare(declared, R"({"attachments":[]})").refusal, "");
}

}  // namespace
}  // namespace host::router
