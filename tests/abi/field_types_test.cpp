// Every type and constraint that a field may have: its schema, what it takes, what it refuses.
#include <limits>
#include <string_view>

#include <gtest/gtest.h>

#include "abi/linked.h"

namespace {

using toolpost::Literal;
using toolpost::testing::Plugin;

enum class Unit { metric, imperial };
TOOLPOST_ENUM(Unit, TOOLPOST_VALUE(metric, "Metres"), TOOLPOST_VALUE_AS(imperial, "us", "Feet"))

struct Circle {
  Literal<"circle"> kind;
  double radius;
  TOOLPOST_FIELDS(Circle, TOOLPOST_FIELD(kind), TOOLPOST_FIELD(radius))
};
struct Square {
  Literal<"square"> kind;
  double side;
  TOOLPOST_FIELDS(Square, TOOLPOST_FIELD(kind), TOOLPOST_FIELD(side))
};
using Shape = std::variant<Circle, Square>;

struct ByName {
  std::string name;
  TOOLPOST_FIELDS(ByName, TOOLPOST_FIELD(name))
};
struct ById {
  int id;
  TOOLPOST_FIELDS(ById, TOOLPOST_FIELD(id))
};

struct Shapes {
  Shape shape;
  std::variant<std::monostate, ByName, ById> who;
  std::variant<int, std::string> tag;
  TOOLPOST_FIELDS(Shapes, TOOLPOST_FIELD(shape), TOOLPOST_FIELD(who, "", toolpost::defaulted),
                  TOOLPOST_FIELD(tag, "A tag", toolpost::defaulted))
};

struct Lists {
  std::vector<std::optional<int>> gaps;
  std::set<std::string> names;
  std::array<double, 2> point;
  std::map<std::string, std::vector<ById>> groups;
  std::unordered_map<std::string, int> counts;
  TOOLPOST_FIELDS(Lists, TOOLPOST_FIELD(gaps, "", toolpost::defaulted),
                  TOOLPOST_FIELD(names, "", toolpost::defaulted),
                  TOOLPOST_FIELD(point, "", toolpost::defaulted),
                  TOOLPOST_FIELD(groups, "", toolpost::defaulted),
                  TOOLPOST_FIELD(counts, "", toolpost::defaulted))
};

struct Bounds {
  double ratio = 0.5;
  int step = 4;
  std::string mail;
  std::vector<int> items = {1, 2};
  std::map<std::string, int> more;
  Unit unit = Unit::imperial;
  bool sure = true;
  std::string klass;
  TOOLPOST_FIELDS(Bounds,
                  TOOLPOST_FIELD(ratio, "Ratio", toolpost::exclusive_minimum(0),
                                 toolpost::exclusive_maximum(1)),
                  TOOLPOST_FIELD(step, "", toolpost::multiple_of(4), toolpost::title("Step")),
                  TOOLPOST_FIELD(mail, "", toolpost::format("email"), toolpost::pattern("@"),
                                 toolpost::example("a@b"), toolpost::example("c@d")),
                  TOOLPOST_FIELD(items, "", toolpost::min_items(1), toolpost::unique_items()),
                  TOOLPOST_FIELD(more, "", toolpost::min_properties(1),
                                 toolpost::max_properties(2)),
                  TOOLPOST_FIELD(unit), TOOLPOST_FIELD(sure, "", toolpost::example(false)),
                  TOOLPOST_FIELD_AS(klass, "class", "Not a C++ name"))
};

struct Unsigned {
  std::uint32_t count = 1;
  std::optional<std::uint8_t> level;
  TOOLPOST_FIELDS(Unsigned, TOOLPOST_FIELD(count, "", toolpost::minimum(1)),
                  TOOLPOST_FIELD(level, "", toolpost::maximum(9), toolpost::minimum(2)))
};

class FieldTypes : public testing::Test {
 protected:
  Plugin plugin{linked::table(+[] {
    return toolpost::Plugin<>(linked::about())
        .tool("shapes", "Shapes", [](const Shapes& args) { return args; })
        .tool("lists", "Lists", [](const Lists& args) { return args; })
        .tool("bounds", "Bounds", [](const Bounds& args) { return args; });
  })};
};

TEST(FieldSchema, OfAnUnsignedFieldHasOneMinimum) {
  EXPECT_EQ(toolpost::detail::schema_of<Unsigned>(),
            R"({"type":"object","properties":{"count":{"type":"integer","minimum":1,"default":1},)"
            R"("level":{"type":"integer","maximum":9,"minimum":2}}})");
}

template <class T>
T read_as(std::string_view text) {
  toolpost::detail::Reader in(text, "value");
  T value{};
  toolpost::detail::Codec<T>::read(in, value);
  return value;
}

TEST(FieldValue, OfAFloatIsWithinTheRangeOfAFloat) {
  EXPECT_EQ(read_as<float>("3.4028234663852886e38"), std::numeric_limits<float>::max());
  EXPECT_EQ(read_as<float>("-0.5"), -0.5f);
  EXPECT_EQ(read_as<double>("1e39"), 1e39);
  EXPECT_EQ(read_as<long double>("1e39"), 1e39);
  EXPECT_THROW(read_as<float>("1e39"), toolpost::Error);
  EXPECT_THROW(read_as<float>("-1e39"), toolpost::Error);
  EXPECT_THROW(read_as<long double>("1e400"), toolpost::Error);
}

TEST_F(FieldTypes, AVariantIsToldApartByItsLiteral) {
  const std::string schema = linked::input_schema(plugin, "shapes");
  EXPECT_TRUE(schema.starts_with(
      R"({"type":"object","properties":{"shape":{"type":"object","oneOf":[{"type":"object","properties":)"
      R"({"kind":{"type":"string","const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"],"additionalProperties":false},)"))
      << schema;
  EXPECT_EQ(plugin.answer("shapes", R"({"shape":{"side":2,"kind":"square"}})"),
            R"({"shape":{"kind":"square","side":2},"who":null,"tag":0})");
  EXPECT_EQ(plugin.answer("shapes", R"({"shape":{"kind":"square","side":"2"}})"),
            "error: argument /shape/side is not a number");
  EXPECT_EQ(plugin.answer("shapes", R"({"shape":{"kind":"oval"}})"),
            R"(error: argument /shape/kind is none of "circle", "square")");
  EXPECT_EQ(plugin.answer("shapes", R"({"shape":7})"),
            "error: argument /shape fits none of the alternatives");
}

TEST_F(FieldTypes, AVariantIsToldApartByShapeAndByType) {
  const std::string schema = linked::input_schema(plugin, "shapes");
  EXPECT_NE(schema.find(R"("who":{"anyOf":[{"type":"null"},{"type":"object",)"), schema.npos)
      << schema;
  EXPECT_NE(
      schema.find(
          R"("tag":{"oneOf":[{"type":"integer"},{"type":"string"}],"description":"A tag","default":0})"),
      schema.npos)
      << schema;
  const auto answer = [&](const std::string& members) {
    return plugin.answer("shapes", R"({"shape":{"kind":"circle","radius":1},)" + members + "}");
  };
  EXPECT_NE(answer(R"("who":{"id":3},"tag":"x")").find(R"("who":{"id":3},"tag":"x")"),
            std::string::npos);
  EXPECT_NE(answer(R"("who":{"name":"Ada"})").find(R"("who":{"name":"Ada"})"), std::string::npos);
  EXPECT_NE(answer(R"("who":null)").find(R"("who":null)"), std::string::npos);
  EXPECT_EQ(answer(R"("who":{"age":3})"), "error: argument /who fits none of the alternatives");
  EXPECT_EQ(answer(R"("tag":1.5)"), "error: argument /tag is not a whole number");
}

TEST_F(FieldTypes, ListsAndMapsNestAndCheckTheirItems) {
  EXPECT_EQ(
      linked::input_schema(plugin, "lists"),
      R"({"type":"object","properties":{"gaps":{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"null"}]},"default":[]},)"
      R"("names":{"type":"array","items":{"type":"string"},"uniqueItems":true,"default":[]},)"
      R"("point":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2,"default":[0,0]},)"
      R"("groups":{"type":"object","additionalProperties":{"type":"array","items":{"type":"object",)"
      R"("properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false}},"default":{}},)"
      R"("counts":{"type":"object","additionalProperties":{"type":"integer"},"default":{}}},"additionalProperties":false})");
  EXPECT_EQ(
      plugin.answer(
          "lists",
          R"({"gaps":[1,null],"names":["b","a"],"point":[1,2],"groups":{"x":[{"id":1}]},"counts":{"n":3}})"),
      R"({"gaps":[1,null],"names":["a","b"],"point":[1,2],"groups":{"x":[{"id":1}]},"counts":{"n":3}})");
  EXPECT_EQ(plugin.answer("lists", R"({"names":["a","a"]})"),
            "error: argument /names/1 is there twice");
  EXPECT_EQ(plugin.answer("lists", R"({"point":[1]})"), "error: argument /point has too few items");
  EXPECT_EQ(plugin.answer("lists", R"({"point":[1,2,3]})"),
            "error: argument /point/2 is one too many");
  EXPECT_EQ(plugin.answer("lists", R"({"groups":{"a/b":[{"id":"x"}]}})"),
            "error: argument /groups/a~1b/0/id is not a number");
}

