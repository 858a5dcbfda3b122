#include "rest/wire/tool_result.h"

#include <gtest/gtest.h>

namespace host::rest {
namespace {

tool::Record record(std::string result, tool::RecordState state = tool::RecordState::Complete) {
  tool::Record made;
  made.id = "r_1";
  made.tool_use_id = "toolu_1";
  made.state = state;
  made.result = std::move(result);
  return made;
}

TEST(ToolResult, HasTheTextsOfTheResultAndTheIdOfTheHarness) {
  EXPECT_EQ(
      tool_result_json(record(
          R"({"content":[{"type":"text","text":"a","annotations":{"priority":1}},{"type":"text","text":"b"}]})")),
      R"({"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"a"},)"
      R"({"type":"text","text":"b"}],"is_error":false})");
}

// `limits.result_bytes` can be higher than what one text of another may have.
TEST(ToolResult, HasATextOfAnyLength) {
  const std::string longest((std::size_t{17} << 20u), 'x');
  const std::string shown =
      tool_result_json(record(R"({"content":[{"type":"text","text":")" + longest + "\"}]}"));
  EXPECT_GT(shown.size(), longest.size());
  EXPECT_EQ(shown.find("without a result"), std::string::npos);
}

TEST(ToolResult, WithoutAnIdOfTheHarnessHasTheRecords) {
  tool::Record made = record(R"({"content":[]})");
  made.tool_use_id.clear();
  EXPECT_EQ(tool_result_json(made),
            R"({"type":"tool_result","tool_use_id":"r_1","content":[],"is_error":false})");
}

TEST(ToolResult, ImagesThatModelsReadAreImagesAndOtherContentIsItsJson) {
  const std::string text = tool_result_json(
      record(R"({"content":[{"type":"image","data":"aGk=","mimeType":"image/png"},)"
             R"({"type":"image","data":"aGk=","mimeType":"image/bmp"}]})"));
  EXPECT_NE(text.find(R"({"type":"image","source":{"type":"base64","media_type":"image/png",)"
                      R"("data":"aGk="}})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"({"type":"text","text":"{\"type\":\"image\")"), std::string::npos) << text;
}

TEST(ToolResult, StructuredContentAloneIsShownAsText) {
  const std::string text =
      tool_result_json(record(R"({"content":[],"structuredContent":{"state":"COMPLETE"}})"));
  EXPECT_NE(text.find(R"("content":[{"type":"text","text":"{\"state\":\"COMPLETE\"}"}])"),
            std::string::npos)
      << text;
}

TEST(ToolResult, AnEndWithoutAResultSaysWhy) {
  tool::Record failed = record("", tool::RecordState::Error);
  failed.code = "abandoned";
  EXPECT_EQ(tool_result_json(failed),
            R"({"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text",)"
            R"("text":"the call ended without a result: abandoned"}],"is_error":true})");
  failed.failure = R"({"code":-32603,"message":"the host was started anew"})";
  EXPECT_NE(tool_result_json(failed).find("the host was started anew"), std::string::npos);
}

TEST(ToolResult, AnErrorResultOfACompleteCallIsAnError) {
  const std::string text =
      tool_result_json(record(R"({"content":[{"type":"text","text":"no"}],"isError":true})"));
  EXPECT_NE(text.find(R"("is_error":true)"), std::string::npos);
}

}  // namespace
}  // namespace host::rest
