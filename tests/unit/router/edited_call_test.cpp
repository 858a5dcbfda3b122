// What a caller is told if a reviewer changed the arguments of its call.
#include "router/step/edited_call.h"

#include <gtest/gtest.h>

#include "support/cpu_time.h"
#include "tool/call/edits.h"

namespace host::router {
namespace {

using Names = std::vector<std::string>;

TEST(EditedCall, NamesTheMembersThatDiffer) {
  EXPECT_EQ(changed_members(R"({"a":1,"b":[1,2],"c":"x"})", R"({"c":"y","b":[1,3],"a":1})"),
            (Names{"b", "c"}));
  EXPECT_EQ(changed_members(R"({"gone":1})", R"({"new":1})"), (Names{"gone", "new"}));
  EXPECT_EQ(changed_members(R"({"in":{"x":1,"y":2}})", R"({"in":{"y":2,"x":1}})"), Names{});
  EXPECT_EQ(changed_members("", "{}"), Names{});
}

TEST(EditedCall, SaysTheNamesAndNoValues) {
  const tool::CallResult told = with_edits(tool::CallResult::text("done"), {"file", "mode"});
  EXPECT_EQ(
      told.content,
      R"({"type":"text","text":"done"},)"
      R"({"type":"text","text":"A reviewer changed the arguments of this call: file, mode."})");
  EXPECT_EQ(told.meta, R"("io.toolpost/edited":["file","mode"])");
  EXPECT_FALSE(told.is_error);
  EXPECT_EQ(with_edits(tool::CallResult::text("done"), {}).meta, "");
}

TEST(EditedCall, AQuestionIsNoAnswerYet) {
  tool::CallResult asks;
  asks.round.emplace();
  EXPECT_EQ(with_edits(asks, {"file"}).meta, "");
}

TEST(EditedCall, KeepsTheNamesOfAllEditsOnce) {
  tool::Call call;
  keep_edits(call, {});
  EXPECT_FALSE(tool::has_edits(call.continuation));
  EXPECT_EQ(kept_edits(call), Names{});
  keep_edits(call, {"file", "mode"});
  keep_edits(call, {"mode", "size"});
  EXPECT_TRUE(tool::has_edits(call.continuation));
  EXPECT_EQ(kept_edits(call), (Names{"file", "mode", "size"}));
}

// Those that the client has sent need no memory: it sends them again.
TEST(EditedCall, KeepsTheArgumentsOfARunThatAreNotTheClients) {
  tool::Call call;
  call.arguments_text = R"({"n":1})";
  keep_run_arguments(call);
  EXPECT_FALSE(take_run_arguments(call));
  call.interceptions.emplace_back("guard changed the arguments");
  keep_run_arguments(call);
  EXPECT_TRUE(take_run_arguments(call));
  EXPECT_EQ(json::write(call.arguments.root()), R"({"n":1})");

  tool::Call edited;
  edited.arguments_text = R"({"n":2})";
  keep_edits(edited, {"n"});
  keep_run_arguments(edited);
  EXPECT_TRUE(take_run_arguments(edited));
  EXPECT_EQ(json::write(edited.arguments.root()), R"({"n":2})");
}

TEST(EditedCall, ManyMembersAreComparedInLittleTime) {
  std::string before = "{\"a\":1", after = "{\"a\":2", other = "{\"a\":1";
  for (int i = 0; i < 30'000; ++i) {
    const std::string end = std::to_string(i) + "\":1";
    before += ",\"" + end;
    after += ",\"" + end;
    other += ",\"x" + end;
  }
  const test::CpuTime cpu;
  EXPECT_EQ(changed_members(before + "}", after + "}"), Names{"a"});
  EXPECT_EQ(changed_members(before + "}", other + "}").size(), 60'000u);
  EXPECT_LT(cpu.taken(), std::chrono::seconds(30));
}

TEST(EditedCall, NamesAreBounded) {
  std::string after = "{";
  for (int i = 0; i < 40; ++i) {
    after += (i > 0 ? ",\"" : "\"") + std::to_string(i) + std::string(500, 'x') + "\":1";
  }
  const tool::CallResult told = with_edits({}, changed_members("{}", after + "}"));
  EXPECT_LT(told.content.size() + told.meta.size(), 4000u);
  EXPECT_NE(told.content.find("and 24 more"), std::string::npos) << told.content;
}

}  // namespace
}  // namespace host::router