TEST_F(FieldTypes, ConstraintsDescriptionsAndExamplesStandInTheSchema) {
  EXPECT_EQ(
      linked::input_schema(plugin, "bounds"),
      R"({"type":"object","properties":{"ratio":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1,"description":"Ratio","default":0.5},)"
      R"("step":{"type":"integer","multipleOf":4,"title":"Step","default":4},)"
      R"("mail":{"type":"string","format":"email","pattern":"@","examples":["a@b","c@d"]},)"
      R"("items":{"type":"array","items":{"type":"integer"},"minItems":1,"uniqueItems":true,"default":[1,2]},)"
      R"("more":{"type":"object","additionalProperties":{"type":"integer"},"minProperties":1,"maxProperties":2},)"
      R"("unit":{"type":"string","oneOf":[{"const":"metric","description":"Metres"},{"const":"us","description":"Feet"}],"default":"us"},)"
      R"("sure":{"type":"boolean","examples":[false],"default":true},)"
      R"("class":{"type":"string","description":"Not a C++ name"}},"required":["mail","more","class"],"additionalProperties":false})");
  const std::string answer =
      plugin.answer("bounds", R"({"mail":"a@b","more":{"x":1},"class":"c","unit":"metric"})");
  EXPECT_NE(answer.find(R"("unit":"metric","sure":true,"class":"c")"), answer.npos) << answer;
  EXPECT_EQ(plugin.answer("bounds", R"({"mail":"","more":{},"class":"","unit":"imperial"})"),
            "error: argument /unit is none of the known values");
}

