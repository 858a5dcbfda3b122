#include "router/dispatch/offer_dispatcher.h"

#include <boost/asio/post.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "executor/executor.h"
#include "executor/scheduler.h"
#include "store/audit/audit.h"
#include "support/fake_provider.h"
#include "support/passports.h"
#include "support/run_loop.h"

namespace host::router {
namespace {

using namespace std::chrono_literals;
using tool::Function;

tool::CallResult structured(std::string text) {
  tool::CallResult result;
  result.structured = std::move(text);
  return result;
}

// The road over a provider with two resources, a template and a prompt.
struct OfferRoad : testing::Test {
  test::RunLoop loop;
  executor::Scheduler::Settings settings;
  std::uint64_t result_bytes = 1u << 20u;
  std::filesystem::path audit_file;
  metrics::Registry counted;
  CallMetrics metrics{counted};
  LiveCalls live;
  tool::Catalog catalog;
  std::shared_ptr<test::FakeProvider> provider = std::make_shared<test::FakeProvider>();
  std::vector<std::string> seen;  // what the provider was asked

  OfferRoad() {
    std::string name = (std::filesystem::temp_directory_path() / "toolpost-offer-XXXXXX").string();
    audit_file = std::filesystem::path(::mkdtemp(name.data())) / "audit.jsonl";
    tool::Resource resource;
    resource.uri = "a:1";
    provider->offered.resources = {resource};
    resource.uri = "a:item/{id}";
    provider->offered.templates = {resource};
    tool::Prompt prompt;
    prompt.name = "greet";
    prompt.arguments = {{"who", "", "", true}, {"how", "", "", false}};
    provider->offered.prompts = {prompt};
    provider->offered.completes = true;
    answer(R"({"contents":[{"uri":"a:1","text":"one"}]})");
  }
  ~OfferRoad() override { std::filesystem::remove_all(audit_file.parent_path()); }

  void act(test::FakeProvider::Act act) {
    provider->act_on_offer = [this, act = std::move(act)](const auto& invocation) {
      seen.push_back(invocation->name);
      act(invocation);
    };
  }
  void answer(std::string text) {
    act([text](const auto& invocation) { invocation->finish(structured(text)); });
  }

  Result<tool::CallResult> call(Function function, std::string name, std::string_view arguments,
                                tool::Asker* asker = nullptr) {
    catalog.set("fake", provider);
    auto audit = store::Audit::open(audit_file, system_clock());
    executor::Scheduler scheduler(loop.io.get_executor(), settings);
    executor::Executor executor(loop.io.get_executor());
    const Profiles profiles(catalog, config::Config{});
    Views views(catalog, profiles);
    OfferDispatcher dispatcher(
        {views, scheduler, executor, *audit, system_clock(), result_bytes, metrics, live});
    tool::Call made;
    made.passport = test::passport("c1");
    made.function = function;
    made.name = std::move(name);
    made.arguments = *json::parse(arguments);
    made.asker = asker;
    auto result = loop.get(dispatcher.call(made));
    audit->flush();
    return result;
  }
  auto read(const std::string& uri, tool::Asker* asker = nullptr) {
    return call(Function::ReadResource, uri, R"({"uri":")" + uri + "\"}", asker);
  }
  auto get(const std::string& arguments) {
    return call(Function::GetPrompt, "greet", R"({"name":"greet","arguments":)" + arguments + "}");
  }
  auto complete(const std::string& ref, std::string name, const std::string& argument) {
    return call(Function::Complete, name,
                R"({"ref":{"type":")" + ref + R"(","name":")" + name +
                    R"("},"argument":{"name":")" + argument + R"(","value":"x"}})");
  }
};

TEST_F(OfferRoad, AResourceIsReadByItsUriOrByATemplateThatMakesIt) {
  EXPECT_EQ(read("a:1")->structured, R"({"contents":[{"uri":"a:1","text":"one"}]})");
  EXPECT_TRUE(read("a:item/7"));
  EXPECT_EQ(seen, (std::vector<std::string>{"a:1", "a:item/7"}));
}

