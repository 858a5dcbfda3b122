#include "cli/output/printed_result.h"

#include <gtest/gtest.h>

namespace host::cli {
namespace {

TEST(PrintedResult, ForPeopleIsItsTextsAndTheJsonOfOtherBlocks) {
  tool::CallResult result = tool::CallResult::text("first");
  result.add_block(R"({"type":"resource_link","uri":"file:///x","name":"x"})");
  result.add_text("last \"one\"");
  EXPECT_EQ(result_text(result),
            "first\n{\"type\":\"resource_link\",\"uri\":\"file:///x\",\"name\":\"x\"}\n"
            "last \"one\"\n");
  EXPECT_EQ(result_text({}), "");
}

TEST(PrintedResult, ForProgramsIsWhatMcpHas) {
  EXPECT_EQ(result_json(tool::CallResult::text("a")),
            "{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}\n");
  tool::CallResult result = tool::CallResult::error("no");
  result.structured = "[1]";
  result.meta = R"("k":"v")";
  EXPECT_EQ(result_json(result),
            "{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"structuredContent\":[1],"
            "\"isError\":true,\"_meta\":{\"k\":\"v\"}}\n");
}

}  // namespace
}  // namespace host::cli
