#include "router/step/interceptors.h"

#include <gmock/gmock.h>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "executor/executor.h"
#include "support/fake_provider.h"
#include "support/passports.h"
#include "support/run_loop.h"
#include "tool/call/intercepted.h"

namespace host::router {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tool::Function;

// Remembers what a client would see.
struct SeenMessages final : tool::Observer {
  void progress(double done, double, std::string_view message) override {
    seen.emplace_back(message);
    figures.push_back(done);
  }
  void log(int, std::string_view logger, std::string_view message, std::string_view) override {
    seen.emplace_back(message);
    loggers.emplace_back(logger);
  }
  std::vector<std::string> seen;
  std::vector<double> figures;
  std::vector<std::string> loggers;
};

// A call of the tool `work` of the plugin `worker`, inside fake interceptors.
struct Around : testing::Test {
  test::RunLoop loop;
  tool::Catalog catalog;
  std::vector<config::Interceptor> configured;
  std::shared_ptr<test::FakeProvider> worker = std::make_shared<test::FakeProvider>("worker");
  CheckTurns turns{system_clock()};
  std::vector<std::string> steps;  // what ran, in its order
  tool::Call call;

  Around() {
    worker->add_answering(test::declaration("work"), "done");
    catalog.set("worker", worker);
    call.passport = test::passport_with([](tool::Passport& passport) { passport.call = "c1"; });
    call.name = "work";
    call.arguments.root().SetObject();
    call.arguments_text = "{}";
  }

  using Answer = std::function<Result<std::string>(const tool::Invocation&)>;
  // Answers each of its functions with the JSON that `answer` gives.
  config::Interceptor& add(const std::string& name, Answer answer) {
    auto provider = std::make_shared<test::FakeProvider>(name);
    provider->offered.intercepts = {true, true, true, true, false};
    provider->act_on_offer = [this, name, answer](const auto& invocation) {
      steps.push_back(name + " " + std::to_string(static_cast<int>(invocation->function)));
      Result<std::string> json = answer(*invocation);
      if (!json) return static_cast<void>(invocation->finish(json.error()));
      tool::CallResult result;
      result.structured = *json;
      invocation->finish(result);
    };
    catalog.set(name, provider);
    config::Interceptor one;
    one.plugin = name;
    configured.push_back(one);
    return configured.back();
  }
  static Answer on(Function function, std::string json) {
    return [function, json](const tool::Invocation& invocation) -> Result<std::string> {
      return invocation.function == function ? json : std::string();
    };
  }
  static Answer failing(Function function) {
    return [function](const tool::Invocation& invocation) -> Result<std::string> {
      if (invocation.function != function) return std::string();
      return Error{ErrorKind::PluginFault, "broken"};
    };
  }

