#include "json/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "json/json.h"

namespace host::json::schema {
namespace {

using testing::HasSubstr;

Schema compiled(std::string_view text, const Options& options = {}) {
  auto schema = Schema::compile(text, options);
  if (!schema) throw std::runtime_error(schema.error().message);
  return *std::move(schema);
}

std::vector<Violation> check(const Schema& schema, std::string_view instance) {
  std::vector<Violation> violations;
  const auto document = parse(instance);
  const bool good = schema.validate(document.value().root(), violations);
  EXPECT_EQ(good, violations.empty());
  EXPECT_EQ(good, schema.accepts(document.value().root()));
  return violations;
}

std::string problems(std::string_view schema, std::string_view instance) {
  return describe(check(compiled(schema), instance));
}

std::string refusal(std::string_view text) {
  const auto schema = Schema::compile(text);
  return schema ? std::string() : schema.error().message;
}

constexpr std::string_view kRows = R"({
  "type": "object",
  "properties": {
    "table": {"type": "string", "enum": ["orders", "items"]},
    "rows": {"type": "array", "minItems": 1, "items": {
      "type": "object",
      "properties": {"id": {"type": "integer", "minimum": 1}, "amount": {"type": "number"}},
      "required": ["id", "amount"], "additionalProperties": false}}
  },
  "required": ["table", "rows"]})";

TEST(Schema, AcceptsWhatConforms) {
  EXPECT_EQ(problems(kRows,
                     R"({"table":"orders","rows":[{"id":1,"amount":2.5},{"id":2.0,"amount":-1}]})"),
            "");
}

TEST(Schema, SaysInASentenceWhatIsWrongAndWhere) {
  const auto violations = check(
      compiled(kRows),
      R"({"table":"users","rows":[{"id":0,"amount":"12"},{"id":1,"amount":1,"extra":true},{}]})");
  ASSERT_EQ(violations.size(), 6u);
  EXPECT_EQ(violations[0].describe(),
            R"(/table: expected one of "orders", "items"; got string "users")");
  EXPECT_EQ(violations[1].describe(), "/rows/0/id: expected at least 1, got 0");
  EXPECT_EQ(violations[2].describe(), R"(/rows/0/amount: expected number, got string "12")");
  EXPECT_EQ(violations[2].instance, "/rows/0/amount");
  EXPECT_EQ(violations[2].schema, "/properties/rows/items/properties/amount/type");
  EXPECT_EQ(violations[2].keyword, "type");
  EXPECT_EQ(violations[3].describe(),
            R"(/rows/1: property "extra" is not allowed; known are "id", "amount")");
  EXPECT_EQ(violations[4].describe(), R"(/rows/2: required property "id" is missing)");
  EXPECT_EQ(violations[5].describe(), R"(/rows/2: required property "amount" is missing)");
}

TEST(Schema, NamesThePropertyThatAMisspeltOneMayMean) {
  EXPECT_EQ(problems(kRows, R"({"table":"orders","rows":[{"id":1,"amuont":2}]})"),
            "/rows/0: property \"amuont\" is not allowed: did you mean \"amount\"? Known are "
            "\"id\", \"amount\"\n/rows/0: required property \"amount\" is missing");
}

TEST(Schema, NamesTheValueItselfWhereTheRootIsWrong) {
  EXPECT_EQ(problems(R"({"type":["object","null"]})", "[1]"),
            "the value: expected null or object, got array of 1 item");
}

TEST(Schema, TellsForEachAlternativeWhyItDoesNotFit) {
  EXPECT_EQ(problems(R"({"anyOf":[{"type":"string"},{"type":"object","required":["a"]}]})", "{}"),
            "the value: fits none of 2 forms: (1) expected string, got object with 0 properties; "
            "(2) required property \"a\" is missing");
  EXPECT_EQ(problems(R"({"oneOf":[{"minimum":1},{"maximum":9}]})", "5"),
            "the value: fits form 1 and form 2 of 2, and must fit one alone");
}

