#include "protocol/mirrored_headers.h"

#include <gmock/gmock.h>

#include <map>

#include "support/fake_provider.h"

namespace host::protocol {
namespace {

using ::testing::HasSubstr;

TEST(MirroredHeaders, DecodeBase64OnlyBetweenBothMarks) {
  EXPECT_EQ(decode_header("plain value"), "plain value");
  EXPECT_EQ(decode_header("=?base64?SGVsbG8=?="), "Hello");
  EXPECT_EQ(decode_header("=?base64?w6Q=?="), "\xc3\xa4");
  EXPECT_EQ(decode_header("=?base64?SGVsbG8="), "=?base64?SGVsbG8=");
  EXPECT_EQ(decode_header("=?BASE64?SGVsbG8=?="), "=?BASE64?SGVsbG8=?=");
  EXPECT_EQ(decode_header("=?base64?"
                          "?="),
            "");
}

TEST(MirroredHeaders, RefuseWhatIsNotValidlyEncoded) {
  EXPECT_FALSE(decode_header("=?base64?SGVsbG8?="));   // padding
  EXPECT_FALSE(decode_header("=?base64?SGVs!G8=?="));  // alphabet
  EXPECT_FALSE(decode_header("=?base64?/w==?="));      // no UTF-8
  EXPECT_FALSE(decode_header("caf\xc3\xa9"));
  EXPECT_FALSE(decode_header(std::string_view("a\0b", 3)));
}

TEST(MirroredHeaders, MethodAndNameMustAgree) {
  EXPECT_FALSE(method_header_fault("tools/call", "tools/call"));
  EXPECT_TRUE(method_header_fault("Tools/call", "tools/call"));
  EXPECT_TRUE(method_header_fault({}, "tools/call"));
  EXPECT_FALSE(name_header_fault("=?base64?ZWNobw==?=", "echo"));
  EXPECT_TRUE(name_header_fault("other", "echo"));
  EXPECT_TRUE(name_header_fault({}, "echo"));
}

class ParamHeaders : public ::testing::Test {
 protected:
  bool agree(std::string_view arguments, const std::map<std::string, std::string>& headers) {
    const auto tree = json::parse(arguments);
    const auto lookup = [&](std::string_view name) {
      const auto at = headers.find(std::string(name));
      return at == headers.end() ? std::string_view() : std::string_view(at->second);
    };
    return !param_headers_fault(*tool_, &tree->root(), lookup);
  }