  Route route() {
    const auto& snapshot = catalog.snapshot();
    const tool::Entry* entry = snapshot->find("work");
    return {entry->tool, entry->provider, snapshot};
  }
  Result<std::optional<tool::CallResult>> before() {
    executor::Executor executor(loop.io.get_executor());
    Interceptors interceptors(catalog, executor, configured, 1000, turns);
    const Route to = route();
    return loop.get(interceptors.before(call, to));
  }
  Result<tool::CallResult> around(Interceptors::Run run = nullptr) {
    executor::Executor executor(loop.io.get_executor());
    Interceptors interceptors(catalog, executor, configured, 1000, turns);
    const Route to = route();
    const Interceptors::Run work = [this]() -> boost::asio::awaitable<Result<tool::CallResult>> {
      steps.emplace_back("run");
      co_return tool::CallResult::text("done");
    };
    return loop.get(interceptors.around(call, to, run ? run : work));
  }
};

TEST_F(Around, TheFirstEntryIsTheOutermost) {
  add("a", on(Function::BeforeCall, ""));
  add("b", on(Function::BeforeCall, ""));
  ASSERT_TRUE(before());
  const auto result = around();
  ASSERT_TRUE(result);
  EXPECT_THAT(steps, ElementsAre("a 10", "b 10", "a 11", "b 11", "run", "b 13", "a 13"));
  EXPECT_EQ(result->content, tool::CallResult::text("done").content);
  EXPECT_TRUE(call.interceptions.empty());
}

TEST_F(Around, EachSeesWhatTheOneBeforeItMadeOfTheArguments) {
  std::string seen;
  add("a", on(Function::BeforeCall, R"({"arguments":{"x":1}})"));
  add("b", [&seen](const tool::Invocation& invocation) -> Result<std::string> {
    seen = invocation.arguments;
    return std::string();
  });
  const auto end = before();
  ASSERT_TRUE(end && !*end);
  EXPECT_EQ(seen, R"({"x":1})");
  EXPECT_EQ(json::write(call.arguments.root()), R"({"x":1})");
  EXPECT_EQ(call.changed_by, "a");
  EXPECT_THAT(call.interceptions, ElementsAre("a changed the arguments"));
}

TEST_F(Around, OneThatReadsNoArgumentsGetsNone) {
  std::vector<std::string> seen;
  const Answer look = [&seen](const tool::Invocation& invocation) -> Result<std::string> {
    seen.push_back(invocation.arguments);
    return std::string();
  };
  add("a", look);
  add("b", look);
  auto provider = std::static_pointer_cast<test::FakeProvider>(catalog.plugin("a"));
  provider->offered.intercepts = {true, true, false, false, false, true};
  ASSERT_TRUE(before());
  ASSERT_TRUE(around());
  EXPECT_THAT(seen, ElementsAre("", "{}", "", "{}", HasSubstr("done")));
}

TEST_F(Around, ARefusalAndAnAnswerEndTheCallThere) {
  add("a", on(Function::BeforeCall, R"({"refuse":"not now"})"));
  add("b", on(Function::BeforeCall, ""));
  const auto end = before();
  ASSERT_TRUE(end && *end);
  EXPECT_TRUE((*end)->is_error);
  EXPECT_THAT((*end)->content, HasSubstr("not now"));
  EXPECT_EQ(call.outcome, "intercepted");
  EXPECT_THAT(steps, ElementsAre("a 10"));
}

TEST_F(Around, WhatAnswersInsteadOfTheToolIsLeftByThoseOutsideOfIt) {
  add("a", on(Function::LeaveCall, R"({"result":{"content":[{"type":"text","text":"A"}]}})"));
  add("b", on(Function::EnterCall, R"({"result":{"content":[{"type":"text","text":"B"}]}})"));
  add("c", on(Function::EnterCall, ""));
  const auto result = around();
  ASSERT_TRUE(result);
  EXPECT_THAT(steps, ElementsAre("a 11", "b 11", "a 13"));
  EXPECT_THAT(result->content, HasSubstr("A"));
  EXPECT_THAT(call.interceptions, ElementsAre("b answered the call", "a changed the result"));
}

TEST_F(Around, AnErrorTextPassesThroughThemAlsoIfItSaysWhatTheClientLacks) {
  add("a", on(Function::LeaveCall,
              R"({"result":{"content":[{"type":"text","text":"redacted"}],"isError":true}})"));
  const auto around_error = [this](std::string text) {
    return around([text]() -> boost::asio::awaitable<Result<tool::CallResult>> {
      tool::CallResult lacks;
      if (!text.empty()) lacks = tool::CallResult::error(text);
      lacks.lacking = R"({"elicitation":{}})";
      co_return lacks;
    });
  };
  const auto changed = around_error("secret");
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->content, tool::CallResult::error("redacted").content);
  EXPECT_FALSE(changed->lacking.empty());
  const auto unchanged = around_error("");
  ASSERT_TRUE(unchanged);
  EXPECT_TRUE(unchanged->content.empty());
}