struct Zeros {
  int skip = 0;
  std::string unit = "";
  int from = 0;
  TOOLPOST_FIELDS(Zeros, TOOLPOST_FIELD(skip), TOOLPOST_FIELD(unit),
                  TOOLPOST_FIELD(from, "", toolpost::defaulted))
};

TEST(FieldSchema, AZeroIsRequiredUnlessItIsMarkedAsTheDefault) {
  EXPECT_EQ(toolpost::detail::schema_of<Zeros>(),
            R"({"type":"object","properties":{"skip":{"type":"integer"},"unit":{"type":"string"},)"
            R"("from":{"type":"integer","default":0}},"required":["skip","unit"]})");
}

struct Few {
  int a;
  TOOLPOST_FIELDS(Few, TOOLPOST_FIELD(a), toolpost::additional_properties)
};
struct Narrow {
  int a;
  TOOLPOST_FIELDS(Narrow, TOOLPOST_FIELD(a))
};
struct Wide {
  int a;
  int b;
  TOOLPOST_FIELDS(Wide, TOOLPOST_FIELD(a), TOOLPOST_FIELD(b))
};
struct OneOf {
  std::variant<Narrow, Wide> one;
  TOOLPOST_FIELDS(OneOf, TOOLPOST_FIELD(one))
};

