// Calls whose upstream asks the client meanwhile. The upstream is the test.
#include "upstream/manager/calls.h"

#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>

#include "fake_transport.h"

namespace host::upstream {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kQuestion =
    R"("method":"elicitation/create","params":{"message":"Who?","requestedSchema":{}}})";

class QuestionsTest : public ::testing::Test {
 protected:
  // One run of a call, as the executor makes it.
  struct Run {
    std::shared_ptr<tool::Invocation> invocation;
    std::optional<Result<tool::CallResult>> result;

    bool asks() const { return result && *result && (*result)->round; }
    const tool::Round& round() const { return *(*result)->round; }
    std::string words() const {
      if (!result) return "nothing yet";
      return *result ? (*result)->structured : (*result).error().message;
    }
  };

  QuestionsTest() {
    settings_.upstream = "u";
    settings_.secrets = std::make_shared<Secrets>();
    settings_.passed_on = {true, true, true, true, true};
    ConnectionSettings connection;
    connection.close_timeout = 1ms;
    connection_ =
        std::make_unique<Connection>(io_.get_executor(), std::make_unique<FakeTransport>(server_),
                                     std::move(connection), Connection::Events{});
    connection_->open(Era::Legacy);
    say(R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},)"
        R"("serverInfo":{"name":"s","version":"1"}}})");
  }

  void make() {
    calls_ = std::make_shared<Calls>(
        io_.get_executor(), settings_,
        Calls::Line{[this] { return connection_.get(); }, [] {}, nullptr, [this] { ++idle_; }});
  }
  void say(const std::string& text) { server_->listener->message(text, {}); }
  void ask(const std::string& id) { say(R"({"jsonrpc":"2.0","id":)" + id + "," + kQuestion); }
  void answer(const Outgoing& request, const std::string& text) {
    say(R"({"jsonrpc":"2.0","id":)" + request.id +
        R"(,"result":{"contents":[{"uri":"a:b","text":")" + text + R"("}]}})");
  }
  std::string last() const { return server_->sent.back().text; }

  Run& run(const tool::Continuation& resumed = {}, const std::string& principal = "ada") {
    Run& made = *runs_.emplace_back(std::make_unique<Run>());
    made.invocation = std::make_shared<tool::Invocation>();
    made.invocation->function = tool::Function::ReadResource;
    made.invocation->abilities = {true, false, true, false, false};
    made.invocation->continuation = resumed;
    auto passport = std::make_shared<tool::Passport>();
    passport->who.principal = principal;
    made.invocation->passport = std::move(passport);
    made.invocation->set_on_finish(
        [&made](Result<tool::CallResult> result) { made.result = std::move(result); });
    calls_->take(made.invocation, "a:b");
    return made;
  }
  tool::Continuation answered(const Run& asked) {
    tool::Continuation resumed;
    resumed.state = asked.round().state;
    for (const tool::Question& question : asked.round().questions)
      resumed.answers.emplace(question.key, R"({"action":"decline","_meta":{}})");
    return resumed;
  }

  boost::asio::io_context io_;
  std::shared_ptr<FakeTransport::State> server_ = std::make_shared<FakeTransport::State>();
  std::unique_ptr<Connection> connection_;
  CallSettings settings_;
  std::shared_ptr<Calls> calls_;
  std::vector<std::unique_ptr<Run>> runs_;
  int idle_ = 0;
};

TEST_F(QuestionsTest, TheNextRunBringsTheAnswer) {
  make();
  const Run& first = run();
  const Outgoing request = server_->sent.back();
  ask("7");
  ASSERT_TRUE(first.asks());
  EXPECT_EQ(first.round().questions.at(0).params, R"({"message":"Who?","requestedSchema":{}})");
  EXPECT_EQ(calls_->running(), 1u);
  ask("8");  // while it is parked: asked next
  const Run& second = run(answered(first));
  EXPECT_EQ(last(), R"({"jsonrpc":"2.0","id":7,"result":{"action":"decline"}})");
  ASSERT_TRUE(second.asks());
  const Run& third = run(answered(second));
  EXPECT_THAT(last(), HasSubstr(R"("id":8)"));
  EXPECT_EQ(third.words(), "nothing yet");
  answer(request, "done");
  EXPECT_THAT(third.words(), HasSubstr("done"));
  EXPECT_EQ(idle_, 1);
}