TEST_F(OfferRoad, AnUpstreamTakesNoUriFromTheTemplateOfAPlugin) {
  const auto upstream =
      std::make_shared<test::FakeProvider>("u", test::FakeProvider::Kind::Upstream);
  std::vector<std::string> read_there;
  upstream->act_on_offer = [&](const auto& invocation) {
    read_there.push_back(invocation->name);
    invocation->finish(structured(R"({"contents":[{"uri":"a:other","text":"x"}]})"));
  };
  upstream->offered.resources.resize(2);
  upstream->offered.resources[0].uri = "a:item/7";
  upstream->offered.resources[1].uri = "a:other";
  upstream->offered.templates.resize(1);
  upstream->offered.templates[0].uri = "a:item/{a_longer_name}";
  catalog.set("upstream:u", upstream);
  EXPECT_TRUE(read("a:item/7"));
  EXPECT_TRUE(read("a:item/8"));
  EXPECT_TRUE(read("a:other"));
  EXPECT_EQ(seen, (std::vector<std::string>{"a:item/7", "a:item/8"}));
  EXPECT_EQ(read_there, (std::vector<std::string>{"a:other"}));
}

// A tool has just made the resource, and its link reaches the client before the list is read.
TEST_F(OfferRoad, AReadOfAnUnknownResourceWaitsForListsThatChanged) {
  const auto upstream =
      std::make_shared<test::FakeProvider>("u", test::FakeProvider::Kind::Upstream);
  upstream->act_on_offer = [&](const auto& invocation) {
    seen.push_back(invocation->name);
    invocation->finish(structured(R"({"contents":[{"uri":"u:new","text":"x"}]})"));
  };
  upstream->offered.prompts.resize(1);
  upstream->offered.prompts[0].name = "p";
  int readings = 0;
  upstream->act_catch_up = [&](std::function<void()> done) {
    if (readings == 2) return false;
    boost::asio::post(loop.io, [&, done = std::move(done)] {
      upstream->offered.resources.resize(++readings);
      upstream->offered.resources.back().uri = readings == 1 ? "u:other" : "u:new";
      catalog.set("upstream:u", upstream);
      done();
    });
    return true;
  };
  catalog.set("upstream:u", upstream);
  EXPECT_TRUE(read("u:new")) << "in the list that changed during the first reading";
  EXPECT_EQ(readings, 2);
  readings = 0;
  EXPECT_EQ(read("skill://none/SKILL.md").error().kind, ErrorKind::NotFound);
  EXPECT_EQ(readings, 0) << "no upstream serves skills";
  readings = 2;
  EXPECT_EQ(read("u:none").error().kind, ErrorKind::NotFound);
  EXPECT_EQ(seen, (std::vector<std::string>{"u:new"}));
}

TEST_F(OfferRoad, AReadOfAnUnknownResourceThatIsCancelledWaitsNoLonger) {
  const auto upstream =
      std::make_shared<test::FakeProvider>("u", test::FakeProvider::Kind::Upstream);
  upstream->offered.prompts.resize(1);
  upstream->offered.prompts[0].name = "p";
  std::function<void()> never_called;
  upstream->act_catch_up = [&](std::function<void()> done) {
    never_called = std::move(done);
    const auto cancel = live.find("c1")->cancel;
    boost::asio::post(loop.io, [cancel] { cancel->request(); });
    return true;
  };
  catalog.set("upstream:u", upstream);
  EXPECT_EQ(read("u:new").error().kind, ErrorKind::Cancelled);
}

TEST_F(OfferRoad, WhatNobodyOffersIsNotFoundAndNobodyIsAsked) {
  EXPECT_EQ(read("a:2").error().kind, ErrorKind::NotFound);
  EXPECT_EQ(call(Function::GetPrompt, "other", "{}").error().kind, ErrorKind::NotFound);
  EXPECT_EQ(complete("ref/prompt", "other", "who").error().kind, ErrorKind::NotFound);
  EXPECT_EQ(complete("ref/resource", "b:{x}", "x").error().kind, ErrorKind::NotFound);
  EXPECT_EQ(read(std::string(tool::kMaxUriBytes + 1, 'a')).error().kind,
            ErrorKind::InvalidArgument);
  EXPECT_TRUE(seen.empty());
}

TEST_F(OfferRoad, AProviderMaySayThatAUriOfItsTemplateIsNothing) {
  act([](const auto& invocation) { invocation->finish(Error{ErrorKind::NotFound, "none"}); });
  EXPECT_EQ(read("a:item/8").error().kind, ErrorKind::NotFound);
}