TEST_F(Around, StateOfEnterReachesLeaveAndContextReachesTheTool) {
  std::string left;
  add("a", [&left](const tool::Invocation& invocation) -> Result<std::string> {
    if (invocation.function == Function::EnterCall)
      return std::string(R"({"state":"s1","context":{"entries":{"User":{"id":7}}}})");
    if (invocation.function == Function::LeaveCall) left = invocation.context;
    return std::string();
  });
  ASSERT_TRUE(around());
  EXPECT_EQ(left, tool::write_intercepted({"work", "worker", "s1"}));
  ASSERT_TRUE(call.passport->given);
  EXPECT_EQ(call.passport->given->entries.at("User"), R"({"id":7})");
}

TEST_F(Around, AFailureBeforeTheCallRefusesItUnlessTheEntryIsOpen) {
  add("a", failing(Function::BeforeCall));
  const auto closed = before();
  ASSERT_TRUE(closed && *closed);
  EXPECT_TRUE((*closed)->is_error);
  EXPECT_THAT((*closed)->content, HasSubstr("did not run"));
  EXPECT_THAT((*closed)->content, testing::Not(HasSubstr("broken")));
  EXPECT_EQ(call.outcome, "interceptor_failed");
  EXPECT_THAT(call.interceptions, ElementsAre("a failed"));

  call.interceptions.clear();
  configured[0].fail = config::FailureMode::Open;
  const auto open = before();
  ASSERT_TRUE(open);
  EXPECT_FALSE(*open);
  EXPECT_THAT(call.interceptions, ElementsAre("a failed and was skipped"));
}

TEST_F(Around, TheOperatorWhoAsksIsToldWhyOneFailed) {
  add("a", failing(Function::BeforeCall));
  executor::Executor executor(loop.io.get_executor());
  Interceptors interceptors(catalog, executor, configured, 1000, turns);
  std::string told;
  interceptors.on_failure(
      [&told](const std::string& plugin, const std::string& why) { told = plugin + ": " + why; });
  const Route to = route();
  const auto end = loop.get(interceptors.before(call, to));
  ASSERT_TRUE(end && *end);
  EXPECT_EQ(told, "a: broken");
  EXPECT_THAT((*end)->content, testing::Not(HasSubstr("log")));
}

TEST_F(Around, APluginThatIsNoInterceptorIsAFaultThatTheOperatorMustCorrect) {
  add("a", on(Function::BeforeCall, ""));
  std::static_pointer_cast<test::FakeProvider>(catalog.plugin("a"))->offered.intercepts = {};
  const auto end = before();
  ASSERT_TRUE(end && *end);
  EXPECT_THAT((*end)->content, HasSubstr("this plugin is no interceptor"));
  EXPECT_THAT((*end)->content, testing::Not(HasSubstr("again later")));
  EXPECT_EQ(call.outcome, "interceptor_failed");
}