TEST_F(QuestionsTest, AResultThatCameMeanwhileIsForTheNextRun) {
  make();
  const Run& first = run();
  const Outgoing request = server_->sent.back();
  ask("7");
  answer(request, "without an answer");
  const Run& second = run(answered(first));
  EXPECT_THAT(second.words(), HasSubstr("without an answer"));
}

TEST_F(QuestionsTest, ACallThatNobodyTakesUpEnds) {
  settings_.park_timeout = 1ms;
  make();
  const Run& first = run();
  ask("7");
  ASSERT_TRUE(first.asks());
  io_.run();
  EXPECT_THAT(last(), HasSubstr(R"({"action":"cancel"})"));
  EXPECT_THAT(server_->cancelled, SizeIs(1));
  EXPECT_EQ(idle_, 1);
  EXPECT_THAT(run(answered(first)).words(), HasSubstr("too late"));
}

TEST_F(QuestionsTest, AnAbandonedCallEndsAtOnce) {
  make();
  const Run& first = run();
  ask("7");
  calls_->abandon("another state");
  EXPECT_EQ(calls_->running(), 1u);
  calls_->abandon(first.round().state);
  EXPECT_EQ(calls_->running(), 0u);
  EXPECT_THAT(server_->cancelled, SizeIs(1));
}

TEST_F(QuestionsTest, OnlyItsOwnCallerTakesItUp) {
  make();
  const Run& first = run();
  ask("7");
  EXPECT_THAT(run(answered(first), "bob").words(), HasSubstr("too late"));
  EXPECT_EQ(calls_->running(), 1u);
  run(answered(first));
  EXPECT_THAT(last(), HasSubstr(R"("id":7,"result")"));
}

TEST_F(QuestionsTest, WhatItsClientCannotBeAskedIsRefused) {
  settings_.most_parked = 1;
  make();
  const Run& first = run();
  say(R"({"jsonrpc":"2.0","id":5,"method":"roots/list"})");
  EXPECT_THAT(last(), HasSubstr("it lacks roots"));
  EXPECT_EQ(first.words(), "nothing yet");
  ask("6");
  ASSERT_TRUE(first.asks());
  const Run& other = run();
  ask("7");  // for the newest call of this client
  EXPECT_THAT(last(), HasSubstr("limits.upstream_parked_calls"));
  EXPECT_EQ(other.words(), "nothing yet");
}

TEST_F(QuestionsTest, AConnectionThatEndsFailsTheNextRun) {
  make();
  const Run& first = run();
  ask("7");
  server_->listener->ended(Error{ErrorKind::Unavailable, "exited"});
  EXPECT_THAT(run(answered(first)).words(), HasSubstr("exited"));
  EXPECT_EQ(calls_->running(), 0u);
}

TEST_F(QuestionsTest, RetiredCallsGoOnAndNoOtherOneIsTaken) {
  make();
  const Run& goes_on = run();
  const Outgoing first = server_->sent.back();
  const Run& other = run();
  const Outgoing second = server_->sent.back();
  EXPECT_NE(first.id, second.id);
  const std::size_t sent = server_->sent.size();
  calls_->retire("it was removed");
  const Run& late = run();
  EXPECT_THAT(late.words(), HasSubstr("it was removed"));
  EXPECT_EQ(server_->sent.size(), sent);
  EXPECT_EQ(goes_on.words(), "nothing yet");
  answer(first, "done");
  EXPECT_THAT(goes_on.words(), HasSubstr("done"));
  EXPECT_EQ(idle_, 0);
  answer(second, "done");
  EXPECT_THAT(other.words(), HasSubstr("done"));
  EXPECT_EQ(idle_, 1);
}

TEST_F(QuestionsTest, RetiredItAsksNoClientAnyMore) {
  make();
  const Run& parked = run();
  ask("7");
  ASSERT_TRUE(parked.asks());
  EXPECT_EQ(calls_->running(), 1u);
  calls_->retire("it was removed");
  EXPECT_EQ(calls_->running(), 0u);  // nobody can answer any more
  EXPECT_EQ(idle_, 1);
  EXPECT_THAT(run(answered(parked)).words(), HasSubstr("call again"));
}

}  // namespace
}  // namespace host::upstream
