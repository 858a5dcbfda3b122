#include "tool/call/result.h"

#include <gtest/gtest.h>

#include "json/json.h"

namespace host::tool {
namespace {

TEST(CallResult, WritesItsTextAsJson) {
  CallResult result = CallResult::text("a \"b\"\n");
  result.add_block(R"({"type":"image"})");
  result.add_text("c");
  const auto parsed = json::parse("[" + result.content + "]");
  ASSERT_TRUE(parsed.has_value());
  ASSERT_EQ(parsed->root().Size(), 3u);
  EXPECT_EQ(json::find_text(parsed->root()[0], "text"), "a \"b\"\n");
  EXPECT_EQ(json::find_text(parsed->root()[1], "type"), "image");
}

TEST(CallResult, TellsAFailureFromAResult) {
  EXPECT_TRUE(CallResult::error("no").is_error);
  EXPECT_FALSE(CallResult::text("yes").is_error);
}

}  // namespace
}  // namespace host::tool
