// Tasks as their clients meet them (SEP-2663).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <iterator>
#include <string>
#include <vector>

#include "mcp/peer/one_shot.h"
#include "store/desk.h"
#include "support/session_host.h"
#include "tool/call/edits.h"
#include "tool/definition/unbegun.h"

namespace host::mcp {
namespace {

using test::call_text;
using test::FakeTools;
using test::HttpPeer;
using test::modern_meta;
using test::SessionHost;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kFollows =
    R"({"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";
constexpr std::string_view kDoesNot = R"({"elicitation":{}})";

tool::CallResult told(const std::optional<tool::Answers>& answers) {
  return tool::CallResult::text("told " + answers->at("who"));
}

tool::Round one_question() {
  tool::Round round;
  round.questions.push_back({"who", "elicitation/create",
                             R"({"mode":"form","message":"Who?","requestedSchema":)"
                             R"({"type":"object","properties":{"name":{"type":"string"}}}})"});
  return round;
}

class ReadyVisit final : public tool::Visit {
 public:
  const tool::Question& question() const override { return asked_; }
  awaitable<bool> wait() override {
    has_waited = true;
    co_return true;
  }
  awaitable<void> answered(const std::string&) override { co_return; }

  bool has_waited = false;

 private:
  const tool::Question asked_;
};

class TasksOverHttp : public ::testing::Test {
 protected:
  using Answer = FakeTools::Answer;
  using Exchange = std::shared_ptr<test::FakeExchange>;

  TasksOverHttp() {
    // Works until the test lets it end.
    add("dig", tool::TaskUse::Offered, [this](tool::Call& call) -> awaitable<Answer> {
      OneShot done(host.loop.io.get_executor());
      dug = &done;
      const auto registration = call.cancel->on_cancel([&done] { done.set(); });
      co_await done.wait();
      dug = nullptr;
      was_cancelled = call.cancel->requested();
      if (was_cancelled) co_return Error{ErrorKind::Cancelled, "cancelled"};
      co_return end;
    });
    add("must", tool::TaskUse::Needed,
        [](tool::Call&) -> awaitable<Answer> { co_return tool::CallResult::text("done"); });
    add("asks", tool::TaskUse::Offered, [](tool::Call& call) -> awaitable<Answer> {
      const tool::Round round = one_question();
      Result<std::optional<tool::Answers>> answers = co_await call.asker->ask(call, round);
      if (!answers) co_return std::move(answers).error();
      co_return told(*answers);
    });
    // As the dispatcher runs a tool: what its client was told before is handed over first.
    auto first = declaration("asks_first", tool::TaskUse::Offered);
    first.asks_first = true;
    host.tools.add(std::move(first), [](tool::Call& call) -> awaitable<Answer> {
      const tool::Continuation before = call.asker->take_resumed();
      if (!before.answers.empty()) co_return told(before.answers);
      tool::CallResult result;
      result.round = one_question();
      co_return result;
    });
  }

  static tool::Declaration declaration(const std::string& name, tool::TaskUse use) {
    auto declared = test::declaration(name);
    declared.tasks = use;
    return declared;
  }
  void add(const std::string& name, tool::TaskUse use, FakeTools::Act act) {
    host.tools.add(declaration(name, use), std::move(act));
  }

