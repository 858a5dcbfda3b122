// Structs without TOOLPOST_FIELDS: the compiler tells the names of their members.
#include <gtest/gtest.h>

#include "abi/linked.h"

namespace plain {
namespace {

using toolpost::AdditionalProperties;
using toolpost::Field;
using toolpost::Literal;
using toolpost::testing::Plugin;

enum class Unit { celsius, fahrenheit };
TOOLPOST_ENUM(Unit, TOOLPOST_VALUE(celsius), TOOLPOST_VALUE(fahrenheit))

struct Listed {
  std::string city;
  int days = 3;
  int skip = 0;
  std::optional<Unit> unit;
  std::vector<std::string> tags;
  bool sure = true;
  std::string code;
  std::map<std::string, int> counts;
  double ratio = 0.5;
  bool noted;
  TOOLPOST_FIELDS(
      Listed, TOOLPOST_FIELD(city, "City name", toolpost::min_length(1), toolpost::max_length(40)),
      TOOLPOST_FIELD(days, "How many days", toolpost::minimum(1), toolpost::maximum(14),
                     toolpost::multiple_of(1)),
      TOOLPOST_FIELD(skip, "Days to skip", toolpost::defaulted),
      TOOLPOST_FIELD(unit, "Of the answer"),
      TOOLPOST_FIELD(tags, "Labels", toolpost::min_items(1), toolpost::max_items(4),
                     toolpost::unique_items()),
      TOOLPOST_FIELD(sure, "Certain", toolpost::example(true)),
      TOOLPOST_FIELD(code, "A code", toolpost::pattern("^[A-Z]+$"), toolpost::format("code"),
                     toolpost::title("Code"), toolpost::header("Code"), toolpost::example("AB")),
      TOOLPOST_FIELD(counts, "Counts", toolpost::min_properties(1), toolpost::max_properties(2)),
      TOOLPOST_FIELD(ratio, "Ratio", toolpost::exclusive_minimum(0),
                     toolpost::exclusive_maximum(1)),
      TOOLPOST_FIELD(noted))
};

struct Same {
  Field<std::string, "City name", toolpost::MinLength<1>, toolpost::MaxLength<40>> city;
  Field<int, "How many days", toolpost::Minimum<1>, toolpost::Maximum<14>, toolpost::MultipleOf<1>>
      days = 3;
  Field<int, "Days to skip", toolpost::Defaulted> skip;
  Field<std::optional<Unit>, "Of the answer"> unit;
  Field<std::vector<std::string>, "Labels", toolpost::MinItems<1>, toolpost::MaxItems<4>,
        toolpost::UniqueItems>
      tags;
  Field<bool, "Certain", toolpost::Example<true>> sure = true;
  Field<std::string, "A code", toolpost::Pattern<"^[A-Z]+$">, toolpost::Format<"code">,
        toolpost::Title<"Code">, toolpost::Header<"Code">, toolpost::ExampleText<"AB">>
      code;
  Field<std::map<std::string, int>, "Counts", toolpost::MinProperties<1>,
        toolpost::MaxProperties<2>>
      counts;
  Field<double, "Ratio", toolpost::ExclusiveMinimum<0>, toolpost::ExclusiveMaximum<1>> ratio = 0.5;
  bool noted;
};

struct Inner {
  int x;
  int y = 2;
};
struct Outer {
  std::vector<Inner> many;
  std::optional<Inner> one;
  Inner always;
};
template <class T>
struct Pair {
  T first_one;
  T second;
};
struct Open {
  int known;
  AdditionalProperties others;
};
struct Empty {};
struct Circle {
  Literal<"circle"> kind;
  double radius;
};
struct Square {
  Literal<"square"> kind;
  double side;
};
struct Drawing {
  std::variant<Circle, Square> shape;
};
struct Many {  // as many as there may be
  int a1, a2, a3, a4, a5, a6, a7, a8, b1, b2, b3, b4, b5, b6, b7, b8;
  int c1, c2, c3, c4, c5, c6, c7, c8, d1, d2, d3, d4, d5, d6, d7, d8;
};
struct Told {};  // described by its to_result()
std::string to_result(const Told&) {
  return "told";
}

std::string use(const Same& args) {  // as an author does, without get()
  std::string out = args.city + (args.unit == Unit::fahrenheit ? " F" : " C");
  for (int day = args.skip; day < args.days; ++day)
    out += args.tags.empty() ? "." : args.tags.front();
  if (args.city.size() > 3 && args.sure) out += "!";
  return out;
}
Outer outer(const Outer& args) {
  return args;
}
int open(const Open& args) {
  return args.known;
}
Told empty(const Empty&) {
  return {};
}
std::string draw(const Drawing& args) {
  return std::holds_alternative<Circle>(args.shape) ? "round" : "angular";
}

toolpost::Plugin<> made() {
  return toolpost::Plugin<>(linked::about())
      .tool("use", "Uses each member", use)
      .tool("outer", "Answers its arguments", outer)
      .tool("open", "Skips what it does not know", open)
      .tool("empty", "Takes nothing", empty)
      .tool("draw", "Says what the shape is", draw);
}

TEST(PlainStruct, HasTheSchemaOfOneWhoseFieldsAreListed) {
  EXPECT_EQ(toolpost::detail::schema_of<Same>(), toolpost::detail::schema_of<Listed>());
}

TEST(PlainStruct, IsWrittenAndReadAsOneWhoseFieldsAreListed) {
  const char* const text =
      R"({"city":"Ulm","days":5,"skip":1,"unit":"fahrenheit","tags":["a"],"sure":false,)"
      R"("code":"X","counts":{"n":1},"ratio":0.25,"noted":true})";
  const auto same = toolpost::from_json<Same>(text);
  EXPECT_EQ(same.city, "Ulm");
  EXPECT_EQ(same.days, 5);
  EXPECT_EQ(same.unit, Unit::fahrenheit);
  EXPECT_EQ(toolpost::to_json(same), text);
  EXPECT_EQ(toolpost::to_json(toolpost::from_json<Listed>(text)), text);
  EXPECT_EQ(toolpost::to_json(Same{}), toolpost::to_json(Listed{}));
}

TEST(PlainStruct, IsUsedAsItsTypesAre) {
  Plugin plugin(linked::table(made));
  EXPECT_EQ(
      plugin.answer("use", R"({"city":"Bonn","tags":["-"],"code":"A","counts":{},"noted":false})"),
      "Bonn C---!");
  EXPECT_EQ(plugin.answer("use", R"({"tags":[],"code":"A","counts":{},"noted":false})"),
            "error: argument /city is missing");
}

TEST(PlainStruct, MayStandInOthers) {
  Plugin plugin(linked::table(made));
  EXPECT_EQ(plugin.answer("outer", R"({"many":[{"x":1}],"always":{"x":3,"y":4}})"),
            R"({"many":[{"x":1,"y":2}],"always":{"x":3,"y":4}})");
  EXPECT_EQ(plugin.answer("outer", R"({"many":[{"y":1}],"always":{"x":3}})"),
            "error: argument /many/0/x is missing");
  EXPECT_EQ(toolpost::to_json(Pair<std::string>{"a", "b"}), R"({"first_one":"a","second":"b"})");
}

TEST(PlainStruct, RefusesUnknownNamesUnlessItSaysOtherwise) {
  Plugin plugin(linked::table(made));
  EXPECT_EQ(plugin.answer("empty", R"({"x":1})"), "error: argument /x is not known");
  EXPECT_EQ(plugin.answer("empty", "{}"), "told");
  EXPECT_EQ(plugin.answer("open", R"({"known":7,"more":1})"), "7");
}

TEST(PlainStruct, TellsAlternativesApart) {
  Plugin plugin(linked::table(made));
  EXPECT_EQ(plugin.answer("draw", R"({"shape":{"kind":"circle","radius":1}})"), "round");
  EXPECT_EQ(plugin.answer("draw", R"({"shape":{"kind":"square","side":1}})"), "angular");
}

TEST(PlainStruct, HasUpTo32Members) {
  EXPECT_EQ(toolpost::detail::count_members<Many>(), 32U);
  EXPECT_NE(toolpost::detail::schema_of<Many>().find(R"("d8":{"type":"integer"})"),
            std::string::npos);
  EXPECT_EQ(toolpost::from_json<Pair<int>>(R"({"first_one":1,"second":2})").second, 2);
}

}  // namespace
}  // namespace plain