class UnknownNames : public testing::Test {
 protected:
  Plugin plugin{linked::table(+[] {
    return toolpost::Plugin<>(linked::about())
        .tool("few", "Few", [](const Few& args) { return args.a; })
        .tool("narrow", "Narrow", [](const Narrow& args) { return args.a; })
        .tool("post_narrow", "After narrow", [](const Narrow& args) { return args.a; })
        .tool("one", "One", [](const OneOf& args) { return args; })
        .tool("own", "Own", [](const Narrow& args) { return args.a; },
              {.input_schema = {R"({"type":"object"})"}});
  })};
};

TEST_F(UnknownNames, AreRefusedUnlessTheStructTakesThem) {
  EXPECT_EQ(plugin.answer("narrow", R"({"a":1,"b":2})"), "error: argument /b is not known");
  EXPECT_EQ(plugin.answer("few", R"({"a":1,"b":2})"), "1");
  EXPECT_EQ(linked::input_schema(plugin, "few"),
            R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]})");
}

TEST_F(UnknownNames, AreSkippedWhereTheStructDidNotMakeTheSchema) {
  EXPECT_EQ(plugin.answer("own", R"({"a":1,"b":2})"), "1");
  EXPECT_EQ(plugin.answer("post_narrow", R"({"a":1,"tool":"narrow"})"), "1");
  EXPECT_EQ(linked::input_schema(plugin, "post_narrow"),
            R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]})");
}

TEST_F(UnknownNames, DecideWhichAlternativeAValueIs) {
  EXPECT_EQ(plugin.answer("one", R"({"one":{"a":1,"b":2}})"), R"({"one":{"a":1,"b":2}})");
}

TEST(PublicJson, WritesAndReadsAnyFieldType) {
  const Lists lists{{1, std::nullopt}, {"x"}, {0.5, 2}, {{"g", {ById{7}}}}, {}};
  const std::string json = toolpost::to_json(lists);
  EXPECT_EQ(json, R"({"gaps":[1,null],"names":["x"],"point":[0.5,2],"groups":{"g":[{"id":7}]},)"
                  R"("counts":{}})");
  EXPECT_EQ(toolpost::to_json(toolpost::from_json<Lists>(json)), json);
  EXPECT_EQ(toolpost::from_json<std::vector<int>>(" [1, 2] "), (std::vector<int>{1, 2}));
  EXPECT_EQ(toolpost::from_json<Narrow>(R"({"a":1,"added_later":[]})").a, 1);
}

std::string problem_of(const std::string& json) {
  try {
    static_cast<void>(toolpost::from_json<Wide>(json, "answer"));
  } catch (const toolpost::Error& error) {
    return error.what();
  }
  return {};
}

TEST(PublicJson, NamesTheMemberThatItCannotTake) {
  EXPECT_EQ(problem_of(R"({"a":1})"), "answer /b is missing");
  EXPECT_EQ(problem_of(R"({"a":1,"b":"2"})"), "answer /b is not a number");
  EXPECT_NE(problem_of(""), "");
  EXPECT_NE(problem_of(R"({"a":1,"b":2} x)"), "");
}

struct Node {
  std::vector<Node> children;
  TOOLPOST_FIELDS(Node, TOOLPOST_FIELD(children))
};

TEST(SelfContainedType, IsRefusedWithItsReasonAndNotDescribed) {
  testing::internal::CaptureStderr();
  const tp_plugin* none = linked::table(
      +[] { return toolpost::Plugin<>(linked::about()).tool("tree", "Tree", [](const Node&) {}); });
  EXPECT_EQ(none, nullptr);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("contains itself"), std::string::npos);
}

}  // namespace
