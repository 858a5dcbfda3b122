#include <gmock/gmock.h>

#include "upstream/openapi/call_answer.h"
#include "upstream/openapi/call_request.h"
#include "upstream/openapi/serialization.h"

namespace host::upstream::openapi {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

Parameter parameter(Place place, Style style, bool explode, const std::string& name = "n") {
  return {name, name, place, style, explode, true};
}

std::string text_or_fault(const Result<std::string>& text) {
  return text ? *text : "fault: " + text.error().message;
}

std::string query(Style style, bool explode, const std::string& json) {
  const auto value = json::parse(json);
  return text_or_fault(
      query_text(parameter(Place::Query, style, explode), value->root(), {"taken"}));
}

std::string path(const std::string& json, bool explode = false) {
  const auto value = json::parse(json);
  return text_or_fault(path_text(parameter(Place::Path, Style::Simple, explode), value->root()));
}

std::string header(const std::string& json, bool explode = false) {
  const auto value = json::parse(json);
  return text_or_fault(
      header_text(parameter(Place::Header, Style::Simple, explode), value->root()));
}

// The table of OpenAPI 3.1.1, section 4.8.12.4, for the styles that the host has.
TEST(Serialization, WritesTheTableOfTheSpecification) {
  const char* const list = R"(["blue","black"])";
  const char* const object = R"({"R":100,"G":200})";
  EXPECT_EQ(path(list), "blue,black");
  EXPECT_EQ(path(object), "R,100,G,200");
  EXPECT_EQ(path(object, true), "R=100,G=200");
  EXPECT_EQ(header(list), "blue,black");
  EXPECT_EQ(header(object, true), "R=100,G=200");
  EXPECT_EQ(query(Style::Form, true, "\"blue\""), "n=blue");
  EXPECT_EQ(query(Style::Form, true, "\"\""), "n=");
  EXPECT_EQ(query(Style::Form, true, list), "n=blue&n=black");
  EXPECT_EQ(query(Style::Form, false, list), "n=blue,black");
  EXPECT_EQ(query(Style::Form, true, object), "R=100&G=200");
  EXPECT_EQ(query(Style::Form, false, object), "n=R,100,G,200");
  EXPECT_EQ(query(Style::SpaceDelimited, false, list), "n=blue%20black");
  EXPECT_EQ(query(Style::PipeDelimited, false, list), "n=blue%7Cblack");
  EXPECT_EQ(query(Style::DeepObject, true, object), "n%5BR%5D=100&n%5BG%5D=200");
  EXPECT_EQ(query(Style::Json, false, R"({"a":[1]})"), "n=%7B%22a%22%3A%5B1%5D%7D");
  EXPECT_EQ(query(Style::Form, true, "1.5"), "n=1.5");
  EXPECT_EQ(query(Style::Form, true, "true"), "n=true");
  EXPECT_EQ(query(Style::Form, true, "[]"), "");
}

TEST(Serialization, NoValueLeavesItsPlace) {
  EXPECT_EQ(path(R"("a/b?c#d&e=f%2f\\")"), "a%2Fb%3Fc%23d%26e%3Df%252f%5C");
  EXPECT_EQ(path(R"("a\r\nb")"), "a%0D%0Ab");
  EXPECT_EQ(path("\"\xC3\xA9\""), "%C3%A9");
  EXPECT_EQ(path(R"("...")"), "...");
  for (const char* const value : {R"("..")", R"(".")", R"("../admin")", R"("a/../b")",
                                  R"("a\\..\\b")", R"("%2e%2E")", R"("%2e./x")"})
    EXPECT_THAT(path(value), HasSubstr("segment . or ..")) << value;
  for (const char* const value : {R"("")", "[]", "{}"})
    EXPECT_THAT(path(value), HasSubstr("may not be empty")) << value;
  EXPECT_THAT(path("null"), HasSubstr("null"));
  EXPECT_THAT(path("[[1]]"), StartsWith("fault"));
  EXPECT_EQ(query(Style::Form, true, R"("a&b=c#d+e f")"), "n=a%26b%3Dc%23d%2Be%20f");
  EXPECT_EQ(query(Style::Form, false, R"(["a,b","c"])"), "n=a%2Cb,c");
  EXPECT_THAT(query(Style::Form, true, R"({"taken":1})"), HasSubstr("another parameter"));
  EXPECT_THAT(query(Style::Form, true, R"({"_Method":"DELETE"})"), HasSubstr("the method"));
  EXPECT_EQ(query(Style::DeepObject, true, R"({"a]&b":1})"), "n%5Ba%5D%26b%5D=1");
  EXPECT_THAT(query(Style::DeepObject, true, R"({"a":{"b":1}})"), StartsWith("fault"));
  for (const char* const value :
       {R"("a\r\nX: 1")", R"("a\nb")", R"("\u0000")", R"(["a","\u007f"])"})
    EXPECT_THAT(header(value), HasSubstr("control characters")) << value;
}

Operation operation() {
  Operation made;
  made.method = "POST";
  made.server = "https://api.example/v1";
  made.path = "/a/{x}{y}/b";
  made.parameters = {parameter(Place::Path, Style::Simple, false, "x"),
                     parameter(Place::Path, Style::Simple, false, "y"),
                     {"q", "q", Place::Query, Style::Form, true, false},
                     {"h", "X-H", Place::Header, Style::Simple, false, false}};
  made.body_type = "application/json";
  made.credentials = {{"key", Credential::To::Query, "token"},
                      {"basic", Credential::To::Basic, ""}};
  return made;
}

const Access kAccess{{{"User-Agent", "own"}}, {{"key", "s e"}, {"basic", "u:p"}}};

Result<CallRequest> request(const std::string& arguments) {
  const auto value = json::parse(arguments);
  return request_for(operation(), value->root(), kAccess);
}

TEST(CallRequest, HasEachArgumentAtItsPlace) {
  const auto made = request(R"({"x":"1","y":2,"q":[1,2],"h":"v","body":{"a":[null]}})");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->url, "https://api.example/v1/a/12/b?q=1&q=2&token=s%20e");
  EXPECT_EQ(made->body, R"({"a":[null]})");
  EXPECT_THAT(
      made->headers,
      AllOf(Contains(Pair("X-H", "v")), Contains(Pair("Authorization", "Basic dTpw")),
            Contains(Pair("Content-Type", "application/json")), Contains(Pair("User-Agent", "own")),
            Not(Contains(Pair("User-Agent", "Toolpost")))));
}

TEST(CallRequest, RefusesWhatIsMissingUnknownOrMakesADotSegment) {
  const auto fault = [](const std::string& arguments) {
    const auto made = request(arguments);
    return made ? "" : made.error().message;
  };
  EXPECT_THAT(fault(R"({"x":"1"})"), HasSubstr("\"y\" is missing"));
  EXPECT_THAT(fault(R"({"x":"1","y":"2","z":3})"), HasSubstr("\"z\" is not one"));
  EXPECT_THAT(fault(R"({"x":".","y":"a"})"), HasSubstr("segment . or .."));
  EXPECT_THAT(fault(R"({"x":"a","y":"."})"), HasSubstr("segment . or .."));
  EXPECT_EQ(fault(R"({"x":"a","y":".b","q":null,"h":null})"), "");
  EXPECT_THAT(fault("[]"), HasSubstr("no object"));
}

CallAnswer answer(int status, const std::string& type, const std::string& body) {
  CallAnswer made;
  made.method = "GET";
  made.url = "https://api.example/x";
  made.status = status;
  made.content_type = type;
  made.body = body;
  return made;
}

TEST(CallAnswer, BecomesAResultByItsTypeAndStatus) {
  Secrets secrets;
  secrets.add("hunter2-hunter2");
  const auto result = [&](int status, const std::string& type, const std::string& body) {
    const std::string text = result_of(answer(status, type, body), secrets);
    EXPECT_TRUE(json::parse(text)) << text;
    return text;
  };
  EXPECT_EQ(
      result(200, "application/json; charset=utf-8", R"({"a": "hunter2-hunter2"})"),
      R"({"content":[{"type":"text","text":"{\"a\": \"[secret]\"}"}],"structuredContent":{"a":"[secret]"}})");
  EXPECT_EQ(result(200, "application/json", "[1]"),
            R"({"content":[{"type":"text","text":"[1]"}]})");
  EXPECT_EQ(result(200, "application/json", "{no"),
            R"({"content":[{"type":"text","text":"{no"}]})");
  EXPECT_THAT(result(204, "", ""), HasSubstr("HTTP status 204"));
  EXPECT_THAT(result(200, "image/png", "\x89PNG"),
              HasSubstr(R"("type":"image","data":"iVBORw==")"));
  EXPECT_THAT(result(200, "application/zip", "PK"),
              HasSubstr(R"("mimeType":"application/zip","blob":"UEs=")"));
  EXPECT_THAT(result(200, "text/plain", "\xff"), HasSubstr("blob"));
  EXPECT_THAT(result(404, "text/plain", std::string(9000, 'x')),
              AllOf(HasSubstr("HTTP status 404"), HasSubstr("\"isError\":true"), HasSubstr("x..."),
                    Not(HasSubstr(std::string(5000, 'x')))));
  EXPECT_THAT(result(500, "", "\xff"), HasSubstr("not text"));
  EXPECT_THAT(result(401, "", "hunter2-hunter2"),
              AllOf(HasSubstr("`credentials`"), HasSubstr("[secret]")));
}

TEST(CallAnswer, IsAnErrorThatSaysWhatCameInPlaceOfThePromisedObject) {
  Secrets secrets;
  secrets.add("hunter2-hunter2");
  const auto result = [&](const std::string& type, const std::string& body, int status = 200) {
    CallAnswer given = answer(status, type, body);
    given.promises_object = true;
    std::string text = result_of(given, secrets);
    EXPECT_TRUE(json::parse(text)) << text;
    return text;
  };
  EXPECT_EQ(result("application/json", R"({"a":1})"),
            R"({"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}})");
  EXPECT_EQ(
      result("application/json", "[1, 2]"),
      R"({"content":[{"type":"text","text":"The API answered with an array, but its document )"
      R"(says that the answer is a JSON object. The operator can correct the document."},)"
      R"({"type":"text","text":"What it returned follows."},)"
      R"({"type":"text","text":"[1, 2]"}],"isError":true})");
  EXPECT_THAT(result("application/json", "3"), HasSubstr("answered with a number, but"));
  EXPECT_THAT(result("application/json", "null"), HasSubstr("answered with null, but"));
  EXPECT_THAT(result("text/plain; charset=utf-8", "{}"),
              HasSubstr("answered with text/plain, but"));
  EXPECT_THAT(result("", "x"), HasSubstr("a body without a media type"));
  EXPECT_THAT(result("image/png", "\x89PNG"),
              AllOf(HasSubstr("answered with image/png, but"), HasSubstr("iVBORw==")));
  EXPECT_THAT(result("application/json", "{broken"),
              AllOf(HasSubstr("cannot be read as JSON"), HasSubstr("{broken")));
  EXPECT_THAT(result("", "", 204), HasSubstr("HTTP status 204 without a body, but"));
  EXPECT_THAT(result("application/hunter2-hunter2", "x"), Not(HasSubstr("hunter2")));
  EXPECT_THAT(result("application/json", "[1]", 500), Not(HasSubstr("document")));
}