TEST_F(Around, TheToolsOwnResultIsKeptWhileOthersChangeIt) {
  add("a", on(Function::LeaveCall, R"({"result":{"content":[],"structuredContent":{"n":"a"}}})"));
  add("b", on(Function::LeaveCall, R"({"result":{"content":[],"structuredContent":{"n":"b"}}})"));
  const auto result = around([this]() -> boost::asio::awaitable<Result<tool::CallResult>> {
    call.answered = true;
    tool::CallResult own;
    own.structured = R"({"n":1})";
    co_return own;
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(result->structured, R"({"n":"a"})");
  ASSERT_TRUE(call.tools_result);
  EXPECT_EQ(call.tools_result->structured, R"({"n":1})");
}

TEST_F(Around, AFailureAfterTheCallWithholdsItsResultUnlessTheEntryIsOpen) {
  add("a", failing(Function::LeaveCall));
  const auto closed = around();
  ASSERT_TRUE(closed);
  EXPECT_TRUE(closed->is_error);
  EXPECT_THAT(closed->content, HasSubstr("result is withheld"));
  EXPECT_THAT(closed->content, testing::Not(HasSubstr("done")));
  configured[0].fail = config::FailureMode::Open;
  const auto open = around();
  ASSERT_TRUE(open);
  EXPECT_THAT(open->content, HasSubstr("done"));
}

TEST_F(Around, AnOpenInterceptorThatFailsToEnterDoesNotLeave) {
  add("a", failing(Function::EnterCall)).fail = config::FailureMode::Open;
  ASSERT_TRUE(around());
  EXPECT_THAT(steps, ElementsAre("a 11", "run"));
}

// Interceptors whose functions never wait.
struct AtOnce : Around {
  std::shared_ptr<test::FakeProvider> provider;

  config::Interceptor& add_at_once(tool::Intercepts has,
                                   std::function<tool::AtOnce(tool::AtOnceCall&)> act) {
    config::Interceptor& made = add("a", on(Function::BeforeCall, R"({"refuse":"queued"})"));
    provider = std::static_pointer_cast<test::FakeProvider>(catalog.plugin("a"));
    has.nonblocking = true;
    provider->offered.intercepts = has;
    provider->act_at_once = std::move(act);
    return made;
  }
  BeforeProgress before_at_once() {
    executor::Executor executor(loop.io.get_executor());
    Interceptors interceptors(catalog, executor, configured, 1000, turns);
    return interceptors.before_at_once(call, route());
  }
};

TEST_F(AtOnce, ItsAnswerNeedsNoInvocation) {
  std::string seen;
  add_at_once({true, false, false, false}, [&seen](tool::AtOnceCall& asked) {
    seen = std::string(asked.input) + std::string(tool::write_intercepted(asked.of));
    asked.answer = std::string(R"({"arguments":{"x":1}})");
    return tool::AtOnce::Ended;
  });
  const BeforeProgress done = before_at_once();
  EXPECT_FALSE(done.waits || done.result);
  EXPECT_EQ(seen, "{}" + tool::write_intercepted({"work", "worker", {}}));
  EXPECT_EQ(json::write(call.arguments.root()), R"({"x":1})");
  EXPECT_EQ(provider->started, 0);
}

TEST_F(AtOnce, WithoutArgumentsWhereItReadsNone) {
  std::vector<std::string> seen;
  add_at_once({true, true, false, false, true, true}, [&seen](tool::AtOnceCall& asked) {
    seen.emplace_back(asked.input);
    return tool::AtOnce::Ended;
  });
  before_at_once();
  ASSERT_TRUE(around());
  EXPECT_THAT(seen, ElementsAre("", ""));
}

TEST_F(AtOnce, TheFirstThatMustBeWaitedForEndsThemAndTheRestFollows) {
  add_at_once({true, false, false, false}, [](tool::AtOnceCall& asked) {
    asked.answer = std::string(R"({"arguments":{"x":1}})");
    return tool::AtOnce::Ended;
  });
  add("b", on(Function::BeforeCall, R"({"arguments":{"x":2}})"));
  const BeforeProgress done = before_at_once();
  EXPECT_TRUE(done.waits);
  EXPECT_EQ(done.next, 1u);
  EXPECT_EQ(call.changed_by, "a");
  ASSERT_TRUE(before());
  EXPECT_EQ(call.changed_by, "b");
}

TEST_F(AtOnce, AnAnswerAfterItsTimeIsAFailure) {
  add_at_once({true, false, false, false}, [](tool::AtOnceCall& asked) {
    while (steady_now() <= asked.deadline) {
    }
    return tool::AtOnce::Ended;
  }).timeout = std::chrono::milliseconds(1);
  const BeforeProgress done = before_at_once();
  ASSERT_TRUE(done.result);
  EXPECT_EQ(call.outcome, "interceptor_failed");
}

TEST_F(AtOnce, AFunctionThatAnswersLaterIsAdopted) {
  std::shared_ptr<tool::Invocation> adopted;
  add_at_once({true, false, false, false}, [&](tool::AtOnceCall& asked) {
    asked.adopt = [&](std::shared_ptr<tool::Invocation> invocation) {
      adopted = std::move(invocation);
      boost::asio::post(loop.io, [&] {
        tool::CallResult later;
        later.structured = R"({"refuse":"later"})";
        adopted->finish(later);
      });
    };
    return tool::AtOnce::Pending;
  });
  const auto end = before();
  ASSERT_TRUE(end && *end);
  EXPECT_THAT((*end)->content, HasSubstr("later"));
  EXPECT_EQ(provider->started, 0);
}

TEST_F(AtOnce, OneThatNeverAnswersEndsWithItsTimeAndIsCancelled) {
  std::shared_ptr<tool::Invocation> adopted;
  add_at_once({true, false, false, false}, [&adopted](tool::AtOnceCall& asked) {
    asked.adopt = [&adopted](const std::shared_ptr<tool::Invocation>& invocation) {
      adopted = invocation;
    };
    return tool::AtOnce::Pending;
  }).timeout = std::chrono::milliseconds(5);
  const auto end = before();
  ASSERT_TRUE(end && *end);
  EXPECT_EQ(call.outcome, "interceptor_failed");
  EXPECT_EQ(provider->cancelled, 1);
  ASSERT_TRUE(adopted);
  adopted->finish(tool::CallResult::text("too late"));  // each provider ends what it has adopted
}

TEST_F(AtOnce, AProviderThatCannotRunItNowIsStarted) {
  add_at_once({true, false, false, false}, [](tool::AtOnceCall&) { return tool::AtOnce::No; });
  const auto end = before();
  ASSERT_TRUE(end && *end);
  EXPECT_THAT((*end)->content, HasSubstr("queued"));
}

TEST_F(AtOnce, EnterAndLeaveRunSoToo) {
  std::vector<Function> ran;
  add_at_once({false, true, false, true}, [&ran](tool::AtOnceCall& asked) {
    ran.push_back(asked.function);
    if (asked.function == Function::LeaveCall)
      asked.answer = std::string(R"({"result":{"content":[{"type":"text","text":"left"}]}})");
    return tool::AtOnce::Ended;
  });
  const auto result = around();
  ASSERT_TRUE(result);
  EXPECT_THAT(result->content, HasSubstr("left"));
  EXPECT_THAT(ran, ElementsAre(Function::EnterCall, Function::LeaveCall));
  EXPECT_EQ(provider->started, 0);
}

TEST_F(AtOnce, OnlyWhatThePluginHasSurroundsTheRun) {
  const auto around_of = [this](tool::Intercepts has) {
    std::static_pointer_cast<test::FakeProvider>(catalog.plugin("a"))->offered.intercepts = has;
    executor::Executor executor(loop.io.get_executor());
    Interceptors interceptors(catalog, executor, configured, 1000, turns);
    return interceptors.around_of(call, route());
  };
  add("a", on(Function::BeforeCall, ""));
  SeenMessages client;
  EXPECT_EQ(around_of({true, false, false, false}), Interceptors::Around::Nothing);
  EXPECT_EQ(around_of({true, false, true, false}), Interceptors::Around::Nothing);
  call.observer = &client;
  EXPECT_EQ(around_of({true, false, true, false}), Interceptors::Around::AfterRun);
  EXPECT_EQ(around_of({false, false, false, true}), Interceptors::Around::AfterRun);
  EXPECT_EQ(around_of({false, true, false, false}), Interceptors::Around::Enter);
  EXPECT_EQ(around_of({}), Interceptors::Around::Enter) << "which is a failure";
  catalog.set("a", nullptr);
  executor::Executor executor(loop.io.get_executor());
  Interceptors interceptors(catalog, executor, configured, 1000, turns);
  EXPECT_EQ(interceptors.around_of(call, route()), Interceptors::Around::Enter) << "also a failure";
}

TEST_F(Around, APluginThatIsNotServedIsAFailure) {
  config::Interceptor absent;
  absent.plugin = "absent";
  configured.push_back(absent);
  const auto end = before();
  ASSERT_TRUE(end && *end);
  EXPECT_THAT((*end)->content, HasSubstr("\\\"absent\\\""));
}

TEST_F(Around, AnEntryCoversItsToolsAndAgentsAndNeverItsOwnPlugin) {
  config::Interceptor& one = add("a", on(Function::BeforeCall, R"({"refuse":"x"})"));
  one.tools = {"w*"};
  EXPECT_TRUE(before()->has_value());
  one.tools = {"other", "*y"};
  EXPECT_FALSE(before()->has_value());
  one.tools = {"*"};
  one.agents = {"coder"};
  EXPECT_FALSE(before()->has_value());
  call.passport = test::passport_with([](tool::Passport& passport) {
    passport.call = "c1";
    passport.who.agent = "coder";
  });
  EXPECT_TRUE(before()->has_value());
  one.agents.reset();
  one.plugin = "worker";
  EXPECT_FALSE(before()->has_value());
}

TEST_F(Around, MessagesOfTheRunningToolPassThroughInTheirOrder) {
  SeenMessages client;
  add("a", [](const tool::Invocation& invocation) -> Result<std::string> {
    if (invocation.function != Function::CallMessage) return std::string();
    if (invocation.arguments.find("secret") != std::string::npos) return std::string("null");
    return std::string(R"({"text":"seen"})");
  });
  call.observer = &client;
  const auto result = around([this]() -> boost::asio::awaitable<Result<tool::CallResult>> {
    call.observer->progress(1, 2, "secret");
    call.observer->progress(2, 2, "two");
    call.observer->progress(2, 2, "");
    call.observer->log(1, "name with a secret", "three", {});
    co_return tool::CallResult::text("done");
  });
  ASSERT_TRUE(result);
  EXPECT_THAT(client.seen, ElementsAre("seen", "", "seen"));
  EXPECT_THAT(client.loggers, ElementsAre("worker"));
  EXPECT_EQ(call.observer, &client);
  EXPECT_THAT(call.interceptions, ElementsAre("a dropped a message", "a changed a message"));
}

// Answers each message once the test lets it.
struct SlowReader {
  void hold(const std::shared_ptr<tool::Invocation>& invocation) { held.push_back(invocation); }
  void answer_all() {
    for (const auto& one : std::exchange(held, {})) one->finish(tool::CallResult());
  }
  std::vector<std::shared_ptr<tool::Invocation>> held;
};

TEST_F(Around, MessagesBeyondTheQueueAreCountedForTheClient) {
  SeenMessages client;
  SlowReader reader;
  auto provider = std::make_shared<test::FakeProvider>("a");
  provider->offered.intercepts = {false, false, true, false, false};
  provider->act_on_offer = [&reader](const auto& invocation) { reader.hold(invocation); };
  catalog.set("a", provider);
  configured.push_back({});
  configured.back().plugin = "a";
  call.observer = &client;
  const auto result = around([&]() -> boost::asio::awaitable<Result<tool::CallResult>> {
    const auto say = [&](int number) {
      call.observer->progress(std::min(number, 9), 0, std::to_string(number));
    };
    for (int i = 0; i < 300; ++i) say(i);
    provider->act_on_offer = [](const auto& invocation) { invocation->finish(tool::CallResult()); };
    reader.answer_all();
    co_return tool::CallResult::text("done");
  });
  ASSERT_TRUE(result);
  ASSERT_GT(client.seen.size(), 2u);
  EXPECT_EQ(client.seen.front(), "0");
  EXPECT_EQ(client.seen[256], "256") << "one is on its way, and 256 wait";
  EXPECT_THAT(client.seen.back(), HasSubstr("43 messages were left out"));
  EXPECT_EQ(client.seen.size(), 258u);
  EXPECT_GT(client.figures.back(), 9) << "clients get no figure twice";
}

TEST_F(Around, ARunThatThrowsLeavesNoMessageOnItsWay) {
  SeenMessages client;
  SlowReader reader;
  auto provider = std::make_shared<test::FakeProvider>("a");
  provider->offered.intercepts = {false, false, true, false, false};
  provider->act_on_offer = [&](const auto& invocation) {
    reader.hold(invocation);
    boost::asio::post(loop.io, [&reader] { reader.answer_all(); });
  };
  catalog.set("a", provider);
  configured.push_back({});
  configured.back().plugin = "a";
  call.observer = &client;
  const Interceptors::Run throws = [&]() -> boost::asio::awaitable<Result<tool::CallResult>> {
    call.observer->progress(1, 0, "one");
    throw std::runtime_error("a bug of the host");
    co_return tool::CallResult();
  };
  EXPECT_THROW((void)around(throws), std::runtime_error);
  EXPECT_THAT(client.seen, ElementsAre("one"));
  EXPECT_EQ(call.observer, &client);
}

TEST_F(Around, AfterAFailureNoMoreMessagesAreSentUnlessTheEntryIsOpen) {
  SeenMessages client;
  add("a", failing(Function::CallMessage));
  call.observer = &client;
  const Interceptors::Run talks = [this]() -> boost::asio::awaitable<Result<tool::CallResult>> {
    call.observer->progress(1, 0, "one");
    call.observer->progress(2, 0, "two");
    co_return tool::CallResult::text("done");
  };
  ASSERT_TRUE(around(talks));
  EXPECT_THAT(client.seen,
              ElementsAre("2 messages were left out here, because the interceptor \"a\" "
                          "of this host failed"));
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "a 12"), 1);
  configured[0].fail = config::FailureMode::Open;
  client.seen.clear();
  ASSERT_TRUE(around(talks));
  EXPECT_THAT(client.seen, ElementsAre("one", "two"));
}

