// The overlap plugin's own promises, before a host is judged by it.
#include <thread>

#include <gtest/gtest.h>

#include "support/fake_host.h"
#include "support/places.h"

namespace {

const std::string kOverlap = places::build().string() + "/tests/plugins/overlap.so";

TEST(Overlap, CountsCallsThatAreInsideAtOnce) {
  fake::Plugin plugin(kOverlap);
  EXPECT_EQ(plugin.answer("exclusive_a", R"({"ms":0})"), R"({"peak":1})");
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] { plugin.answer("free_probe", R"({"ms":100})"); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(plugin.answer("free_probe", R"({"ms":0})"), R"({"peak":3})");
}

TEST(Overlap, ASlowCallTellsItsProgressAndStopsWhenCancelled) {
  fake::Plugin plugin(kOverlap);
  fake::Call whole;
  EXPECT_EQ(plugin.call("slow", R"({"ms":10})", whole), TP_OK);
  EXPECT_EQ(whole.progress.size(), 10u);
  fake::Call cancelled;
  cancelled.cancelled = true;
  EXPECT_EQ(plugin.call("slow", R"({"ms":60000})", cancelled), TP_E_CANCELLED);
}

TEST(Overlap, APendingCallCompletesOnceFromItsOwnThread) {
  fake::Plugin plugin(kOverlap);
  fake::Call call;
  EXPECT_EQ(plugin.call("pending", R"({"ms":5})", call), TP_OK);
  EXPECT_EQ(call.only(), "done later");
  EXPECT_EQ(call.completions, 1);
}

TEST(Overlap, GivesBackWhatItReceivedAndFailsWhenAsked) {
  fake::Plugin plugin(kOverlap);
  EXPECT_EQ(plugin.answer("_internal", R"({"text":"x"})"), R"({"received":{"text":"x"}})");
  EXPECT_EQ(plugin.answer("fails", "{}"), "error: it failed, as asked");
}

}  // namespace
