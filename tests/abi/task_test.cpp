// Tools as coroutines: each call ends exactly once, however its coroutine ends and wherever.
#include <atomic>
#include <deque>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "abi/linked.h"

namespace {

using toolpost::Completion;
using toolpost::Task;
using toolpost::testing::Call;
using toolpost::testing::Plugin;

struct Text {
  std::string text;
  TOOLPOST_FIELDS(Text, TOOLPOST_FIELD(text))
};

std::deque<Completion<std::string>> waiting;  // what the coroutines wait for, oldest first
std::atomic<int> alive = 0;                   // coroutines with locals

struct Alive {
  Alive() { ++alive; }
  ~Alive() { --alive; }
};

Task<std::string> inner(const std::string& text) {
  if (text == "inner throws") throw toolpost::Error("from the inside");
  co_return text + "!";
}

Task<std::string> later(const Text& args, toolpost::Context& call) {
  const Alive here;
  call.progress(1, 2);
  Completion<std::string> completion = waiting.emplace_back();
  const std::string got = co_await completion;
  const std::string shouted = co_await inner(args.text);
  call.check();
  co_return got + " " + shouted;
}

Task<> nothing() {
  co_return;
}

Task<int> now(const Text& args) {
  const std::string out = co_await inner(args.text);
  co_return static_cast<int>(out.size());
}

class Tasks : public testing::Test {
 protected:
  Tasks() { waiting.clear(); }
  ~Tasks() override { EXPECT_EQ(alive, 0); }

  Plugin plugin{linked::table(+[] {
    return toolpost::Plugin<>(linked::about())
        .tool("later", "Later", later)
        .tool("nothing", "Nothing", nothing)
        .tool("now", "Now", now);
  })};
};

TEST_F(Tasks, OneThatNeverWaitsEndsAtOnce) {
  EXPECT_EQ(plugin.answer("nothing"), "done");
  EXPECT_EQ(plugin.answer("now", R"({"text":"four"})"), "5");
  EXPECT_EQ(
      linked::output_schema(plugin, "now"),
      R"({"type":"object","properties":{"result":{"type":"integer"}},"required":["result"]})");
}

TEST_F(Tasks, OneThatWaitsKeepsItsArgumentsAndEndsOnAnotherThread) {
  Call call;
  {
    const std::string args = R"({"text":"a text that is too long for a small string's buffer"})";
    EXPECT_EQ(plugin.start("later", args, call), TP_PENDING);
  }
  EXPECT_EQ(call.completions, 0);
  EXPECT_EQ(alive, 1);
  std::thread([] { waiting.front().finish("got"); }).join();
  call.wait_until_complete();
  EXPECT_EQ(call.text(), "got a text that is too long for a small string's buffer!");
  EXPECT_EQ(call.completions, 1);
}

TEST_F(Tasks, WhatItThrowsBecomesTheCallsError) {
  Call call;
  plugin.start("later", R"({"text":"inner throws"})", call);
  waiting.front().finish("got");
  EXPECT_EQ(call.error, "from the inside");
  EXPECT_EQ(call.completions, 1);
  Call failed;
  plugin.start("later", R"({"text":"x"})", failed);
  waiting.back().fail(std::make_exception_ptr(std::runtime_error("the line is dead")));
  EXPECT_EQ(failed.error, "the line is dead");
  EXPECT_EQ(failed.completions, 1);
}

TEST_F(Tasks, ACancelledOneEndsAsCancelled) {
  Call call;
  plugin.start("later", R"({"text":"x"})", call);
  plugin.cancel(call);
  waiting.front().finish("too late");
  EXPECT_EQ(call.status, TP_E_CANCELLED);
  EXPECT_EQ(call.completions, 1);
}

TEST_F(Tasks, ArgumentsThatItCannotTakeEndTheCallBeforeItBegins) {
  EXPECT_EQ(plugin.answer("later", "{}"), "error: argument /text is missing");
  EXPECT_TRUE(waiting.empty());
}

TEST_F(Tasks, ASecondFinishDoesNothing) {
  Call call;
  plugin.start("later", R"({"text":"x"})", call);
  Completion<std::string> same = waiting.front();
  same.finish("one");
  same.finish("two");
  same.fail(nullptr);
  EXPECT_EQ(call.text(), "one x!");
  EXPECT_EQ(call.completions, 1);
}

}  // namespace