TEST(Schema, ListsTheValuesThatHaveADescriptionEach) {
  const std::string forms = R"([{"const":"green","description":"mild"},{"const":7}]})";
  for (const char* keyword : {"anyOf", "oneOf"}) {
    EXPECT_EQ(problems(std::string(R"({")") + keyword + R"(":)" + forms, R"("oolong")"),
              R"(the value: expected one of "green", 7; got string "oolong")");
  }
}

TEST(Schema, StopsAtItsMostViolations) {
  EXPECT_EQ(check(compiled(R"({"items":{"type":"string"}})"), "[1,2,3,4,5,6,7,8,9,10,11]").size(),
            kMaxViolations);
}

TEST(Schema, AppendsToTheViolationsThatAreThere) {
  std::vector<Violation> violations(20);
  const auto document = parse("1");
  EXPECT_FALSE(compiled(R"({"type":"string"})").validate(document->root(), violations));
  EXPECT_EQ(violations.size(), 21u);
}

TEST(Schema, AssertsFormatsOnlyWhenAsked) {
  constexpr std::string_view kDate = R"({"format":"date"})";
  EXPECT_EQ(problems(kDate, R"("2026-02-30")"), "");
  EXPECT_EQ(describe(check(compiled(kDate, {.assert_formats = true}), R"("2026-02-30")")),
            R"(the value: expected a date such as 2026-11-21, got "2026-02-30")");
}

TEST(Schema, ComparesNumbersExactly) {
  EXPECT_NE(problems(R"({"maximum":9007199254740992})", "9007199254740993"), "");
  EXPECT_NE(problems(R"({"maximum":9007199254740992.0})", "9007199254740993"), "");
  EXPECT_EQ(problems(R"({"minimum":18446744073709551615})", "18446744073709551615"), "");
  EXPECT_NE(problems(R"({"minimum":18446744073709551615})", "18446744073709551614"), "");
  EXPECT_NE(problems(R"({"minimum":1e300})", "-5"), "");
  EXPECT_EQ(problems(R"({"const":1.0})", "1"), "");
  EXPECT_NE(problems(R"({"const":9007199254740993})", "9007199254740992.0"), "");
  EXPECT_EQ(problems(R"({"uniqueItems":true})", "[0,false,\"\",null,[],{}]"), "");
  EXPECT_NE(problems(R"({"uniqueItems":true})", "[0,1,-0.0]"), "");
}

TEST(Schema, TakesMultiplesInDecimalNotation) {
  EXPECT_EQ(problems(R"({"multipleOf":0.01})", "19.99"), "");
  EXPECT_EQ(problems(R"({"multipleOf":0.1})", "123456789012.3"), "");
  EXPECT_NE(problems(R"({"multipleOf":0.01})", "19.999"), "");
  EXPECT_EQ(problems(R"({"multipleOf":3})", "-9e30"), "");
  EXPECT_NE(problems(R"({"multipleOf":1e300})", "7"), "");
  EXPECT_EQ(problems(R"({"multipleOf":1e-300})", "7"), "");
}

TEST(Schema, FindsEqualItemsAmongMany) {
  std::string items = "[";
  for (int i = 0; i < 5000; ++i) items += "{\"a\":" + std::to_string(i) + ",\"b\":[1]},";
  EXPECT_EQ(problems(R"({"uniqueItems":true})", items + "0]"), "");
  EXPECT_THAT(problems(R"({"uniqueItems":true})", items + "{\"b\":[1.0],\"a\":4321}]"),
              HasSubstr("4321 and 5000 are both"));
}

// As doubles, all three are the same.
TEST(Schema, FindsEqualNumbersAroundOneThatADoubleCannotHold) {
  std::string others;
  for (int i = 0; i < 20; ++i) others += "," + std::to_string(i);
  const std::string schema = R"({"uniqueItems":true})";
  EXPECT_THAT(
      problems(schema, "[9007199254740992.0,9007199254740993,9007199254740992" + others + "]"),
      HasSubstr("0 and 2 are both"));
  EXPECT_NE(
      problems(schema, "[9007199254740993,9007199254740992.0,9007199254740993" + others + "]"), "");
  EXPECT_EQ(
      problems(schema, "[9007199254740992.0,9007199254740993,18446744073709551615" + others + "]"),
      "");
}

TEST(Schema, TracksEvaluatedPropertiesBeyondTheFirstHundred) {
  std::string object = "{";
  for (int i = 0; i < 300; ++i) object += "\"p" + std::to_string(i) + "\":0,";
  const Schema schema =
      compiled(R"({"allOf":[{"patternProperties":{"^p":true}}],"unevaluatedProperties":false})");
  EXPECT_TRUE(check(schema, object + "\"p300\":0}").empty());
  EXPECT_EQ(describe(check(schema, object + "\"x\":0}")),
            "the value: property \"x\" is not allowed: no value is allowed here");
}

TEST(Schema, FindsEachOfManyProperties) {
  std::string schema = R"({"additionalProperties":false,"properties":{)";
  std::string object = "{";
  for (int i = 0; i < 500; ++i) {
    const std::string name = "\"property-number-" + std::to_string(i) + "\":";
    schema += (i == 0 ? "" : ",") + name + "{\"const\":" + std::to_string(i) + "}";
    object += (i == 0 ? "" : ",") + ("\"property-number-" + std::to_string(499 - i)) +
              "\":" + std::to_string(499 - i);
  }
  EXPECT_EQ(problems(schema + "}}", object + "}"), "");
  EXPECT_NE(problems(schema + "}}", object + ",\"other\":1}"), "");
}

TEST(Schema, RefusesKeywordsOfTheWrongShapeAndSaysWhere) {
  EXPECT_THAT(refusal(R"({"properties":{"a":{"type":"strin"}}})"),
              HasSubstr("schema at /properties/a/type: `type` must be one or more of"));
  EXPECT_THAT(refusal(R"({"minLength":-1})"), HasSubstr("`minLength` must be a whole number"));
  EXPECT_THAT(refusal(R"({"required":"a"})"), HasSubstr("`required` must be an array"));
  EXPECT_THAT(refusal(R"({"anyOf":[]})"), HasSubstr("`anyOf` must be an array"));
  EXPECT_THAT(refusal(R"({"items":[{}]})"), HasSubstr("use `prefixItems`"));
  EXPECT_THAT(refusal(R"({"multipleOf":0})"), HasSubstr("above 0"));
  EXPECT_THAT(refusal(R"({"properties":{"a":1}})"), HasSubstr("number 1 for \"a\""));
  EXPECT_THAT(refusal("[]"), HasSubstr("expected an object or a boolean"));
  EXPECT_THAT(refusal("{"), HasSubstr("schema: line 1, column 2"));
  // Also where nothing refers to it.
  EXPECT_THAT(refusal(R"({"$defs":{"a":{"minimum":"1"}}})"), HasSubstr("/$defs/a/minimum"));
}

TEST(Schema, RefusesDialectsItDoesNotKnow) {
  EXPECT_THAT(refusal(R"({"$schema":"http://json-schema.org/draft-04/schema#"})"),
              HasSubstr("draft-04/schema#\" is not supported: use https://json-schema.org/"));
  EXPECT_THAT(refusal(R"({"$schema":"https://example.com/mine"})"), HasSubstr("not supported"));
  EXPECT_EQ(refusal(R"({"$schema":"http://json-schema.org/draft-07/schema"})"), "");
}

TEST(Schema, FollowsNoReferenceOutOfTheSchema) {
  for (const char* target :
       {"https://example.com/s.json", "file:///etc/passwd", "other.json", "//host/x"}) {
    EXPECT_THAT(refusal("{\"$ref\":\"" + std::string(target) + "\"}"),
                HasSubstr("nothing is fetched"));
  }
  EXPECT_THAT(refusal(R"({"$ref":"#/$defs/none"})"), HasSubstr("leads to nothing"));
  EXPECT_THAT(refusal(R"({"$ref":"#none"})"), HasSubstr("anchor that does not exist"));
}

TEST(Schema, HasTheMetaSchemasBuiltIn) {
  for (const char* uri : {"https://json-schema.org/draft/2020-12/schema",
                          "http://json-schema.org/draft-07/schema#"}) {
    const Schema meta = compiled("{\"$ref\":\"" + std::string(uri) + "\"}");
    EXPECT_TRUE(check(meta, kRows).empty());
    EXPECT_THAT(describe(check(meta, R"({"properties":{"a":{"minLength":"x"}}})")),
                HasSubstr("/properties/a/minLength: expected integer, got string \"x\""));
  }
}

TEST(Schema, MayBeUsedFromManyThreads) {
  const Schema schema = compiled(R"({"items":{"pattern":"^[a-z]+$","minLength":2}})");
  const auto good = parse(R"(["ab","cd"])");
  const auto bad = parse(R"(["ab","1"])");
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (int& count : right) {
    threads.emplace_back([&schema, &good, &bad, &count] {
      for (int i = 0; i < 500; ++i) {
        std::vector<Violation> violations;
        count += schema.accepts(good->root()) && !schema.validate(bad->root(), violations) &&
                 violations.size() == 2;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(right, testing::Each(500));
}

}  // namespace
}  // namespace host::json::schema
