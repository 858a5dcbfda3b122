#include <gmock/gmock.h>

#include "upstream/openapi/operation_reader.h"

namespace host::upstream::openapi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

ReadSettings settings() {
  ReadSettings made;
  made.servers.granted = outbound::AllowList({"https://api.example"});
  return made;
}

std::string document(const std::string& paths, const std::string& more = "",
                     const std::string& version = "3.0.3") {
  return R"({"openapi":")" + version + R"(","info":{"title":"T","version":"1"},)" +
         R"("servers":[{"url":"https://api.example/v1/"}])" + more + R"(,"paths":{)" + paths + "}}";
}

Operations read(const std::string& text, ReadSettings how = settings()) {
  auto document = ApiDocument::read(text);
  if (!document) {
    ADD_FAILURE() << document.error().message;
    return {};
  }
  OperationReader reader(*std::move(document), std::move(how));
  while (reader.step()) {
  }
  return reader.take();
}

std::string fault_of(const std::string& text) {
  const auto document = ApiDocument::read(text);
  return document ? "" : document.error().message;
}

// The reason why the only operation of a document is dropped.
std::string reason(const std::string& paths, const std::string& more = "",
                   const std::string& version = "3.0.3") {
  const Operations all = read(document(paths, more, version));
  EXPECT_THAT(all.all, IsEmpty());
  return all.refusals.size() == 1 ? all.refusals[0].reason : "there are several, or none";
}

// inputSchema of POST /x with this schema as its body.
std::string body_schema(const std::string& schema, const std::string& version = "3.0.3",
                        const std::string& components = "{}") {
  const Operations all = read(document(
      R"("/x":{"post":{"requestBody":{"content":{"application/json":{"schema":)" + schema + "}}}}}",
      R"(,"components":{"schemas":)" + components + "}", version));
  if (all.all.size() != 1)
    return all.refusals.empty() ? "nothing was read" : all.refusals[0].reason;
  const auto tree = json::parse(all.all[0].definition);
  return json::write(*json::at(tree->root(), "/inputSchema/properties/body"));
}

// outputSchema of GET /x with these responses; "": it has none.
std::string output_schema(const std::string& responses, const std::string& version = "3.0.3",
                          const std::string& components = "{}", const char* method = "get") {
  const Operations all =
      read(document(R"("/x":{")" + std::string(method) + R"(":{"responses":{)" + responses + "}}}",
                    R"(,"components":)" + components, version));
  if (all.all.size() != 1)
    return all.refusals.empty() ? "nothing was read" : all.refusals[0].reason;
  const auto tree = json::parse(all.all[0].definition);
  const json::Value* const found = json::find(tree->root(), "outputSchema");
  return found ? json::write(*found) : "";
}

std::string json_response(const std::string& schema) {
  return R"({"description":"","content":{"application/json":{"schema":)" + schema + "}}}";
}

TEST(ApiDocument, SaysWhatATextIsInstead) {
  EXPECT_THAT(fault_of("openapi: 3.0.0\npaths: {}\n"), IsEmpty());
  EXPECT_THAT(fault_of("openapi: 3.0.0\npaths: [\n"), HasSubstr("YAML that cannot be read: line "));
  EXPECT_THAT(fault_of("openapi: 3.0.0\nopenapi: 3.0.0\n"), HasSubstr("openapi"));
  EXPECT_THAT(fault_of("<html>"), HasSubstr("no JSON"));
  EXPECT_THAT(fault_of("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(fault_of("{}"), HasSubstr("no OpenAPI document"));
  EXPECT_THAT(fault_of(R"({"openapi":3.0})"), HasSubstr("no OpenAPI document"));
  EXPECT_THAT(fault_of(R"({"swagger":"2.0"})"), HasSubstr("Swagger"));
  EXPECT_THAT(fault_of(R"({"openapi":"4.0.0"})"), HasSubstr("4.0.0"));
  EXPECT_THAT(fault_of("\xEF\xBB\xBF{\"openapi\":\"3.1.0\"}"), IsEmpty());
}

TEST(Operations, HaveNamesHintsAndASentenceAboutTheirRequest) {
  const Operations all = read(document(
      R"("/pets/{id}":{"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}}],)"
      R"("get":{"operationId":"getPet","summary":"One pet","description":"With its owner"},)"
      R"("delete":{}})"));
  ASSERT_THAT(all.all, SizeIs(2));
  EXPECT_EQ(all.all[0].name, "getPet");
  EXPECT_EQ(all.all[0].server, "https://api.example/v1");
  EXPECT_THAT(all.all[0].definition, HasSubstr("\"readOnlyHint\":true"));
  EXPECT_THAT(
      all.all[0].definition,
      HasSubstr("One pet\\n\\nWith its owner\\n\\nRequest: GET https://api.example/v1/pets/{id}"));
  EXPECT_THAT(all.all[0].definition, HasSubstr("\"required\":[\"id\"]"));
  EXPECT_EQ(all.all[1].name, "delete_pets_id");
  EXPECT_THAT(all.all[1].definition, HasSubstr("\"readOnlyHint\":false"));
  EXPECT_THAT(all.all[1].definition, HasSubstr("\"destructiveHint\":true"));
}

