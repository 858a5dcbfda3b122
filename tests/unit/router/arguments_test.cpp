#include "router/step/arguments.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>

#include "support/cpu_time.h"
#include "support/fake_provider.h"
#include "tool/definition/input_rules.h"

namespace host::router {
namespace {

using test::declaration;
using test::make_tool;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

// An issue without an assignee, a date that is deleted: null is a value of its own there.
TEST(Arguments, KeepTheNullOfAMemberWhoseSchemaNamesNull) {
  const auto declared = with_schema(
      R"({"type":"object","properties":{"who":{"type":["string","null"]},)"
      R"("due":{"anyOf":[{"type":"string"},{"type":"null"}]},"state":{"enum":["open",null]},)"
      R"("none":{"const":null},"ref":{"$ref":"#/$defs/n"},"all":{"allOf":[{"$ref":"#/$defs/n"}]},)"
      R"("o":{"type":"object","properties":{"a":{"type":["string","null"]}}}},)"
      R"("$defs":{"n":{"oneOf":[{"type":"integer"},{"type":"null"}]}}})");
  const char* const nulls =
      R"({"who":null,"due":null,"state":null,"none":null,"ref":null,"all":null,"o":{"a":null}})";
  EXPECT_EQ(prepare(declared, nulls).arguments, nulls);
}

TEST(Arguments, DropTheNullThatAnotherRuleOfTheMemberRefuses) {
  const auto declared = with_schema(
      R"({"type":"object","properties":{"a":{"type":["string","null"],"enum":["x"]},)"
      R"("b":{"anyOf":[{"type":"string"},{"const":1}]},"c":{"allOf":[{"type":["null"]},false]}}})");
  EXPECT_EQ(prepare(declared, R"({"a":null,"b":null,"c":null})").arguments, "{}");
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

// Twice `size` nulls that are dropped, half of them by a reference each, six times as many members
// that no property declares, and as many items whose schema is a reference. The schema of their
// nulls is a reference, too.
std::chrono::nanoseconds time_of_nulls(int size) {
  const auto named = [](char letter, int i) {
    return "\"" + std::string(1, letter) + std::to_string(100'000 + i) + "\"";
  };
  std::string schema =
                  R"({"type":"object","$defs":{"last":{"properties":{"n":{"$ref":"#/$defs/n"}}})",
              required = "[\"x\"";
  std::string properties = R"("list":{"items":{"$ref":"#/$defs/last"}})", members;
  for (int i = 0; i < size; ++i) {
    schema += "," + named('a', i) + R"(:{"properties":{"n":{}}})";
    required += "," + named('a', i);
    properties += "," + named('b', i) + ":{}";
    properties +=
        "," + named('d', i) + R"(:{"$ref":"#/$defs/a)" + std::to_string(100'000 + i) + "\"}";
    members += named('b', i) + ":null," + named('d', i) + ":null,";
  }
  std::string items;
  for (int i = 0; i < 6 * size; ++i) {
    members += named('c', i) + ":1,";
    items += std::string(i > 0 ? "," : "") + "{\"n\":null}";
  }
  schema += R"(,"n":{}},"properties":{)" + properties + "},\"required\":" + required + "]}";
  const auto rules = json::parse(schema).value();
  auto value = json::parse("{" + members + "\"list\":[" + items + "]}").value();
  const test::CpuTime cpu;
  tool::drop_optional_nulls(value.root(), rules.root(), rules.root());
  const auto taken = cpu.taken();
  EXPECT_EQ(value.root().MemberCount(), static_cast<unsigned>(6 * size + 1));
  EXPECT_EQ(json::write(value.root()["list"][0]), "{}");
  return taken;
}

// Whoever makes a tool in a session chooses both sides, and other clients wait for the same thread.
TEST(Arguments, AreFreedOfNullsInATimeThatGrowsAsTheyDo) {
  EXPECT_LT(time_of_nulls(6'000), 8 * time_of_nulls(1'500) + std::chrono::milliseconds(50));
}

TEST(Arguments, DropNullsBesideEmptyObjects) {
  auto value = json::parse(R"({"a":null,"b":{},"c":[{}],"d":{"x":null}})").value();
  const auto rules =
      json::parse(R"({"properties":{"a":{},"b":{"type":"object"},"c":{"items":{"type":"object"}},)"
                  R"("d":{"properties":{"x":{}}}}})")
          .value();
  tool::drop_optional_nulls(value.root(), rules.root(), rules.root());
  EXPECT_EQ(json::write(value.root()), R"({"b":{},"c":[{}],"d":{}})");
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

// Clients can neither see nor set a preset, so no text to them has its name or its value.
TEST(Arguments, FaultsDoNotNamePresets) {
  const auto with_preset = [](const std::string& more) {
    auto declared = with_schema(R"({"type":"object","properties":{"text":{"type":"string"},)"
                                R"("fixed":{"type":"string"}},"required":["text","fixed"])" +
                                more + "}");
    declared.presets = R"({"fixed":"secret"})";
    return declared;
  };
  const auto closed = with_preset(R"(,"additionalProperties":false)");
  EXPECT_EQ(prepare(closed, R"({"text":"a","fixed":"b"})").refusal, "");
  const auto refusal = [](const tool::Declaration& declared, std::string_view arguments) {
    const std::string text = prepare(declared, arguments).refusal;
    EXPECT_EQ(text.find("fixed"), std::string::npos) << text;
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
    return text;
  };
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(refusal(closed, R"({"text":"a","evil":1})"), R"(\"evil\" is not allowed)"));
  EXPECT_TRUE(has(refusal(closed, R"({"text":"a","evil":1})"), R"(known are \"text\")"));
  EXPECT_TRUE(has(refusal(closed, R"({"text":"a","fixxed":1})"), R"(known are \"text\")"));
  EXPECT_TRUE(has(refusal(closed, R"({"text":7})"), "/text: expected string"));
  // Rules about both: what the client sends follows the schema that it sees.
  const auto dependent = with_preset(R"(,"dependentRequired":{"fixed":["other"]})");
  EXPECT_TRUE(has(refusal(dependent, R"({"text":"a"})"), R"(the rule \"dependentRequired\")"));
  const auto referring = with_preset(
      R"(,"patternProperties":{"^x":{"$ref":"#/properties/fixed"}},"additionalProperties":false)");
  EXPECT_TRUE(has(refusal(referring, R"({"text":"a","y":1})"), R"(additionalProperties)"));
  EXPECT_TRUE(has(refusal(referring, R"({"text":7})"), "/text: expected string"));
}

// The faults of `arguments`, beside presets that no text may show. `rules` are members of the
// schema.
std::string faults_beside(const std::string& presets, const std::string& rules,
                          std::string_view arguments) {
  auto declared = with_schema(R"({"type":"object",)" + rules + "}");
  declared.presets = presets;
  const std::string text = prepare(declared, arguments).refusal;
  const auto hidden = json::parse(presets).value();
  for (const auto& preset : hidden.root().GetObject()) {
    const std::string name(json::text(preset.name));
    for (const std::string& shown : {"\"" + name.substr(0, 40), "/" + name + ":"})
      EXPECT_EQ(text.find(shown), std::string::npos) << text;
  }
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  return text;
}

constexpr const char* kSecret = R"({"fixed":"secret"})";

TEST(Arguments, FaultsOfCombinatorsDoNotNamePresets) {
  // The schema that clients see accepts these arguments.
  const std::string any = R"("properties":{"fixed":{}},"anyOf":[)"
                          R"({"properties":{"fixed":{"const":"a"}}},{"required":["other"]}])";
  EXPECT_THAT(faults_beside(kSecret, any, R"({"text":"a"})"), HasSubstr(R"(rule \"anyOf\")"));
  // It accepts none, because each form demands a preset.
  const std::string one = R"("properties":{"mode":{},"x":{},"y":{}},"oneOf":[)"
                          R"({"properties":{"mode":{"const":"a"}},"required":["mode","x"]},)"
                          R"({"properties":{"mode":{"const":"b"}},"required":["mode","y"]}])";
  EXPECT_THAT(faults_beside(R"({"mode":"a"})", one, "{}"), HasSubstr(R"(rule \"oneOf\")"));
  EXPECT_EQ(faults_beside(R"({"mode":"a"})", one, R"({"x":1})"), "");
  // Without the preset, both forms fit.
  const std::string neither = R"("properties":{"mode":{}},"oneOf":[)"
                              R"({"properties":{"mode":{"const":"a"}}},)"
                              R"({"properties":{"mode":{"const":"b"}}}],"required":["x"])";
  EXPECT_THAT(faults_beside(R"({"mode":"secret"})", neither, "{}"),
              AllOf(HasSubstr(R"(rule \"oneOf\")"), HasSubstr(R"(\"x\" is missing)")));
  const std::string names =
      R"("properties":{"fixed":{}},"allOf":[{"properties":{"text":{},"fixed":{}},)"
      R"("additionalProperties":false}])";
  EXPECT_THAT(faults_beside(kSecret, names, R"({"evil":1})"),
              HasSubstr(R"(rule \"additionalProperties\")"));
}

TEST(Arguments, FaultsOfTheClientAreToldBesideRulesThatDemandAPreset) {
  const std::string any = R"("properties":{"n":{"type":"number"},"fixed":{}},)"
                          R"("anyOf":[{"required":["fixed"]},{"required":["id"]}])";
  const std::string number = faults_beside(kSecret, any, R"({"n":"x"})");
  EXPECT_THAT(number, HasSubstr("/n: expected number"));
  EXPECT_THAT(number, Not(HasSubstr("anyOf"))) << "the arguments of the tool follow it";
  const std::string all = R"("properties":{"fixed":{}},"allOf":[{"required":["fixed","text"]}])";
  const std::string missing = faults_beside(kSecret, all, "{}");
  EXPECT_THAT(missing, HasSubstr(R"(required property \"text\" is missing)"));
  // `else` is of a client that gives no `fixed`.
  const std::string either = R"("properties":{"fixed":{}},"if":{"required":["fixed"]},)"
                             R"("then":{"required":["x"]},"else":{"required":["y"]})";
  const std::string then = faults_beside(kSecret, either, "{}");
  EXPECT_THAT(then, HasSubstr(R"(required property \"x\" is missing)"));
  EXPECT_THAT(then, Not(HasSubstr(R"(\"y\")")));
  const std::string longer = R"("properties":{"fixed":{}},"dependentSchemas":{"fixed":)"
                             R"({"properties":{"text":{"minLength":5}}}})";
  EXPECT_THAT(faults_beside(kSecret, longer, R"({"text":"a"})"), HasSubstr("/text: expected"));
}

TEST(Arguments, FaultsNameMembersOfItemsThatAreNamedAsAPreset) {
  auto declared = with_schema(
      R"({"type":"object","properties":{"id":{},"rows":{"items":{"required":["id"]}}}})");
  declared.presets = R"({"id":1})";
  EXPECT_THAT(prepare(declared, R"({"rows":[{}]})").refusal,
              HasSubstr(R"(/rows/0: required property \"id\" is missing)"));
  // Clients do not see that `child` needs it.
  const std::string circle = R"("properties":{"child":{"$ref":"#"},"fixed":{}},)"
                             R"("required":["fixed"])";
  EXPECT_THAT(faults_beside(kSecret, circle, R"({"child":{}})"), HasSubstr(R"(rule \"required\")"));
}

TEST(Arguments, FaultsShowNoPartOfALongNameOfAPreset) {
  const std::string name(300, 'n');
  const std::string declared = R"("properties":{")" + name + R"(":{}})";
  EXPECT_THAT(
      faults_beside("{\"" + name + "\":1}",
                    declared + ",\"allOf\":[{" + declared + R"(,"additionalProperties":false}])",
                    R"({"evil":1})"),
      HasSubstr(R"(rule \"additionalProperties\")"));
}

TEST(Arguments, OfAnInterceptorThatDoNotFitDoNotNamePresets) {
  auto declared = with_schema(R"({"type":"object","properties":{"text":{},"fixed":{}},)"
                              R"("additionalProperties":false})");
  declared.presets = R"({"fixed":1})";
  tool::Call call;
  call.arguments = *json::parse(R"({"evil":1})");
  call.changed_by = "meddler";
  const auto refusal = Arguments().prepare(call, *make_tool(declared));
  ASSERT_TRUE(refusal);
  EXPECT_NE(refusal->content.find("meddler"), std::string::npos) << refusal->content;
  EXPECT_EQ(refusal->content.find("fixed"), std::string::npos) << refusal->content;
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