TEST_F(OfferRoad, APromptsArgumentsAreCheckedBeforeItIsAsked) {
  answer(R"({"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]})");
  EXPECT_TRUE(get(R"({"who":"Ada"})"));
  EXPECT_EQ(seen.size(), 1u);
  EXPECT_EQ(get("{}").error().kind, ErrorKind::InvalidArgument);
  EXPECT_NE(get("{}").error().message.find("\"who\""), std::string::npos);
  EXPECT_EQ(get(R"({"who":7})").error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(get(R"({"who":"Ada","how":null})").error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(seen.size(), 1u);
}

TEST_F(OfferRoad, ArgumentsOfPromptsAndTemplatesAreCompleted) {
  answer(R"({"values":["Ada"],"total":1})");
  EXPECT_EQ(complete("ref/prompt", "greet", "who")->structured, R"({"values":["Ada"],"total":1})");
  EXPECT_TRUE(complete("ref/resource", "a:item/{id}", "id"));
  EXPECT_EQ(complete("ref/prompt", "greet", "whom").error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(complete("ref/resource", "a:item/{id}", "x").error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_EQ(complete("ref/resource", "a:1", "x")->structured, R"({"values":[]})");
  provider->offered.completes = false;
  EXPECT_EQ(complete("ref/prompt", "greet", "who")->structured, R"({"values":[]})");
  EXPECT_EQ(seen.size(), 2u);
}

TEST_F(OfferRoad, ACompletionHasAHundredValuesAtMost) {
  std::string values = R"("v")";
  for (int i = 0; i < 150; ++i) values += R"(,"v")";
  answer(R"({"values":[)" + values + "]}");
  const auto tree = json::parse(complete("ref/prompt", "greet", "who")->structured);
  EXPECT_EQ(json::find(tree->root(), "values")->Size(), 100u);
  EXPECT_TRUE(json::find(tree->root(), "hasMore")->GetBool());
}

TEST_F(OfferRoad, AnAnswerThatClientsWouldRefuseIsTheProvidersFault) {
  for (const auto* bad : {"", "7", "{}", R"({"contents":[]})", R"({"contents":[{"uri":"a:1"}]})",
                          R"({"contents":[{"text":"x"}]})",
                          R"({"contents":[{"uri":"a:1","text":"x","blob":"eA=="}]})"}) {
    answer(bad);
    const auto result = read("a:1");
    ASSERT_FALSE(result) << bad;
    EXPECT_EQ(result.error().kind, ErrorKind::PluginFault) << bad;
  }
  for (const auto* bad : {R"({"messages":[{"role":"system","content":{"type":"text"}}]})",
                          R"({"messages":[{"role":"user","content":"hi"}]})", "[]"}) {
    answer(bad);
    EXPECT_EQ(get(R"({"who":"Ada"})").error().kind, ErrorKind::PluginFault) << bad;
  }
  answer(R"({"values":[1]})");
  EXPECT_EQ(complete("ref/prompt", "greet", "who").error().kind, ErrorKind::PluginFault);
}

TEST_F(OfferRoad, AnAnswerBeyondTheLimitIsRefused) {
  answer(R"({"contents":[{"uri":"a:1","text":")" + std::string(2000, 'x') + "\"}]}");
  EXPECT_TRUE(read("a:1"));
  result_bytes = 1000;
  EXPECT_NE(read("a:1").error().message.find("limits.result_bytes"), std::string::npos);
}

TEST_F(OfferRoad, AProvidersOwnFailureIsTold) {
  act([](const auto& invocation) { invocation->finish(tool::CallResult::error("disk is gone")); });
  EXPECT_NE(read("a:1").error().message.find("disk is gone"), std::string::npos);
}

TEST_F(OfferRoad, AnOperatorsEndIsTold) {
  std::shared_ptr<tool::Invocation> given_up;
  act([&](const auto& invocation) {
    given_up = invocation;
    const tool::Call* const here = live.find("c1");
    ASSERT_NE(here, nullptr);
    const auto cancel = here->cancel;
    cancel->request(Cancel::By::Operator);
  });
  const auto result = read("a:1");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Cancelled);
  EXPECT_EQ(result.error().message, "an operator ended this request");
  EXPECT_EQ(live.size(), 0u);
  given_up->finish(Error{ErrorKind::Cancelled, "late"});
}

TEST_F(OfferRoad, AStopOfTheHostIsTold) {
  std::shared_ptr<tool::Invocation> given_up;
  act([&](const auto& invocation) {
    given_up = invocation;
    const auto cancel = live.find("c1")->cancel;
    cancel->request(Cancel::By::Stop);
  });
  const auto ended = read("a:1");
  ASSERT_FALSE(ended);
  EXPECT_NE(ended.error().message.find("this host is stopping"), std::string::npos);
  live.close();
  const auto late = read("a:1");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::Unavailable);
  EXPECT_NE(late.error().message.find("takes no new calls"), std::string::npos);
  given_up->finish(Error{ErrorKind::Cancelled, "late"});
}