  std::shared_ptr<const tool::Tool> tool_ = [] {
    auto declared = test::declaration("t");
    declared.input_schema =
        R"({"type":"object","properties":{"s":{"type":"string","x-mcp-header":"S"},)"
        R"("o":{"type":"object","properties":{"i":{"type":"integer","x-mcp-header":"I"}}},)"
        R"("b":{"type":"boolean","x-mcp-header":"B"},"n":{"type":"number","x-mcp-header":"N"},)"
        R"("l":{"type":"array","items":{"type":"string","x-mcp-header":"L"}}}})";
    return test::make_tool(std::move(declared));
  }();
};

TEST_F(ParamHeaders, ArePresentWhereTheArgumentIs) {
  EXPECT_TRUE(agree(R"({"s":"x"})", {{"Mcp-Param-S", "x"}}));
  EXPECT_FALSE(agree(R"({"s":"x"})", {}));
  EXPECT_FALSE(agree(R"({"s":"x"})", {{"Mcp-Param-S", "X"}}));
  EXPECT_TRUE(agree(R"({"s":"\u00e4"})", {{"Mcp-Param-S", "=?base64?w6Q=?="}}));
  EXPECT_TRUE(agree(R"({"s":null})", {}));
  EXPECT_TRUE(agree("{}", {}));
  EXPECT_FALSE(agree("{}", {{"Mcp-Param-S", "x"}}));
}

TEST_F(ParamHeaders, CompareNumbersAsNumbersAndTruthAsWords) {
  EXPECT_TRUE(agree(R"({"o":{"i":42}})", {{"Mcp-Param-I", "42.0"}}));
  EXPECT_FALSE(agree(R"({"o":{"i":42}})", {{"Mcp-Param-I", "43"}}));
  EXPECT_FALSE(agree(R"({"o":{"i":42}})", {{"Mcp-Param-I", "0x2a"}}));
  EXPECT_TRUE(agree(R"({"b":true})", {{"Mcp-Param-B", "true"}}));
  EXPECT_FALSE(agree(R"({"b":true})", {{"Mcp-Param-B", "1"}}));
}

TEST_F(ParamHeaders, IgnoreAnnotationsThatMayNotStandThere) {
  EXPECT_TRUE(agree(R"({"n":1.5,"l":["a"]})", {}));
  EXPECT_TRUE(agree("{}", {{"Mcp-Param-Unknown", "x"}}));
}

TEST_F(ParamHeaders, OfAClientAgreeWithItsBody) {
  for (const char* const arguments :
       {"{}", R"({"s":"x"})", R"({"s":" \u00e4 ","o":{"i":42}})", R"({"s":null})"}) {
    std::map<std::string, std::string> sent;
    for (const auto& [name, value] : param_headers(*tool_, arguments))
      sent["Mcp-Param-" + name] = value;
    EXPECT_TRUE(agree(arguments, sent)) << arguments;
  }
  EXPECT_EQ(param_headers(*tool_, R"({"s":"x","o":{"i":42}})").size(), 2u);
}

std::string annotation_fault_of(const std::string& properties, const std::string& more = "") {
  const auto tree =
      json::parse(R"({"type":"object","properties":{)" + properties + "}" + more + "}");
  return annotation_fault(tree->root()).value_or("");
}

TEST(Annotations, AreValidOnPlainPropertiesAlone) {
  EXPECT_EQ(annotation_fault_of(R"("s":{"type":"string","x-mcp-header":"S"},"o":{"type":"object",)"
                                R"("properties":{"i":{"type":"integer","x-mcp-header":"I"}}})"),
            "");
  // A property of that name, and values, annotate nothing.
  EXPECT_EQ(annotation_fault_of(R"("x-mcp-header":{"type":"number"},"a":{"type":"object",)"
                                R"("default":{"x-mcp-header":""},"enum":[{"x-mcp-header":""}]})"),
            "");
  const auto one = [](const std::string& annotated) {
    return annotation_fault_of(R"("a":{)" + annotated + "}");
  };
  for (const char* const name : {R"("")", R"("a b")", R"("a\r\nb")", R"("\u00e4")", "7", "null"}) {
    EXPECT_EQ(one(R"("type":"string","x-mcp-header":)" + std::string(name)),
              "/properties/a/x-mcp-header is not the name of a header")
        << name;
  }
  for (const char* const type : {"number", "object", "array", "null"}) {
    EXPECT_THAT(one(R"("x-mcp-header":"A","type":")" + std::string(type) + "\""),
                HasSubstr("on a type other"));
  }
  EXPECT_THAT(
      annotation_fault_of(R"("a":{"type":"string","x-mcp-header":"A"},)"
                          R"("o":{"properties":{"b":{"type":"string","x-mcp-header":"a"}}})"),
      HasSubstr("/properties/o/properties/b/x-mcp-header names a header a second time"));
  constexpr const char* kNamed = R"({"type":"string","x-mcp-header":"A"})";
  for (const char* const keyword : {"items", "not", "additionalProperties", "if"}) {
    EXPECT_THAT(one("\"" + std::string(keyword) + "\":" + kNamed), HasSubstr("chain")) << keyword;
  }
  for (const char* const keyword : {"$defs", "patternProperties", "dependentSchemas"}) {
    EXPECT_THAT(annotation_fault_of("", ",\"" + std::string(keyword) + "\":{\"d\":" + kNamed + "}"),
                HasSubstr("chain"))
        << keyword;
  }
  EXPECT_THAT(
      annotation_fault_of("", R"(,"anyOf":[{},{"properties":{"b":)" + std::string(kNamed) + "}}]"),
      HasSubstr("/anyOf/1/properties/b/x-mcp-header"));
  EXPECT_THAT(annotation_fault_of("", R"(,"x-mcp-header":"A")"), HasSubstr("chain"));
}

}  // namespace
}  // namespace host::protocol