  Exchange call(const std::string& tool, std::string_view capabilities = kFollows,
                const std::string& more = {}) {
    return peer.post(
        call_text("1", tool, "{}", more + modern_meta(capabilities)),
        {{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", "tools/call"}, {"mcp-name", tool}});
  }
  Exchange ask(const std::string& method, const std::string& id, const std::string& more = {},
               HttpPeer::Fields fields = {}, std::string_view capabilities = kFollows) {
    fields.merge(HttpPeer::Fields{{"mcp-protocol-version", "2026-07-28"},
                                  {"mcp-method", "tasks/" + method},
                                  {"mcp-name", id}});
    return peer.post(R"({"jsonrpc":"2.0","id":2,"method":"tasks/)" + method +
                         R"(","params":{"taskId":")" + id + "\"" + more +
                         modern_meta(capabilities) + "}}",
                     std::move(fields));
  }
  std::string get(const std::string& id) { return ask("get", id)->answer; }
  static std::string id_of(const Exchange& made) {
    const auto tree = json::parse(made->answer);
    const json::Value* const result = json::find(tree->root(), "result");
    return result ? std::string(json::find_text(*result, "taskId")) : made->answer;
  }
  void let_end() {
    if (dug) dug->set();
    host.loop.turn();
  }

  SessionHost host;
  HttpPeer peer{host};
  OneShot* dug = nullptr;
  bool was_cancelled = false;
  Answer end = tool::CallResult::text("dug");
};

TEST_F(TasksOverHttp, ACallIsATaskAndItsResultComesWithGet) {
  const auto made = call("dig");
  EXPECT_THAT(
      made->answer,
      ContainsRegex(R"(^\{"jsonrpc":"2.0","id":1,"result":\{"resultType":"task","taskId":"[^"]+",)"
                    R"("status":"working","createdAt":"[^"]+Z","lastUpdatedAt":"[^"]+Z",)"
                    R"("ttlMs":3600000,"pollIntervalMs":1000,"_meta":)"));
  const std::string id = id_of(made);
  EXPECT_THAT(get(id),
              AllOf(HasSubstr(R"("resultType":"complete","taskId":")" + id + "\""),
                    HasSubstr(R"("status":"working")"), Not(HasSubstr(R"("result":{"content)"))));
  let_end();
  EXPECT_THAT(get(id), AllOf(HasSubstr(R"("status":"completed")"),
                             HasSubstr(R"("result":{"resultType":"complete","content":[)"
                                       R"({"type":"text","text":"dug"}])"),
                             Not(HasSubstr("related-task")), Not(HasSubstr("requestState"))));
}

TEST_F(TasksOverHttp, AClientThatDoesNotFollowTasksWaits) {
  const auto plain = call("dig", kDoesNot);
  EXPECT_EQ(plain->answer, "");
  let_end();
  EXPECT_THAT(plain->answer, AllOf(HasSubstr(R"("text":"dug")"), Not(HasSubstr("taskId"))));
  EXPECT_THAT(call("echo", kFollows, R"(,"task":{"ttl":1})")->answer,
              AllOf(HasSubstr(R"("resultType":"complete")"), Not(HasSubstr("taskId"))));
}

// Whatever the client declares: versions with sessions have no tasks.
TEST_F(TasksOverHttp, ACallOfAnOlderVersionEndsWithItsConnection) {
  const std::string meta =
      R"(,"_meta":{"io.modelcontextprotocol/clientCapabilities":)" + std::string(kFollows) + "}";
  for (const auto& fields : {HttpPeer::Fields{}, peer.open("2025-11-25")}) {
    was_cancelled = false;
    const auto made = peer.post(call_text("1", "dig", "{}", meta), fields);
    EXPECT_EQ(made->answer, "");
    made->disconnect();
    host.loop.turn();
    EXPECT_TRUE(was_cancelled);
    EXPECT_THAT(made->answer, Not(HasSubstr("taskId")));
  }
}

TEST_F(TasksOverHttp, AStreamBeginsWithTheStatesOfItsTasksAsFarAsTheyFit) {
  const auto listen = [this](const std::vector<std::string>& ids) {
    std::string named;
    for (const std::string& id : ids) named += (named.empty() ? "\"" : ",\"") + id + "\"";
    return peer.post(R"({"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":)"
                     R"({"notifications":{"taskIds":[)" +
                         named + "]}" + modern_meta(kFollows) + "}}",
                     {{"mcp-protocol-version", "2026-07-28"},
                      {"mcp-method", "subscriptions/listen"},
                      {"accept", "application/json, text/event-stream"}});
  };
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i) {
    end = tool::CallResult::text(std::string(30'000, 'x'));
    ids.push_back(id_of(call("dig")));
    let_end();
  }
  const std::vector<std::string> few(ids.begin(), ids.begin() + 4);
  const auto of_few = listen(few);
  ASSERT_TRUE(of_few->events);
  EXPECT_THAT(of_few->events->events, ::testing::SizeIs(1 + few.size()));
  // Which do not fit are not said to be followed.
  const auto of_all = listen(ids);
  ASSERT_TRUE(of_all->events);
  const auto& told = of_all->events->events;
  EXPECT_GT(told.size(), 1 + few.size());
  EXPECT_LT(told.size(), 1 + ids.size());
  for (const std::string& id : ids) {
    const bool sent = std::any_of(std::next(told.begin()), told.end(), [&](const std::string& one) {
      return one.find(id) != std::string::npos;
    });
    EXPECT_EQ(told.front().find(id) != std::string::npos, sent) << id;
  }
}

// After a restart, the call passes the pipeline once more: what took members out of its arguments,
// or changed them, must find what the client sent.
TEST_F(TasksOverHttp, ATaskKeepsTheArgumentsAsTheyWereSent) {
  host.tools.before_cleared = [](tool::Call& call) {
    call.arguments = json::parse(R"({"x":2})").value();
    call.arguments_text = R"({"x":2})";
  };
  constexpr std::string_view kSent = R"({"x":1,"attachments":[{"file_id":"file_a"}]})";
  const auto made = peer.post(
      call_text("1", "dig", std::string(kSent), modern_meta(kFollows)),
      {{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", "tools/call"}, {"mcp-name", "dig"}});
  const auto record = host.records.find(id_of(made));
  ASSERT_TRUE(record) << made->answer;
  EXPECT_EQ(record->arguments, kSent);
  let_end();
}

TEST_F(TasksOverHttp, AToolThatNeedsATaskIsRefusedToOthers) {
  const auto refused = call("must", kDoesNot);
  EXPECT_EQ(refused->status, 400);
  EXPECT_THAT(refused->answer, AllOf(HasSubstr("-32021"),
                                     HasSubstr(R"("data":{"requiredCapabilities":{"extensions":)"
                                               R"({"io.modelcontextprotocol/tasks":{}}}})")));
  EXPECT_THAT(get(id_of(call("must"))), HasSubstr(R"("text":"done")"));
  const auto legacy = peer.open("2025-11-25");
  EXPECT_THAT(peer.post(call_text("1", "must", "{}"), legacy)->answer,
              AllOf(HasSubstr(R"("isError":true)"), HasSubstr("as a task only")));
  EXPECT_THAT(host.tools.calls, ::testing::ElementsAre("must {}"));
}

TEST_F(TasksOverHttp, TheMethodsAreForThoseWhoDeclareTheExtension) {
  for (const std::string method : {"get", "update", "cancel"}) {
    const auto refused = ask(method, "x", R"(,"inputResponses":{})", {}, kDoesNot);
    EXPECT_THAT(refused->answer, HasSubstr("-32021")) << method;
    EXPECT_THAT(ask(method, "x", R"(,"inputResponses":{})")->answer, HasSubstr("-32602")) << method;
  }
  for (const std::string method : {"result", "list"}) {
    const auto refused = ask(method, "x");
    EXPECT_EQ(refused->status, 404);
    EXPECT_THAT(refused->answer, HasSubstr("-32601")) << method;
  }
}

TEST_F(TasksOverHttp, AFailedToolHasCompletedAndAFailedHostHasNot) {
  end = tool::CallResult::error("no luck");
  const std::string unlucky = id_of(call("dig"));
  let_end();
  EXPECT_THAT(get(unlucky),
              AllOf(HasSubstr(R"("status":"completed")"), HasSubstr(R"("isError":true)")));
  end = Error{ErrorKind::Internal, "a secret of the host"};
  const std::string broken = id_of(call("dig"));
  let_end();
  EXPECT_THAT(get(broken),
              AllOf(HasSubstr(R"("status":"failed")"), HasSubstr(R"("error":{"code":-32603,)"),
                    Not(HasSubstr(R"("content":)")), Not(HasSubstr("secret"))));
}

TEST_F(TasksOverHttp, CancelStopsTheCallAndIsAllowedTwice) {
  const std::string id = id_of(call("dig"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(
        ask("cancel", id)->answer,
        AllOf(HasSubstr(R"("result":{"resultType":"complete","_meta")"), Not(HasSubstr("taskId"))));
  }
  EXPECT_TRUE(was_cancelled);
  EXPECT_THAT(get(id), HasSubstr(R"("status":"cancelled")"));
}

TEST_F(TasksOverHttp, TheTaskOutlivesItsRequestAndNobodyElseSeesIt) {
  const auto made = call("dig");
  const std::string id = id_of(made);
  made->disconnect();
  host.loop.turn();
  EXPECT_FALSE(was_cancelled);
  EXPECT_THAT(get(id), HasSubstr(R"("status":"working")"));
  const std::string unknown = get("nothing");
  EXPECT_EQ(ask("get", id, {}, {{"x-test-principal", "bob"}})->answer, unknown);
  EXPECT_EQ(ask("cancel", id, {}, {{"x-test-principal", "bob"}})->answer, unknown);
  EXPECT_FALSE(was_cancelled);
  EXPECT_THAT(ask("get", id, {}, {{"mcp-name", "another"}})->answer, HasSubstr("-32020"));
  host.clock.advance(std::chrono::hours(1));
  EXPECT_EQ(get(id), unknown);
  host.loop.turn();
  EXPECT_TRUE(was_cancelled);
}

TEST_F(TasksOverHttp, WhatATaskAsksIsAnsweredByUpdate) {
  const std::string id = id_of(call("asks"));
  EXPECT_THAT(get(id),
              AllOf(HasSubstr(R"("status":"input_required")"),
                    HasSubstr(R"("inputRequests":{"1:who":{"method":"elicitation/create")"),
                    Not(HasSubstr("requestState"))));
  EXPECT_THAT(ask("update", id, R"(,"inputResponses":{"stranger":{"x":1}})")->answer,
              HasSubstr(R"("resultType":"complete")"));
  EXPECT_THAT(get(id), HasSubstr("1:who"));
  ask("update", id, R"(,"inputResponses":{"1:who":{"action":"accept","content":{"name":"Ann"}}})");
  EXPECT_THAT(get(id), AllOf(HasSubstr(R"("status":"completed")"), HasSubstr("Ann")));
}

// So it has its attachments and its key again, and interceptors see what they saw before.
TEST_F(TasksOverHttp, TheCallOfAnEarlierHostsTaskIsTheCallThatWasSent) {
  std::vector<std::string> sent;
  std::string key;
  std::string call_id;
  add("sends", tool::TaskUse::Offered, [&](tool::Call& call) -> awaitable<Answer> {
    sent.push_back(json::write(call.arguments.root()));
    key = call.idempotency_key;
    call_id = call.passport->call;
    // The pipeline takes them out, and interceptors change the rest.
    call.arguments = *json::parse(R"({"a":2})");
    const tool::Round round = one_question();
    Result<std::optional<tool::Answers>> answers = co_await call.asker->ask(call, round);
    if (!answers) co_return std::move(answers).error();
    co_return told(*answers);
  });
  const std::string arguments =
      R"({"a":1,"attachments":[{"file_id":"file_x"}],"idempotency_key":"k"})";
  host.tools.before_cleared = [](tool::Call& call) { call.idempotency_key = "k"; };
  const std::string id = id_of(peer.post(call_text("1", "sends", arguments, modern_meta(kFollows)),
                                         {{"mcp-protocol-version", "2026-07-28"},
                                          {"mcp-method", "tools/call"},
                                          {"mcp-name", "sends"}}));
  const auto made = host.records.find(id);
  ASSERT_TRUE(made) << id;
  tool::Record earlier = *made;
  earlier.id = "earlier";
  host.records.add(std::move(earlier), "mcp:local");
  host.tools.before_cleared = nullptr;
  ask("update", "earlier", R"(,"inputResponses":{"1:who":{"action":"decline"}})");
  EXPECT_EQ(sent, std::vector<std::string>(2, arguments));
  EXPECT_EQ(key, "k");
  EXPECT_EQ(call_id, "earlier") << "by which it has the key of its task";
  ask("cancel", "earlier");
  ask("cancel", id);
}

// A task of an earlier host passes the gates again, and they want the person's code again.
TEST_F(TasksOverHttp, ATaskOfAnEarlierHostWaitsForAPersonWithoutItsClient) {
  add("coded", tool::TaskUse::Offered, [](tool::Call& call) -> awaitable<Answer> {
    const tool::Continuation before = call.asker->take_resumed();
    if (before.answers.empty()) {
      const tool::Round round = one_question();
      Result<std::optional<tool::Answers>> answers = co_await call.asker->ask(call, round);
      if (!answers) co_return std::move(answers).error();
      co_return told(*answers);
    }
    ReadyVisit visit;
    Result<bool> sent = co_await call.asker->send_to(call, visit);
    if (!sent) co_return std::move(sent).error();
    co_return tool::CallResult::text(visit.has_waited ? "the person came" : "nobody came");
  });
  const std::string id = id_of(call("coded"));
  const auto made = host.records.find(id);
  ASSERT_TRUE(made) << id;
  tool::Record earlier = *made;
  earlier.id = "earlier";
  host.records.add(std::move(earlier), "mcp:local");
  ask("update", "earlier", R"(,"inputResponses":{"1:who":{"action":"decline"}})");
  EXPECT_THAT(get("earlier"),
              AllOf(HasSubstr(R"("status":"completed")"), HasSubstr("the person came")));
  ask("cancel", id);
}

// After a restart, the call passes the pipeline with the arguments that its client has sent.
TEST_F(TasksOverHttp, ATaskOfAnEarlierHostGoesOnWithTheArgumentsOfItsRun) {
  const std::string key(tool::kRunArguments);
  std::vector<bool> found;
  add("edited", tool::TaskUse::Offered, [&](tool::Call& call) -> awaitable<Answer> {
    found.push_back(call.continuation.answers.contains(key));
    tool::Continuation before = call.asker->take_resumed();
    before.answers.merge(call.continuation.answers);
    call.continuation = std::move(before);
    if (!found.back()) call.continuation.answers.emplace(key, R"({"n":5157})");
    const tool::Round round = one_question();
    Result<std::optional<tool::Answers>> answers = co_await call.asker->ask(call, round);
    if (!answers) co_return std::move(answers).error();
    co_return told(*answers);
  });
  const std::string id = id_of(call("edited"));
  const auto made = host.records.find(id);
  ASSERT_TRUE(made) << id;
  EXPECT_EQ(made->arguments, "{}");
  EXPECT_THAT(get(id), Not(HasSubstr("5157")));
  tool::Record earlier = *made;
  earlier.id = "earlier";
  host.records.add(std::move(earlier), "mcp:local");
  ask("update", "earlier", R"(,"inputResponses":{"1:who":{"action":"decline"}})");
  EXPECT_EQ(found, (std::vector<bool>{false, true}));
  const auto next = host.records.find("earlier");
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->continuation.answers.contains(key)) << "in each further round too";
  ask("cancel", "earlier");
  ask("cancel", id);
}

TEST_F(TasksOverHttp, ATaskThatOnlyTheHostHasAskedAboutHasNotBegunItsCall) {
  for (const std::string key : {"toolpost.approval", "who"}) {
    const std::string name = key == "who" ? "gated_by_tool" : "gated_by_host";
    std::vector<bool> continues;
    add(name, tool::TaskUse::Offered, [&](tool::Call& call) -> awaitable<Answer> {
      continues.push_back(call.continues);
      if (continues.size() > 1) co_return tool::CallResult::text("done");
      tool::Round round = one_question();
      round.questions.front().key = key;
      Result<std::optional<tool::Answers>> answers = co_await call.asker->ask(call, round);
      if (!answers) co_return std::move(answers).error();
      co_return tool::CallResult::text("asked");
    });
    const std::string id = id_of(call(name));
    const auto made = host.records.find(id);
    ASSERT_TRUE(made) << id;
    tool::Record earlier = *made;
    earlier.id = "earlier " + key;
    host.records.add(std::move(earlier), "mcp:local");
    ask("update", "earlier " + key,
        R"(,"inputResponses":{"1:)" + key + R"(":{"action":"decline"}})");
    EXPECT_EQ(continues, (std::vector<bool>{false, key == "who"})) << key;
    ask("cancel", id);
  }
}

// If the host is killed while the task runs, its idempotency key stays used.
TEST_F(TasksOverHttp, ATaskOfACallThatHasAskedBeforeMustNotRunASecondTime) {
  auto declared = declaration("begins", tool::TaskUse::Offered);
  declared.asks_first = true;
  host.tools.add(std::move(declared), [](tool::Call& call) -> awaitable<Answer> {
    if (call.continues) co_return tool::CallResult::text("done");
    call.ran = true;
    call.continuation.answers.emplace(std::string(tool::kMustNotRepeat), "true");
    tool::CallResult result;
    result.round = one_question();
    co_return result;
  });
  const auto asked = call("begins");
  const auto tree = json::parse(asked->answer);
  const std::string state(json::find_text(*json::find(tree->root(), "result"), "requestState"));
  const auto made = call("begins", kFollows,
                         R"(,"inputResponses":{"who":{"action":"accept","content":{"name":"Ann"}}})"
                         R"(,"requestState":")" +
                             state + "\"");
  const auto record = host.records.find(id_of(made));
  ASSERT_TRUE(record) << made->answer;
  EXPECT_TRUE(record->continuation.answers.contains(tool::kMustNotRepeat));
  EXPECT_EQ(record->asked, 1u) << "so that the store keeps the claim of its key";
}

// The tool runs and gets answers in one request, and then the host asks for an approval.
TEST_F(TasksOverHttp, ACallThatTheHostAsksAboutAfterItsRunKeepsItsMark) {
  auto declared = declaration("runs_twice", tool::TaskUse::Offered);
  declared.asks_first = true;
  std::vector<bool> marked;
  host.tools.add(std::move(declared), [&](tool::Call& call) -> awaitable<Answer> {
    marked.push_back(call.continuation.answers.contains(tool::kMustNotRepeat));
    if (call.continues) co_return tool::CallResult::text("done");
    call.continuation.answers.emplace(std::string(tool::kMustNotRepeat), "true");
    tool::CallResult result;
    result.round = one_question();
    co_return result;
  });
  const auto asked = call("runs_twice");
  const auto tree = json::parse(asked->answer);
  const std::string state(json::find_text(*json::find(tree->root(), "result"), "requestState"));
  call("runs_twice", kFollows,
       R"(,"inputResponses":{"who":{"action":"accept","content":{"name":"Ann"}}})"
       R"(,"requestState":")" +
           state + "\"");
  EXPECT_EQ(marked, (std::vector<bool>{false, true}));
}

TEST_F(TasksOverHttp, WhatAToolAsksFirstIsAskedBeforeThereIsATask) {
  const auto asked = call("asks_first");
  EXPECT_THAT(asked->answer,
              AllOf(HasSubstr(R"("resultType":"input_required")"), Not(HasSubstr("taskId"))));
  const auto tree = json::parse(asked->answer);
  const std::string state(json::find_text(*json::find(tree->root(), "result"), "requestState"));
  const auto made = call("asks_first", kFollows,
                         R"(,"inputResponses":{"who":{"action":"accept","content":{"name":"Ann"}}})"
                         R"(,"requestState":")" +
                             state + "\"");
  EXPECT_THAT(made->answer,
              AllOf(HasSubstr(R"("resultType":"task")"), Not(HasSubstr("requestState"))));
  EXPECT_THAT(get(id_of(made)), HasSubstr("Ann"));
}

TEST_F(TasksOverHttp, ARequestThatEndsWhileItsTaskIsStoredEndsTheTask) {
  std::string folder = (std::filesystem::temp_directory_path() / "tasks-test-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const auto desk = std::make_shared<store::Desk>(host.loop.io.get_executor(), [&] {
    return store::open_sqlite_store(std::filesystem::path(folder) / "toolpost.db", host.clock);
  });
  ASSERT_TRUE(host.records.keep_in(desk, "o"));
  std::promise<void> stored;
  desk->tell([&stored](store::Store&) { stored.get_future().wait(); });
  const auto made = call("dig");
  EXPECT_EQ(made->status, 0);
  made->disconnect();
  host.loop.turn();
  EXPECT_TRUE(was_cancelled);
  stored.set_value();
  desk->stop();
  host.loop.drain();
  const auto records = host.records.of("local");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records.front()->code, tool::kCancelled);
  std::filesystem::remove_all(folder);
}

// As for a tool without tasks.
TEST_F(TasksOverHttp, AnAgentThatWantsCodesGetsThemForATaskToo) {
  host.config.agents["coder"].errors = config::Errors::RpcCodes;
  auto picky = declaration("picky", tool::TaskUse::Offered);
  picky.asks_first = true;  // so FakeTools makes no task of a call that is refused
  host.tools.add(std::move(picky), [](tool::Call& call) -> awaitable<Answer> {
    call.outcome = tool::kBadArguments;
    co_return tool::CallResult::error("bad arguments");
  });
  for (const std::string_view capabilities : {kFollows, kDoesNot}) {
    test::FakeExchange exchange;
    exchange.target = "/coder/mcp";
    exchange.fields = {{"content-type", "application/json"},
                       {"accept", "application/json, text/event-stream"},
                       {"mcp-protocol-version", "2026-07-28"},
                       {"mcp-method", "tools/call"},
                       {"mcp-name", "picky"}};
    exchange.text = call_text("1", "picky", "{}", modern_meta(capabilities));
    host.loop.get([](HttpEndpoint& endpoint, test::FakeExchange& one) -> awaitable<bool> {
      co_await endpoint.handle(one);
      co_return true;
    }(peer.endpoint, exchange));
    EXPECT_THAT(exchange.answer, HasSubstr("-32602")) << capabilities;
  }
}

TEST_F(TasksOverHttp, TooManyTasksAreToldToComeAgain) {
  for (int i = 0; i < 256; ++i) call("must");
  const auto refused = call("must");
  EXPECT_EQ(refused->status, 429);
  EXPECT_THAT(refused->answer, HasSubstr("limits.tasks_per_principal"));
}

}  // namespace
}  // namespace host::mcp