std::string result_with_secret(int status, const std::string& type, const std::string& body) {
  Secrets secrets;
  secrets.add("key/4711-abcdef");
  const std::string text = result_of(answer(status, type, body), secrets);
  EXPECT_TRUE(json::parse(text)) << text;
  EXPECT_THAT(text, Not(HasSubstr("4711"))) << body;
  return text;
}

TEST(CallAnswer, HidesSecretsThatAreWrittenWithEscapes) {
  const std::string hex = R"(k\u0065y\/\u00347\u00311-abcdef)";
  const auto result = [](const std::string& body) {
    return result_with_secret(200, "application/json", body);
  };
  EXPECT_EQ(result(R"({"n":1.50,"a":"<)" + hex + R"(>\n"})"),
            R"({"content":[{"type":"text","text":"{\"n\":1.50,\"a\":\"<[secret]>\\n\"}"}],)"
            R"("structuredContent":{"n":1.5,"a":"<[secret]>\n"}})");
  EXPECT_THAT(result("{\"" + hex + "\":[\"key\\/4711-abcdef\"]}"),
              HasSubstr(R"("structuredContent":{"[secret]":["[secret]"]})"));
  // Neither an array nor a text that is not valid JSON has structured content.
  EXPECT_THAT(result("[\"" + hex + "\"]"), HasSubstr("[secret]"));
  EXPECT_THAT(result("{\"a\":\"" + hex + "\", no"), HasSubstr("[secret]"));
  EXPECT_THAT(result(R"({"a":"{\"b\":\"key\\\/4711-abcdef\"}"})"), HasSubstr("[secret]"));
  EXPECT_THAT(result_with_secret(200, "text/html", "{\"a\":\"" + hex + "\"}"),
              HasSubstr("[secret]"));
  EXPECT_THAT(result_with_secret(500, "application/json", "{\"a\":\"" + hex + "\"}"),
              HasSubstr("[secret]"));
  // Other escapes stay as the API wrote them.
  EXPECT_THAT(result(R"(["\u0041\/"])"), HasSubstr(R"([\"\\u0041\\/\"])"));
}

TEST(CallAnswer, HidesSecretsOfAnErrorBeforeItIsCut) {
  const auto result = [](const std::string& body) {
    return result_with_secret(500, "text/plain", body);
  };
  for (const std::string secret : {"key/4711-abcdef", "key\\/4711-abcdef"}) {
    for (std::size_t size = 4075; size < 4100; ++size)
      EXPECT_THAT(result(std::string(size, 'x') + secret + std::string(40, 'y')), HasSubstr("..."));
    // The end of what was read, also within an escape.
    EXPECT_THAT(result("x" + secret.substr(0, 11)), HasSubstr("x[secret]"));
    EXPECT_THAT(result("x" + secret.substr(0, 5)), HasSubstr("x[secret]"));
  }
  EXPECT_THAT(result(R"(xkey\/47\u00)"), HasSubstr("x[secret]"));
}

}  // namespace
}  // namespace host::upstream::openapi