TEST_F(Around, TheNumberOfMessagesLostToAFailureComesAfterAllFigures) {
  SeenMessages client;
  add("a", failing(Function::CallMessage));
  call.observer = &client;
  ASSERT_TRUE(around([this]() -> boost::asio::awaitable<Result<tool::CallResult>> {
    call.observer->progress(1, 3, "one");
    call.observer->progress(2, 3, "");  // has nothing to read, so it is sent
    co_return tool::CallResult::text("done");
  }));
  ASSERT_EQ(client.figures.size(), 2u);
  EXPECT_EQ(client.figures[0], 2);
  EXPECT_GT(client.figures[1], 2);
  // A tool can keep the figure, or go back.
  client.figures.clear();
  ASSERT_TRUE(around([this]() -> boost::asio::awaitable<Result<tool::CallResult>> {
    call.observer->progress(5, 9, "");
    call.observer->progress(3, 9, "");
    call.observer->progress(3, 9, "one");
    co_return tool::CallResult::text("done");
  }));
  ASSERT_EQ(client.figures.size(), 3u);
  EXPECT_GT(client.figures[2], 5);
}

TEST_F(Around, TheIdempotencyKeyStaysWithTheCall) {
  add("a", on(Function::BeforeCall, R"({"arguments":{"x":1}})"));
  call.arguments = *json::parse(R"({"x":0,"idempotency_key":"k"})");
  ASSERT_TRUE(before());
  EXPECT_EQ(json::write(call.arguments.root()), R"({"x":1,"idempotency_key":"k"})");
}