TEST_F(OfferRoad, AReadEndsAtItsDeadline) {
  settings.timeout = 5ms;
  std::shared_ptr<tool::Invocation> held;
  act([&](const auto& invocation) { held = invocation; });
  EXPECT_EQ(read("a:1").error().kind, ErrorKind::DeadlineExceeded);
  EXPECT_EQ(provider->cancelled, 1);
  held->finish(structured("{}"));
}

TEST_F(OfferRoad, AReadWaitsForItsPrincipalsTurn) {
  settings.running_per_principal = 0;
  settings.timeout = 5ms;
  EXPECT_NE(read("a:1").error().message.find("provider \"fake\" was busy"), std::string::npos);
  EXPECT_TRUE(seen.empty());
}

// Says yes to every question.
struct Willing : tool::Asker {
  tool::Abilities abilities() const override { return {}; }
  tool::Continuation take_resumed() override { return {}; }
  boost::asio::awaitable<Result<std::optional<tool::Answers>>> ask(
      const tool::Call&, const tool::Round& round) override {
    std::optional<tool::Answers> answers(std::in_place);
    for (const auto& question : round.questions) answers->emplace(question.key, "{}");
    co_return answers;
  }
  boost::asio::awaitable<Result<bool>> send_to(const tool::Call&, tool::Visit&) override {
    co_return Error{ErrorKind::Internal, "sent to a page"};
  }
};

TEST_F(OfferRoad, AReadMayAskItsClientAndGoesOnWithTheAnswers) {
  act([](const auto& invocation) {
    if (!invocation->continuation.answers.empty()) {
      EXPECT_EQ(invocation->continuation.state, "s");
      return invocation->finish(structured(R"({"contents":[{"uri":"a:1","text":"told"}]})"));
    }
    tool::CallResult asks;
    asks.round.emplace();
    asks.round->questions.push_back({"roots", "roots/list", "{}"});
    asks.round->state = "s";
    return invocation->finish(asks);
  });
  Willing client;
  EXPECT_NE(read("a:1", &client)->structured.find("told"), std::string::npos);
  EXPECT_EQ(seen.size(), 2u);
}

TEST_F(OfferRoad, ACompletionMayNotAsk) {
  act([](const auto& invocation) {
    tool::CallResult asks;
    asks.round.emplace();
    asks.round->questions.push_back({"roots", "roots/list", "{}"});
    invocation->finish(asks);
  });
  const auto result = complete("ref/prompt", "greet", "who");
  EXPECT_EQ(result.error().kind, ErrorKind::PluginFault);
  EXPECT_EQ(seen.size(), 1u);
}

TEST_F(OfferRoad, EveryOutcomeIsAudited) {
  (void)read("a:1");
  (void)read("a:2");
  (void)get("{}");
  (void)complete("ref/resource", "a:1", "x");
  std::vector<std::string> lines;
  std::ifstream file(audit_file);
  for (std::string line; std::getline(file, line);) {
    const auto tree = json::parse(line);
    lines.push_back(std::string(json::find_text(tree->root(), "resource")) +
                    std::string(json::find_text(tree->root(), "prompt")) +
                    std::string(json::find_text(tree->root(), "completion")) + " " +
                    std::string(json::find_text(tree->root(), "outcome")));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"a:1 ok", "a:2 not_found", "greet invalid_argument",
                                             "a:1 ok"}));
}

}  // namespace
}  // namespace host::router