// A change of how a request is made is a change of the definition, which waits for a person.
TEST(Operations, TheDefinitionHasTheWholeRequest) {
  const auto with = [](const std::string& style) {
    return read(document(
                    R"("/x":{"get":{"operationId":"x","parameters":[{"name":"a","in":"query",)" +
                    style + R"("schema":{"type":"array","items":{}}}]}})"))
        .all[0]
        .definition;
  };
  EXPECT_NE(with(""), with(R"("explode":false,)"));
  EXPECT_THAT(with(""), HasSubstr("https://api.example/v1/x"));
}

TEST(Operations, ABadOneIsDroppedByItself) {
  const Operations all = read(document(
      R"("/a":{"get":{"operationId":"good"}},"/b":{"get":{"operationId":"good"}},"/c":{"get":7},)"
      R"("/d":{"$ref":"other.json"},"/e":{"trace":{}},"f":{"get":{}},"/g/../h":{"get":{}})"));
  ASSERT_THAT(all.all, SizeIs(1));
  EXPECT_EQ(all.all[0].path, "/a");
  ASSERT_THAT(all.refusals, SizeIs(6));
}

TEST(Operations, AreDroppedWithTheReason) {
  const std::string get = R"("/x":{"get":{"parameters":[)";
  EXPECT_THAT(reason(get + R"({"name":"c","in":"cookie","required":true}]}})"),
              HasSubstr("cookie"));
  EXPECT_THAT(reason(get + R"({"name":"Host","in":"header","required":true}]}})"),
              HasSubstr("a header that the host sets"));
  EXPECT_THAT(reason(get + R"({"name":"p","in":"path"}]}})"), HasSubstr("its path has no"));
  EXPECT_THAT(
      reason(
          get +
          R"({"name":"a[b]","in":"query"},{"name":"a.b]","in":"query"},{"name":"a_b","in":"query"}]}})"),
      HasSubstr("two of its parameters"));
  EXPECT_THAT(reason(R"("/x/{y}":{"get":{}})"), HasSubstr("not declared"));
  EXPECT_THAT(reason(R"("/x?y=1":{"get":{}})"), HasSubstr("its path has a ?"));
  EXPECT_THAT(
      reason(R"("/x":{"post":{"requestBody":{"required":true,"content":{"text/csv":{}}}}})"),
      HasSubstr("not JSON"));
  EXPECT_THAT(
      reason(R"("/x":{"get":{"requestBody":{"required":true,"content":{"application/json":{}}}}})"),
      HasSubstr("its method has none"));
  EXPECT_THAT(reason(R"("/x":{"get":{"servers":[{"url":"https://other.example"}]}})"),
              HasSubstr("is not granted: add it to `origins`"));
  EXPECT_THAT(reason(R"("/x":{"get":{"servers":[{"url":"/v2"}]}})"), HasSubstr("set `url`"));
  EXPECT_THAT(reason(R"("/x":{"get":{"servers":[{"url":"https://u:p@api.example"}]}})"),
              HasSubstr("user name"));
  EXPECT_THAT(
      reason(
          R"("/x":{"get":{"security":[{"k":[]}]}})",
          R"(,"components":{"securitySchemes":{"k":{"type":"apiKey","in":"query","name":"q"}}})"),
      HasSubstr("set them in `credentials`"));
}

TEST(Operations, OptionalInputsThatCannotBeSentAreLeftOut) {
  const Operations all = read(document(
      R"("/x":{"get":{"parameters":[{"name":"c","in":"cookie"},{"name":"Content-Length","in":"header"},)"
      R"({"name":"Authorization","in":"header","required":true},{"name":"a","in":"query"}],)"
      R"("requestBody":{"content":{"application/json":{}}}}})"));
  ASSERT_THAT(all.all, SizeIs(1));
  ASSERT_THAT(all.all[0].parameters, SizeIs(1));
  EXPECT_EQ(all.all[0].parameters[0].argument, "a");
  EXPECT_THAT(all.all[0].body_type, IsEmpty());
}

TEST(Operations, ANameAtTwoPlacesGetsThePlace) {
  const Operations all = read(document(
      R"("/x/{id}":{"post":{"parameters":[{"name":"id","in":"path"},{"name":"id","in":"query"},)"
      R"({"name":"body","in":"query"},{"name":"page[size]","in":"query"}],)"
      R"("requestBody":{"content":{"application/vnd.a+json":{}}}}})"));
  ASSERT_THAT(all.all, SizeIs(1));
  std::vector<std::string> names;
  for (const Parameter& one : all.all[0].parameters) names.push_back(one.argument);
  EXPECT_THAT(names, ElementsAre("path_id", "query_id", "query_body", "page_size"));
  EXPECT_EQ(all.all[0].body_type, "application/vnd.a+json");
}

TEST(Operations, TakeTheFirstSecurityThatIsConfigured) {
  const std::string schemes =
      R"(,"components":{"securitySchemes":{"k":{"type":"apiKey","in":"query","name":"q"},)"
      R"("o":{"type":"oauth2"},"b":{"type":"http","scheme":"Basic"}}},"security":[{"k":[],"b":[]},{"o":[]}])";
  ReadSettings how = settings();
  how.known.credentials = {"k", "b"};
  const std::string paths =
      R"("/x":{"get":{"parameters":[{"name":"q","in":"query","required":true}]}},"/y":{"get":{"security":[]}})";
  Operations all = read(document(paths, schemes), how);
  ASSERT_THAT(all.all, SizeIs(2));
  EXPECT_THAT(all.all[0].credentials, ElementsAre(Credential{"k", Credential::To::Query, "q"},
                                                  Credential{"b", Credential::To::Basic, ""}));
  EXPECT_THAT(all.all[0].parameters, IsEmpty());  // nobody but the configuration sets it
  EXPECT_THAT(all.all[1].credentials, IsEmpty());
  how.known.credentials = {"o"};
  all = read(document(paths, schemes), how);
  EXPECT_THAT(all.all[0].credentials, ElementsAre(Credential{"o", Credential::To::Bearer, ""}));
  how.known = {{}, {"authorization"}};
  all = read(document(paths, schemes), how);
  EXPECT_THAT(all.all, SizeIs(2));
}

TEST(Servers, VariablesHaveTheirDefaultsAndTheUrlReplacesAll) {
  ReadSettings how = settings();
  const std::string paths = R"("/x":{"get":{"servers":[{"url":"https://{h}.example/{v}",)"
                            R"("variables":{"h":{"default":"api"},"v":{"default":"v3"}}}]}})";
  EXPECT_EQ(read(document(paths), how).all.at(0).server, "https://api.example/v3");
  how.servers.base = "https://elsewhere.example/base/";
  const Operations all = read(document(paths), how);
  EXPECT_EQ(all.all.at(0).server, "https://elsewhere.example/base");
  EXPECT_THAT(all.all[0].definition, Not(HasSubstr("elsewhere")));
  how = settings();
  how.servers.document_url = "https://api.example/docs/openapi.json";
  const Operations relative = read(document(R"("/x":{"get":{"servers":[{"url":"../v2"}]}})"), how);
  EXPECT_EQ(relative.all.at(0).server, "https://api.example/v2");
}

TEST(Schemas, OfVersion30AreTranslated) {
  EXPECT_EQ(body_schema(R"({"type":"string","nullable":true,"enum":["a"],"example":"a"})"),
            R"({"type":["string","null"],"enum":["a",null],"examples":["a"]})");
  EXPECT_EQ(
      body_schema(
          R"({"type":"number","minimum":1,"exclusiveMinimum":true,"maximum":5,"exclusiveMaximum":false})"),
      R"({"type":"number","exclusiveMinimum":1,"maximum":5})");
  EXPECT_EQ(body_schema(R"({"nullable":true,"allOf":[{"type":"string"}]})"),
            R"({"anyOf":[{"allOf":[{"type":"string"}]},{"type":"null"}]})");
  EXPECT_EQ(
      body_schema(
          R"({"type":"object","xml":{},"x-a":1,"required":["a","b"],"properties":)"
          R"({"a":{"readOnly":true},"b":{"type":"string"},"nullable":{"type":"boolean"}}})"),
      R"({"type":"object","required":["b"],"properties":{"b":{"type":"string"},"nullable":{"type":"boolean"}}})");
}

TEST(Schemas, OfVersion31KeepTheirMeaning) {
  EXPECT_EQ(body_schema(R"({"exclusiveMinimum":1,"type":["string","null"]})", "3.1.0"),
            R"({"exclusiveMinimum":1,"type":["string","null"]})");
  EXPECT_EQ(body_schema(R"({"$ref":"#/components/schemas/A","description":"d"})", "3.1.0",
                        R"({"A":{"type":"string","description":"a"}})"),
            R"({"description":"d","type":"string"})");
  EXPECT_EQ(body_schema(R"({"$ref":"#/components/schemas/A","maxLength":3})", "3.1.0",
                        R"({"A":{"type":"string"}})"),
            R"({"allOf":[{"type":"string"},{"maxLength":3}]})");
}

TEST(Schemas, ReferencesThatCannotBeWrittenOutAreRefused) {
  const char* const a = R"({"$ref":"#/components/schemas/A"})";
  EXPECT_THAT(
      body_schema(a, "3.0.3", R"({"A":{"properties":{"a":{"$ref":"#/components/schemas/A"}}}})"),
      HasSubstr("contains itself"));
  EXPECT_THAT(body_schema(a, "3.0.3", R"({"A":{"$ref":"#/components/schemas/A"}})"),
              HasSubstr("contains itself"));
  EXPECT_THAT(body_schema(a, "3.0.3", R"({"A":{"$ref":"https://a.example/b.json"}})"),
              HasSubstr("outside of the document"));
  EXPECT_THAT(body_schema(a), HasSubstr("not in the document"));
  EXPECT_THAT(body_schema(R"({"$id":"x"})", "3.1.0"), HasSubstr("$id"));
}

TEST(Schemas, ThatGrowByTheirReferencesAreRefused) {
  // Long, so that the limit on bytes is met long before the limit on time.
  std::string components =
      R"({"L0":{"type":"string","description":")" + std::string(8192, 'd') + "\"}";
  for (int i = 1; i < 20; ++i) {
    const std::string before = R"({"$ref":"#/components/schemas/L)" + std::to_string(i - 1) + "\"}";
    components += ",\"L" + std::to_string(i) + R"(":{"oneOf":[)" + before + "," + before + "]}";
  }
  EXPECT_THAT(body_schema(R"({"$ref":"#/components/schemas/L19"})", "3.0.3", components + "}"),
              HasSubstr("its schemas have more than 204800 bytes"));
}

// A document that only costs time takes no more than its share.
TEST(Operations, ADocumentThatCostsTooMuchTimeIsLeft) {
  std::string paths;
  for (int i = 0; i < 20'000; ++i)
    paths += (i > 0 ? ",\"/" : "\"/") + std::to_string(i) + R"(":{"$ref":"#/x"})";
  std::string members;
  for (int i = 0; i < 20'000; ++i) members += (i > 0 ? ",\"m" : "\"m") + std::to_string(i) + "\":0";
  ReadSettings how = settings();
  how.most_time = std::chrono::milliseconds(50);
  const Operations all = read(document(paths, R"(,"x":{)" + members + "}"), how);
  EXPECT_THAT(all.all, IsEmpty());
  ASSERT_THAT(all.refusals, SizeIs(1));
  EXPECT_THAT(all.refusals[0].reason, HasSubstr("50 ms of CPU time"));
}

TEST(Operations, WhatIsTooLongIsRefusedBeforeItIsCopied) {
  const std::string longer(300'000, 'x');
  EXPECT_THAT(reason(R"("/x":{"get":{"description":")" + longer + "\"}}"), HasSubstr("too long"));
  EXPECT_THAT(reason(R"("/x":{"get":{"operationId":")" + longer + "\"}}"), HasSubstr("256 bytes"));
  EXPECT_THAT(body_schema(R"({"default":")" + longer + "\"}"), HasSubstr("bytes"));
  EXPECT_EQ(body_schema(R"({"example":")" + longer + "\"}"), "{}");
  EXPECT_THAT(reason(R"("/x":{"post":{"description":")" + longer.substr(0, 150'000) +
                     R"(","requestBody":{"content":{"application/json":{"schema":{"default":")" +
                     longer.substr(0, 150'000) + R"("}}}}}})"),
              HasSubstr("its definition has more than"));
  std::string keywords;
  for (int i = 0; i < 1500; ++i)
    keywords += (i > 0 ? ",\"x-" : "\"x-") + std::to_string(i) + "\":0";
  EXPECT_THAT(body_schema("{" + keywords + "}"), HasSubstr("too many keywords"));
}

// Servers take the method from a header or a parameter: it would not be a GET.
TEST(Operations, WhatCanChangeTheMethodDoesNotOnlyRead) {
  const auto is_reading = [](const std::string& parameter) {
    const Operations all = read(document(R"("/x":{"get":{"parameters":[)" + parameter + "]}}"));
    return all.all.size() == 1 && all.all[0].reads &&
           all.all[0].definition.find("\"readOnlyHint\":true") != std::string::npos;
  };
  EXPECT_TRUE(is_reading(R"({"name":"a","in":"query","schema":{"type":"string"}})"));
  EXPECT_FALSE(is_reading(R"({"name":"_method","in":"query"})"));
  EXPECT_FALSE(is_reading(R"({"name":"_METHOD","in":"query"})"));
  EXPECT_FALSE(is_reading(R"({"name":"f","in":"query","schema":{"type":"object"}})"));
  EXPECT_TRUE(is_reading(
      R"({"name":"f","in":"query","schema":{"type":"object","additionalProperties":false}})"));
  EXPECT_TRUE(is_reading(R"({"name":"X-HTTP-Method-Override","in":"header"})"));  // left out
  for (const char* const name :
       {"X-HTTP-Method-Override", "X_HTTP_Method_Override", "X-Forwarded-For", "X-Original-URL",
        "X-Original-Method", "Transfer_Encoding"}) {
    EXPECT_THAT(reason(R"("/x":{"get":{"parameters":[{"name":")" + std::string(name) +
                       R"(","in":"header","required":true}]}})"),
                HasSubstr("a header that the host sets"));
  }
}

// What documents say of responses is often not so: names and types are kept, and nothing that
// refuses a member or requires one.
TEST(OutputSchema, KeepsTheNamesAndTypesOfTheOnlySuccessfulResponse) {
  const std::string schema =
      R"({"type":"object","title":"Pet","required":["id"],"additionalProperties":false,"minProperties":1,)"
      R"("properties":{"id":{"type":"integer","minimum":1,"readOnly":true},)"
      R"("kind":{"type":"string","enum":["cat","dog"],"pattern":"[","description":"Which"},)"
      R"("secret":{"type":"string","writeOnly":true},)"
      R"("tags":{"type":"array","items":{"type":"string"},"maxItems":1},)"
      R"("owner":{"oneOf":[{"type":"object"},{"type":"string"}]},)"
      R"("odd":{"type":"file"},"no":false,)"
      R"("more":{"type":"object","additionalProperties":{"type":"number"}}}})";
  EXPECT_EQ(
      output_schema(R"("200":)" + json_response(schema) + R"(,"404":{},"default":{})"),
      R"({"type":"object","title":"Pet","properties":{"id":{"type":["integer","null"]},)"
      R"("kind":{"type":["string","null"],"examples":["cat","dog"],"description":"Which"},)"
      R"("tags":{"type":["array","null"],"items":{"type":["string","null"]}},)"
      R"("owner":{"anyOf":[{"type":["object","null"]},{"type":["string","null"]}]},)"
      R"("odd":{},"no":{},)"
      R"("more":{"type":["object","null"],"additionalProperties":{"type":["number","null"]}}}})");
}

TEST(OutputSchema, FollowsReferencesAndCutsASchemaThatContainsItself) {
  const std::string components =
      R"({"responses":{"Ok":)" + json_response(R"({"$ref":"#/components/schemas/Node"})") +
      R"(},"schemas":{"Node":{"properties":{"next":{"$ref":"#/components/schemas/Node"},)"
      R"("name":{"type":"string"}}}}})";
  const std::string wanted =
      R"({"properties":{"next":{},"name":{"type":["string","null"]}},"type":"object"})";
  for (const char* const version : {"3.0.3", "3.1.0"}) {
    EXPECT_EQ(output_schema(R"("2XX":{"$ref":"#/components/responses/Ok"})", version, components),
              wanted);
  }
}

// Each would be looked at in each of the others, for years.
TEST(OutputSchema, OfASchemaThatContainsItselfManyTimesIsGivenUpSoon) {
  std::string many;
  for (int i = 0; i < 30; ++i)
    many += std::string(i ? "," : "") + R"({"$ref":"#/components/schemas/A"})";
  for (const char* const key : {"allOf", "anyOf", "oneOf"}) {
    EXPECT_EQ(
        output_schema(R"("200":)" + json_response(R"({"$ref":"#/components/schemas/A"})"), "3.0.3",
                      R"({"schemas":{"A":{")" + std::string(key) + "\":[" + many + "]}}}"),
        "")
        << key;
  }
}

TEST(OutputSchema, IsLeftOutWhereItCouldNotBeKept) {
  const std::string object = json_response(R"({"type":"object"})");
  EXPECT_EQ(output_schema(R"("200":)" + object), R"({"type":"object"})");
  EXPECT_EQ(output_schema(R"("200":)" + object, "3.0.3", "{}", "post"), "");
  EXPECT_EQ(output_schema(R"("200":)" + json_response(R"({"type":"object","oneOf":[]})")),
            R"({"type":"object"})");
  const std::string all = R"({"allOf":[{"type":"object"},{"description":"x"}]})";
  EXPECT_THAT(output_schema(R"("200":)" + json_response(all)), HasSubstr(R"("type":"object")"));
  for (const char* const schema :
       {R"({"type":"array"})", R"({"type":"object","nullable":true})", "{}", "true", "7",
        R"({"type":["object","null"]})", R"({"anyOf":[{"type":"object"},{"type":"string"}]})",
        R"({"$ref":"#/nowhere"})", R"({"$ref":"other.json"})",
        R"({"type":"object","properties":{"a":{"$ref":"other.json"}}})"}) {
    EXPECT_EQ(output_schema(R"("200":)" + json_response(schema)), "") << schema;
  }
  EXPECT_EQ(output_schema(R"("200":)" + object + R"(,"204":{})"), "");
  EXPECT_EQ(output_schema(R"("204":{})"), "");
  EXPECT_EQ(output_schema(R"("default":)" + object), "");
  EXPECT_EQ(output_schema(R"("200":)" + object, "3.0.3", "{}", "head"), "");
  const std::string other = R"({"content":{"application/json":{"schema":{"type":"object"}},)"
                            R"("text/csv":{}}})";
  EXPECT_EQ(output_schema(R"("200":)" + other), "");
  std::string long_schema = R"({"type":"object","properties":{)";
  for (int i = 0; i < 1000; ++i)
    long_schema += (i ? "," : "") + ("\"p" + std::to_string(i)) + R"(":{"type":"string"})";
  EXPECT_EQ(output_schema(R"("200":)" + json_response(long_schema + "}}")), "");
}

}  // namespace
}  // namespace host::upstream::openapi