TEST_F(Around, MetaIsReadAndReplacedWithTheResult) {
  std::string seen;
  add("a", [&seen](const tool::Invocation& invocation) -> Result<std::string> {
    if (invocation.function != Function::LeaveCall) return std::string();
    seen = invocation.arguments;
    return std::string(R"({"result":{"content":[],"_meta":{"k":"#"}}})");
  });
  const auto result = around([]() -> boost::asio::awaitable<Result<tool::CallResult>> {
    tool::CallResult made = tool::CallResult::text("done");
    made.meta = R"("k":"secret")";
    co_return made;
  });
  ASSERT_TRUE(result);
  EXPECT_THAT(seen, HasSubstr(R"("_meta":{"k":"secret"})"));
  EXPECT_EQ(result->meta, R"("k":"#")");
}

TEST_F(Around, AfterTheTimeOfTheCallNothingIsEntered) {
  add("a", on(Function::EnterCall, ""));
  call.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const auto result = around();
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_error);
  EXPECT_THAT(steps, ElementsAre());
}

TEST_F(Around, ACancelledCallIsNoFailureOfTheInterceptor) {
  add("a", on(Function::BeforeCall, ""));
  call.cancel->request();
  const auto end = before();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::Cancelled);
  EXPECT_TRUE(call.interceptions.empty());
}

}  // namespace
}  // namespace host::router
