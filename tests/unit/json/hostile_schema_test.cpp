// Schemas and values made to cost: each must be answered soon, by a verdict or a clear error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "json/json.h"
#include "json/schema/schema.h"
#include "json/schema/time_budget.h"
#include "support/cpu_time.h"

namespace host::json::schema {
namespace {

using testing::HasSubstr;

// Ten times the budget in time: the build may be instrumented.
class HostileSchema : public testing::Test {
 protected:
  void TearDown() override { EXPECT_LT(cpu_.taken(), std::chrono::seconds(10)); }

  // By a clock that stands: what is tested are the bounds in numbers, on whatever machine.
  static Result<Schema> compile(const std::string& text) {
    return Schema::compile(text, {.clock = [] { return std::chrono::nanoseconds(0); }});
  }

  std::string compile_error(const std::string& text) {
    const auto schema = compile(text);
    return schema ? std::string() : schema.error().message;
  }

  std::string verdict(const std::string& text, const std::string& instance) {
    const auto schema = compile(text);
    if (!schema) return "compile: " + schema.error().message;
    const auto document = parse(instance);
    std::vector<Violation> violations;
    schema->validate(document.value().root(), violations);
    return describe(violations);
  }

  static std::string text_of(std::size_t length, char c) { return std::string(length, c); }
  static std::string with_subschemas(int count) {
    std::string schema = R"({"properties":{)";
    for (int i = 1; i < count; ++i) {
      schema += (i == 1 ? "" : ",") + ("\"p" + std::to_string(i)) + "\":{\"type\":\"integer\"}";
    }
    return schema + "}}";
  }
  static std::string in_quotes(const std::string& text) { return '"' + text + '"'; }

