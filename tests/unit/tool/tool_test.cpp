#include "tool/definition/tool.h"

#include <gtest/gtest.h>

#include "support/fake_provider.h"

namespace host::tool {
namespace {

using test::declaration;

std::string reason_of(Declaration declared) {
  auto made = Tool::make(std::move(declared), 0);
  return made ? "" : made.error().message;
}

json::Document listing_of(const Tool& tool) {
  auto parsed = json::parse("{" + tool.listing() + "}");
  if (!parsed) throw std::runtime_error(parsed.error().message);
  return std::move(*parsed);
}

TEST(Tool, RefusesNamesThatSomeModelCouldNotCall) {
  for (const std::string name : {"", "a b", "a.b", "a/b", "\xc3\xa4"}) {
    EXPECT_NE(reason_of(declaration(name)).find("1 to 64"), std::string::npos) << name;
  }
  EXPECT_NE(reason_of(declaration(std::string(65, 'a'))), "");
  EXPECT_EQ(reason_of(declaration(std::string(64, 'a'))), "");
}

TEST(Tool, RefusesToBeWithoutADescription) {
  Declaration declared = declaration("t");
  declared.description = " \n";
  EXPECT_NE(reason_of(declared).find("no description"), std::string::npos);
}

TEST(Tool, RefusesAnInputSchemaThatIsNotAnObjects) {
  for (const std::string schema : {"", "{", "[]", "true", R"({"type":"string"})", "{}",
                                   R"({"type":"object","properties":[]})"}) {
    Declaration declared = declaration("t");
    declared.input_schema = schema;
    EXPECT_NE(reason_of(declared).find("input schema"), std::string::npos) << schema;
  }
}

TEST(Tool, RefusesASchemaThatCannotBeCompiled) {
  Declaration declared = declaration("t");
  declared.input_schema = R"({"type":"object","properties":{"a":{"type":"strange"}}})";
  EXPECT_NE(reason_of(declared), "");
  declared = declaration("t");
  declared.output_schema = R"({"$ref":"https://elsewhere.example/schema"})";
  EXPECT_NE(reason_of(declared), "");
}

TEST(Tool, RefusesAPresetThatItsSchemaDoesNotDeclare) {
  Declaration declared = declaration("t");
  declared.presets = R"({"k":"p"})";
  EXPECT_NE(reason_of(declared).find("presets \"k\""), std::string::npos);
}

// Case 36.
TEST(Tool, RefusesAPresetOfAnotherTypeThanItsSchemaWants) {
  Declaration declared = declaration("t");
  declared.input_schema =
      R"({"type":"object","required":["n","other"],"additionalProperties":false,"properties":{)"
      R"("n":{"type":"integer","maximum":9},"other":{"type":"string"},"r":{"$ref":"#/$defs/s"}},)"
      R"("$defs":{"s":{"type":"string"}},)"
      R"("if":{"properties":{"other":{"const":"x"}}},"then":{"properties":{"n":{"const":7}}}})";
  declared.presets = R"({"n":3,"r":"text"})";  // `then` is for calls whose `other` is "x"
  EXPECT_EQ(reason_of(declared), "");
  for (const char* wrong : {R"({"n":"3"})", R"({"n":10})", R"({"n":null})", R"({"r":[1]})"}) {
    declared.presets = wrong;
    EXPECT_NE(reason_of(declared).find("its presets do not fit its input schema: /"),
              std::string::npos)
        << wrong << ": " << reason_of(declared);
  }
}

TEST(Tool, TakesAPresetThatOnlyAConditionMightRefuse) {
  Declaration declared = declaration("t");
  declared.presets = R"({"n/%":3})";
  const std::string properties =
      R"({"type":"object","properties":{"n/%":{"$ref":"#/$defs/n"},"other":{"type":"string"}},)"
      R"("$defs":{"n":{"type":"integer"},"seven":{"properties":{"n/%":{"const":7}}}})";
  for (
      const char* rule :
      {R"("if":{"properties":{"other":{"const":"x"}}},"then":{"$ref":"#/$defs/seven"})",
       R"("oneOf":[{"$ref":"#/$defs/seven"},{"required":["other"]}])", R"("minProperties":2)",
       R"("allOf":[{"if":{"properties":{"other":{"const":"x"}}},"then":{"$ref":"#/$defs/seven"}}])",
       R"("$id":"https://example.org/t","anyOf":[{"$ref":"#/$defs/seven"}])"}) {
    declared.input_schema = properties + "," + rule + "}";
    EXPECT_EQ(reason_of(declared), "") << rule;
  }
  declared.presets = R"({"n/%":"3"})";
  EXPECT_NE(reason_of(declared).find("its presets do not fit its input schema: /n~1%"),
            std::string::npos)
      << reason_of(declared);
}

TEST(Tool, ListsItsSchemaWithoutPresetArguments) {
  Declaration declared = declaration("t");
  declared.input_schema =
      R"({"type":"object","properties":{"k":{"type":"string"},"q":{"type":"string"}},"required":["k","q"]})";
  declared.presets = R"({"k":"p"})";
  const json::Document listing = listing_of(*test::make_tool(declared));
  const json::Value* schema = json::find(listing.root(), "inputSchema");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(json::write(*schema),
            R"({"type":"object","properties":{"q":{"type":"string"}},"required":["q"]})");
}

TEST(Tool, KeepsEveryKeywordOfItsSchemaInTheListing) {
  Declaration declared = declaration("t");
  declared.input_schema =
      R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"a":{"$anchor":"b"}},"additionalProperties":false,"x-mine":1.50})";
  const json::Document listing = listing_of(*test::make_tool(declared));
  const auto original = json::parse(declared.input_schema);
  EXPECT_TRUE(*json::find(listing.root(), "inputSchema") == original->root());
}

