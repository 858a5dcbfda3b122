#include "protocol/mcp.h"
#include "protocol/elicitation.h"
#include "protocol/notifications.h"

#include <gtest/gtest.h>

#include "support/fake_provider.h"

namespace host::protocol {
namespace {

constexpr std::string_view kInfo = R"({"name":"h","version":"1"})";

TEST(Mcp, ASuccessOfALegacyVersionHasContentAlone) {
  EXPECT_EQ(call_answer("2", tool::CallResult::text("hi"), Version::v2025_03_26, kInfo),
            R"({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"hi"}]}})");
}

TEST(Mcp, AFailureSaysIsError) {
  EXPECT_EQ(
      call_answer("2", tool::CallResult::error("no"), Version::v2024_11_05, kInfo),
      R"({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"no"}],"isError":true}})");
}

TEST(Mcp, AStatelessResultSaysItIsCompleteAndWhoAnswered) {
  EXPECT_EQ(call_answer("2", tool::CallResult::text("hi"), Version::v2026_07_28, kInfo),
            R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":)"
            R"([{"type":"text","text":"hi"}],"_meta":{"io.modelcontextprotocol/serverInfo":)"
            R"({"name":"h","version":"1"}}}})");
}

TEST(Mcp, StructuredResultsFollowTheVersion) {
  tool::CallResult number;
  number.structured = "42";
  const auto has = [&](Version version) {
    return call_answer("1", number, version, kInfo).find("structuredContent") != std::string::npos;
  };
  EXPECT_TRUE(has(Version::v2026_07_28));
  EXPECT_FALSE(has(Version::v2025_11_25));  // objects alone
  EXPECT_FALSE(has(Version::v2025_03_26));
  EXPECT_NE(call_answer("1", number, Version::v2025_03_26, kInfo).find(R"("text":"42")"),
            std::string::npos);
  number.structured = R"({"a":1})";
  EXPECT_TRUE(has(Version::v2025_06_18));
  EXPECT_FALSE(has(Version::v2024_11_05));
}

TEST(Mcp, BlocksThatAVersionLacksBecomeText) {
  tool::CallResult result = tool::CallResult::text("see resource_link");
  result.add_block(R"({"type":"resource_link","uri":"file:///a","name":"a"})");
  result.add_block(R"({"type":"audio","data":"AAAA","mimeType":"audio/wav"})");
  const std::string oldest = call_answer("1", result, Version::v2024_11_05, kInfo);
  EXPECT_NE(oldest.find(R"({"type":"text","text":"Resource: a <file:///a>"})"), std::string::npos);
  EXPECT_EQ(oldest.find(R"("type":"audio")"), std::string::npos);
  const std::string newer = call_answer("1", result, Version::v2025_03_26, kInfo);
  EXPECT_EQ(newer.find(R"("type":"resource_link")"), std::string::npos);
  EXPECT_NE(newer.find(R"("type":"audio")"), std::string::npos);
  EXPECT_NE(call_answer("1", result, Version::v2025_06_18, kInfo).find(result.content),
            std::string::npos);
}

TEST(Mcp, AListedToolShowsWhatItsVersionKnows) {
  auto declared = test::declaration("echo");
  declared.title = "Echo";
  declared.icons = R"([{"src":"data:,"}])";
  declared.output_schema = R"({"type":"number"})";
  const auto tool = test::make_tool(std::move(declared));
  const auto shows = [&](Version version, std::string_view key) {
    std::string out;
    append_tool(*tool, version, features(version).structured, out);
    EXPECT_TRUE(json::parse(out)) << out;
    return out.find("\"" + std::string(key) + "\":") != std::string::npos;
  };
  std::string of_bare_call;
  append_tool(*test::make_tool([] {
    auto with_object = test::declaration("echo");
    with_object.output_schema = R"({"type":"object"})";
    return with_object;
  }()),
              Version::v2025_03_26, Structured::Object, of_bare_call);
  EXPECT_NE(of_bare_call.find("outputSchema"), std::string::npos);
  EXPECT_FALSE(shows(Version::v2025_03_26, "title"));
  EXPECT_TRUE(shows(Version::v2025_06_18, "title"));
  EXPECT_FALSE(shows(Version::v2025_06_18, "icons"));
  EXPECT_TRUE(shows(Version::v2025_11_25, "icons"));
  EXPECT_FALSE(shows(Version::v2025_11_25, "outputSchema"));  // no object
  EXPECT_TRUE(shows(Version::v2026_07_28, "outputSchema"));
}

TEST(Mcp, AQuestionCarriesItsKeyAndState) {
  const tool::Question who{"who", "elicitation/create", form_params("Name?", "{}")};
  const tool::Question where{"where", "roots/list", "{}"};
  const std::string text = round_answer("1", {{who, where}, "kept"}, "v1.a.b", kInfo);
  const auto tree = json::parse(text);
  ASSERT_TRUE(tree) << text;
  const json::Value* const result = json::find(tree->root(), "result");
  EXPECT_EQ(json::find_text(*result, "resultType"), "input_required");
  EXPECT_EQ(json::find_text(*result, "requestState"), "v1.a.b");
  EXPECT_EQ(json::text(*json::at(*result, "/inputRequests/who/params/mode")), "form");
  EXPECT_EQ(json::text(*json::at(*result, "/inputRequests/where/method")), "roots/list");
  EXPECT_EQ(text.find("kept"), std::string::npos);
  EXPECT_EQ(json::find(*result, "ttlMs"), nullptr);
}

TEST(Mcp, ListsOfTheStatelessVersionForbidCaching) {
  const std::string text = list_answer("1", "tools", "", "", Version::v2026_07_28, kInfo);
  EXPECT_NE(text.find(R"("ttlMs":0,"cacheScope":"private")"), std::string::npos);
  EXPECT_EQ(list_answer("1", "tools", "", "", Version::v2025_11_25, kInfo),
            R"({"jsonrpc":"2.0","id":1,"result":{"tools":[]}})");
}

TEST(Mcp, ProgressLeavesOutWhatIsUnknown) {
  EXPECT_EQ(progress_notification("\"t\"", 0.5, 0, "", Version::v2026_07_28),
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t",)"
            R"("progress":0.5}})");
  EXPECT_EQ(progress_notification("1", 50, 100, "half", Version::v2024_11_05).find("half"),
            std::string::npos);
}

}  // namespace
}  // namespace host::protocol