 private:
  test::CpuTime cpu_;
};

TEST_F(HostileSchema, BacktrackingPatternsEndByTheirLimit) {
  for (const char* pattern :
       {"^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a*)*b",
        "(a?){50}a{50}[bc]", "(?=(a+))\\\\1*b"}) {
    for (const std::size_t length : {28u, 3000u, 100'000u}) {
      const std::string said = verdict("{\"pattern\":\"" + std::string(pattern) + "\"}",
                                       in_quotes(text_of(length, 'a') + "!"));
      EXPECT_NE(said, "") << pattern << " on " << length;
    }
  }
}

TEST_F(HostileSchema, BacktrackingCannotBeRepeatedForEachElement) {
  std::string array = "[";
  for (int i = 0; i < 20'000; ++i) array += in_quotes(text_of(30, 'a') + "!") + ",";
  array += "\"a\"]";
  EXPECT_THAT(verdict(R"({"items":{"anyOf":[{"pattern":"^(a|a)*$"},true]}})", array),
              HasSubstr("backtracks too much"));
  // Each just below the limit.
  EXPECT_THAT(verdict(R"({"items":{"anyOf":[{"pattern":"(?:a|a){1,14}[bc]"},true]}})", array),
              HasSubstr("take too long"));
}

// What is left of the check after the end of the budget cannot see a violation.
TEST_F(HostileSchema, NoRuleAcceptsAValueOnceTheBudgetIsExhausted) {
  const std::string endless = in_quotes(text_of(60, 'a') + "!");
  for (
      const char* schema :
      {R"({"if":{"pattern":"^(a+)+$"},"then":false})",
       R"({"oneOf":[{"type":"string"},{"pattern":"^(a+)+$"}]})",
       R"({"anyOf":[{"type":"string"},{"pattern":"^(a+)+$"}],"if":{"pattern":"^(a+)+$"},"then":false})",
       R"({"not":{"pattern":"^(a+)+$"}})"}) {
    EXPECT_THAT(verdict(schema, endless), HasSubstr("backtracks too much")) << schema;
    const auto document = parse(endless);
    EXPECT_FALSE(compile(schema)->accepts(document->root())) << schema;
  }
  EXPECT_THAT(verdict(R"({"contains":{"pattern":"^(a+)+$"},"minContains":0,"maxContains":0})",
                      "[" + endless + "]"),
              HasSubstr("backtracks too much"));
}

TEST_F(HostileSchema, QuadraticSearchesEndByTheClock) {
  const std::string subject = in_quotes(text_of(1'000'000, 'a'));
  EXPECT_THAT(verdict(R"({"pattern":"a*[bc]"})", subject), HasSubstr("take too long"));
}

TEST_F(HostileSchema, LongStringsPassPlainPatterns) {
  const std::string subject = in_quotes(text_of(100'000, 'a'));
  EXPECT_EQ(verdict(R"({"pattern":"^.*$"})", subject), "");
  EXPECT_EQ(verdict(R"({"pattern":"^[a-z]+$"})", subject), "");
  EXPECT_EQ(verdict(R"({"pattern":"a$"})", subject), "");
  EXPECT_THAT(verdict(R"({"pattern":"[0-9]"})", subject), HasSubstr("matches the pattern"));
  EXPECT_THAT(verdict(R"({"pattern":"^[a-z]+[0-9]$"})", subject), HasSubstr("matches the pattern"));
}

TEST_F(HostileSchema, PatternsTooLargeAreRefused) {
  EXPECT_NE(compile_error(R"({"pattern":"((a{1000}){1000}){1000}"})"), "");
  EXPECT_NE(compile_error("{\"pattern\":\"" + text_of(20'000, 'a') + "\"}"), "");
  EXPECT_NE(compile_error("{\"pattern\":\"" + text_of(5000, '(') + text_of(5000, ')') + "\"}"), "");
  std::string many = R"({"patternProperties":{)";
  for (int i = 0; i < 500; ++i) {
    many += (i == 0 ? "" : ",") + in_quotes("(a" + std::to_string(i) + "b){3000}") + ":true";
  }
  EXPECT_THAT(compile_error(many + "}}"), HasSubstr("too large all together"));
}

TEST_F(HostileSchema, ReferencesInACircleAreRefused) {
  EXPECT_THAT(compile_error(R"({"$ref":"#"})"), HasSubstr("without end"));
  EXPECT_THAT(
      compile_error(R"({"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}})"),
      HasSubstr("without end"));
  EXPECT_THAT(compile_error(R"({"not":{"if":{"$ref":"#"}}})"), HasSubstr("without end"));
  EXPECT_EQ(compile_error(R"({"properties":{"next":{"$ref":"#"}}})"), "");
}

TEST_F(HostileSchema, DynamicReferencesInACircleEndByTheirDepth) {
  EXPECT_THAT(verdict(R"({"$dynamicAnchor":"a","$dynamicRef":"#a"})", "1"), HasSubstr("too deep"));
}

TEST_F(HostileSchema, ReferencesThatDoubleEndByTheirSteps) {
  std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "{\"$ref\":\"#/$defs/d" + std::to_string(i + 1) + "\"}";
    schema += "\"d" + std::to_string(i) + "\":{\"allOf\":[" + next + "," + next + "]},";
  }
  EXPECT_THAT(verdict(schema + "\"d40\":{\"type\":\"integer\"}}}", "1"),
              HasSubstr("too many steps"));
}

TEST_F(HostileSchema, ALongChainOfReferencesNeedsNoStackToCompile) {
  std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 5000; ++i) {
    schema +=
        "\"d" + std::to_string(i) + "\":{\"$ref\":\"#/$defs/d" + std::to_string(i + 1) + "\"},";
  }
  EXPECT_THAT(verdict(schema + "\"d5000\":true}}", "1"), HasSubstr("too deep"));
}

TEST_F(HostileSchema, TenThousandSubschemasCompileAndMoreDoNot) {
  EXPECT_EQ(verdict(with_subschemas(10'000), R"({"p9999":1})"), "");
  EXPECT_EQ(verdict(with_subschemas(10'000), R"({"p9999":"1"})"),
            "/p9999: expected integer, got string \"1\"");
  EXPECT_THAT(compile_error(with_subschemas(10'001)), HasSubstr("more than 10000 subschemas"));
}

TEST_F(HostileSchema, CompilingEndsWhenItsTimeIsOver) {
  std::string patterns = R"({"patternProperties":{)";
  for (int i = 0; i < 200; ++i) {
    patterns += (i == 0 ? "" : ",") + in_quotes("^x{" + std::to_string(i) + "}$") + ":true";
  }
  std::string references = R"({"x":{)";
  for (int i = 0; i < 200; ++i) references += in_quotes("k" + std::to_string(i)) + ":{},";
  references += R"("end":0},"allOf":[)";
  for (int i = 0; i < 200; ++i) references += "{\"$ref\":\"#/x/k" + std::to_string(i) + "\"},";
  for (const std::string& text : {with_subschemas(1000), patterns + "}}", references + "true]}"}) {
    // Each look at this clock finds it later; only the last millisecond is over the bound.
    std::chrono::nanoseconds now{0};
    std::chrono::nanoseconds last{0};
    const auto ticking = [&] { return std::exchange(now, last); };
    last = std::chrono::milliseconds(50);
    EXPECT_TRUE(Schema::compile(text, {.clock = ticking}));
    now = std::chrono::nanoseconds(0);
    last = std::chrono::milliseconds(51);
    const auto late = Schema::compile(text, {.clock = ticking});
    ASSERT_FALSE(late) << text.substr(0, 80);
    EXPECT_THAT(late.error().message, HasSubstr("schema: compiling it takes longer than 50 ms"));
  }
}

// By the true clock: whatever ends it first, a compile is no way to hold the host up.
TEST_F(HostileSchema, CompilingTakesNoLongerThanItsBoundByMuch) {
  std::string patterns = R"({"patternProperties":{)";
  for (int i = 0; i < 2000; ++i) {
    patterns += (i == 0 ? "" : ",") + in_quotes("(a" + std::to_string(i) + "b){90}") + ":true";
  }
  for (const std::string& text : {with_subschemas(10'000), patterns + "}}"}) {
    SCOPED_TRACE(text.substr(0, 60));
    const test::CpuTime cpu;
    const auto schema = Schema::compile(text);
    EXPECT_LT(cpu.taken(), std::chrono::seconds(10));
    if (!schema) {
      EXPECT_THAT(schema.error().message, HasSubstr("longer than 50 ms"));
    }
  }
}

TEST_F(HostileSchema, DeepSubschemasAreRefused) {
  const auto nested = [](int depth) {
    std::string schema;
    for (int i = 0; i < depth; ++i) schema += R"({"not":)";
    return schema + "true" + std::string(static_cast<std::size_t>(depth), '}');
  };
  EXPECT_EQ(compile_error(nested(64)), "");
  EXPECT_THAT(compile_error(nested(65)), HasSubstr("deeper than 64"));
  EXPECT_NE(compile_error(nested(100'000)), "");
}

TEST_F(HostileSchema, LargeSetsOfValuesEndByTheirSteps) {
  std::string values = "[";
  for (int i = 0; i < 20'000; ++i) values += "[" + std::to_string(i) + "],";
  values += "[]]";
  EXPECT_THAT(verdict("{\"items\":{\"enum\":" + values + "}}", values),
              HasSubstr("too many steps"));
  EXPECT_EQ(verdict(R"({"uniqueItems":true})", values), "");
}

TEST_F(HostileSchema, ManyPropertyPatternsEndByTheirSteps) {
  std::string schema = R"({"patternProperties":{)";
  for (int i = 0; i < 2000; ++i) {
    schema += (i == 0 ? "" : ",") + in_quotes("^" + std::to_string(i) + "x") + ":true";
  }
  std::string object = "{";
  for (int i = 0; i < 20'000; ++i) object += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "y\":0";
  EXPECT_NE(verdict(schema + "}}", object + "}"), "");
}

TEST_F(HostileSchema, ManyReferencesIntoManyMembersEndByTheirSteps) {
  std::string schema = R"({"x":{)";
  for (int i = 0; i < 100'000; ++i) schema += "\"k" + std::to_string(i) + "\":{},";
  schema += R"("end":0},"allOf":[)";
  for (int i = 0; i < 5000; ++i) schema += "{\"$ref\":\"#/x/k" + std::to_string(i) + "\"},";
  EXPECT_THAT(compile_error(schema + "true]}"), HasSubstr("too many `$ref`"));
}

TEST_F(HostileSchema, AGoodCallIsServedRightAfterABadOne) {
  const auto schema = Schema::compile(R"({"pattern":"^(a+)+$"})");
  const auto bad = parse(in_quotes(text_of(40, 'a') + "!"));
  const auto good = parse(in_quotes(text_of(40, 'a')));
  EXPECT_FALSE(schema->accepts(bad->root()));
  EXPECT_TRUE(schema->accepts(good->root()));
}

}  // namespace
}  // namespace host::json::schema