TEST(Tool, ListsOnOneLineWhateverItsAuthorWrote) {
  Declaration declared = declaration("t");
  declared.description = "two\nlines";
  declared.input_schema = "{\n  \"type\": \"object\"\n}\n";
  EXPECT_EQ(test::make_tool(declared)->listing().find('\n'), std::string::npos);
}

TEST(Tool, TellsItsClassAndHints) {
  Declaration declared = declaration("pre_pay");
  declared.idempotent = true;
  const json::Document listing = listing_of(*test::make_tool(declared));
  EXPECT_EQ(json::find_text(*json::find(listing.root(), "_meta"), "io.toolpost/class"), "pre");
  const json::Value& hints = *json::find(listing.root(), "annotations");
  EXPECT_FALSE(json::find(hints, "readOnlyHint")->GetBool());
  EXPECT_TRUE(json::find(hints, "idempotentHint")->GetBool());
  EXPECT_TRUE(json::find(hints, "destructiveHint")->GetBool());
}

TEST(Tool, ChangesItsDigestWithWhatAPersonWouldApprove) {
  const Declaration before = declaration("t");
  Declaration after = before;
  EXPECT_EQ(test::make_tool(before)->digest(), test::make_tool(after)->digest());
  after.description += "!";
  EXPECT_NE(test::make_tool(before)->digest(), test::make_tool(after)->digest());
  after = before;
  after.read_only = true;
  EXPECT_NE(test::make_tool(before)->digest(), test::make_tool(after)->digest());
}

TEST(Tool, NamesWhatMustBeFreeBeforeACall) {
  Declaration declared = declaration("t");
  declared.concurrency_safe = false;
  declared.exclusive = "printer";
  declared.max_inflight = 3;
  const auto made = Tool::make(declared, 0, {{"plugin:p", 64}});
  ASSERT_TRUE(made.has_value());
  ASSERT_EQ((*made)->limits().size(), 4u);
  EXPECT_EQ((*made)->limits()[0].key, "plugin:p");
  EXPECT_EQ((*made)->limits()[3].capacity, 3u);
}

TEST(Tool, LetsOnlyPostToolsSayWhatTheyFollow) {
  Declaration declared = declaration("notify");
  declared.after = {"pay"};
  EXPECT_NE(reason_of(declared).find("only a post_ tool"), std::string::npos);
  declared.name = "post_notify";
  EXPECT_EQ(reason_of(declared), "");
}

}  // namespace
}  // namespace host::tool
