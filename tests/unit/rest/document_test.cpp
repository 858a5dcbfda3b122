#include "rest/describe/document.h"

#include <gtest/gtest.h>

#include <set>

#include "json/json.h"
#include "rest/describe/operation.h"

namespace host::rest {
namespace {

constexpr ListedRoute kThings[] = {{"/v1/things/*", "GET", identity::Scope::Admin}};

std::string error_of(std::string_view operations) {
  const std::string text = R"({"operations":{)" + std::string(operations) + "}}";
  const Fragment fragments[] = {{"test.json", text}};
  const auto made = openapi_document(kThings, fragments, {});
  return made ? std::string() : made.error().message;
}

// Fails for a route that nobody has described, and for a description whose route has gone.
TEST(Document, EachRouteHasADescriptionAndEachDescriptionARoute) {
  const auto made = openapi_document(listed_routes(), fragments(), webhook::event_schemas());
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_GT(listed_routes().size(), 40u);
}

TEST(Document, NamesTheRouteOrDescriptionThatIsAlone) {
  EXPECT_EQ(error_of(""), "no description of GET /v1/things/{id}");
  EXPECT_EQ(error_of(R"("GET /v1/things/{id}":{"id":"getThing"})"), "");
  EXPECT_EQ(error_of(R"("GET /v1/things/{id}":{},"PUT /v1/things/{id}":{})"),
            "no route for the description of PUT /v1/things/{id}");
  EXPECT_EQ(error_of(R"("GET /v1/things/{id}":{},"PUT /v1/things/{id}":{"unlisted":true})"), "");
}

TEST(Document, EachReferenceLeadsToASchema) {
  const auto made = openapi_document(listed_routes(), fragments(), webhook::event_schemas());
  ASSERT_TRUE(made);
  const auto tree = json::parse(*made);
  ASSERT_TRUE(tree);
  constexpr std::string_view kMark = R"("$ref":"#)";
  for (std::size_t at = made->find(kMark); at != std::string::npos;
       at = made->find(kMark, at + 1)) {
    const std::size_t from = at + kMark.size();
    const std::string pointer = made->substr(from, made->find('"', from) - from);
    EXPECT_NE(json::at(tree->root(), pointer), nullptr) << pointer;
  }
}

TEST(Document, EachOperationHasAnIdOfItsOwnASummaryAndAnAnswer) {
  const auto made = openapi_document(listed_routes(), fragments(), webhook::event_schemas());
  ASSERT_TRUE(made);
  const auto tree = json::parse(*made);
  std::set<std::string> ids;
  for (const auto& path : json::find(tree->root(), "paths")->GetObject()) {
    for (const auto& operation : path.value.GetObject()) {
      const auto id = json::find_text(operation.value, "operationId");
      EXPECT_TRUE(!id.empty() && ids.insert(std::string(id)).second) << json::text(path.name);
      EXPECT_FALSE(json::find_text(operation.value, "summary").empty()) << id;
      bool succeeds = false;
      for (const auto& answer : json::find(operation.value, "responses")->GetObject())
        succeeds = succeeds || json::text(answer.name).starts_with('2');
      EXPECT_TRUE(succeeds) << id;
    }
  }
}

TEST(Document, AnErrorThatADescriptionNamesIsAProblemType) {
  const auto described = json::parse(R"({"id":"a","errors":["conflict"]})");
  const std::string with = operation_json("/v1/things", described->root(), {});
  EXPECT_NE(with.find(R"("409":)"), std::string::npos);
  EXPECT_NE(with.find("/v1/problems/conflict"), std::string::npos);
  EXPECT_EQ(operation_json("/v1/things", json::parse("{}")->root(), {}).find(R"("409":)"),
            std::string::npos);
}

TEST(Document, AnswersHaveTheHeadersThatClientsActOn) {
  const auto described = json::parse(R"({"bytes_out":true,"answer_headers":["ETag"]})");
  const auto made = json::parse(operation_json("/v1/things", described->root(), {}));
  const auto has = [&](const std::string& status, const std::string& header) {
    return json::at(made->root(), "/responses/" + status + "/headers/" + header) != nullptr;
  };
  EXPECT_TRUE(has("200", "Repr-Digest") && has("200", "ETag") && has("200", "RateLimit"));
  EXPECT_TRUE(has("429", "Retry-After") && has("503", "Retry-After") && has("422", "RateLimit"));
  EXPECT_FALSE(has("200", "Retry-After") || has("500", "Retry-After") || has("429", "ETag"));
}

TEST(Document, PathsHaveNamesForTheirIds) {
  EXPECT_EQ(path_with_names("/v1/things"), "/v1/things");
  EXPECT_EQ(path_with_names("/v1/things/*"), "/v1/things/{id}");
  EXPECT_EQ(path_with_names("/v1/tools/request/*/*/heartbeat"),
            "/v1/tools/request/{session}/{request}/heartbeat");
}

}  // namespace
}  // namespace host::rest
