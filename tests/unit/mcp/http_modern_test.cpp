#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/http/endpoint.h"
#include "support/fake_tools.h"
#include "support/session_host.h"
#include "tool/call/edits.h"
#include "tool/call/receipt.h"
#include "tool/definition/question_key.h"
#include "tool/definition/unbegun.h"

namespace host::mcp {
namespace {

using test::call_text;
using test::HttpPeer;
using test::modern_meta;
using test::SessionHost;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string request(std::string_view method, std::string_view params = {},
                    std::string_view meta = modern_meta()) {
  std::string members(params);
  members += members.empty() ? meta.substr(1) : meta;
  return R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"(","params":{)" +
         members + "}}";
}

class ModernHttp : public ::testing::Test {
 protected:
  using Fields = HttpPeer::Fields;

  static Fields fields(std::string method, std::string name = {}, Fields more = {}) {
    Fields all = {{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", std::move(method)}};
    if (!name.empty()) all["mcp-name"] = std::move(name);
    for (auto& [key, value] : more) all[key] = value;
    return all;
  }
  auto call(std::string tool, std::string_view arguments, Fields more = {},
            std::string_view meta = modern_meta()) {
    return peer.post(call_text("1", tool, arguments, meta),
                     fields("tools/call", tool, std::move(more)));
  }

  SessionHost host;
  HttpPeer peer{host};
};

TEST_F(ModernHttp, ACallIsAnsweredAsJson) {
  const auto reply = call("echo", R"({"text":"hi"})");
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->answer_type, "application/json");
  EXPECT_EQ(
      reply->answer,
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"hi"}],)"
      R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"h","version":"1"}}}})");
  EXPECT_EQ(reply->answer_header("Mcp-Session-Id"), "");
}

TEST_F(ModernHttp, DiscoverAndListAreServed) {
  const auto discover = peer.post(request("server/discover"), fields("server/discover"));
  EXPECT_EQ(discover->status, 200);
  EXPECT_THAT(
      discover->answer,
      HasSubstr(
          R"("supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},)"));
  const auto list = peer.post(request("tools/list"), fields("tools/list"));
  EXPECT_THAT(list->answer, HasSubstr(R"("resultType":"complete","tools":[{)"));
  EXPECT_THAT(list->answer, HasSubstr(R"("ttlMs":0,"cacheScope":"private")"));
}

TEST_F(ModernHttp, WhatIsNoJsonRequestIs400Or415) {
  EXPECT_EQ(peer.post("{", fields("tools/list"))->status, 400);
  EXPECT_THAT(peer.post("{", fields("tools/list"))->answer, HasSubstr("-32700"));
  EXPECT_THAT(peer.post("[" + request("tools/list") + "]", fields("tools/list"))->answer,
              HasSubstr("-32600"));
  EXPECT_EQ(peer.post("[" + request("tools/list") + "]", fields("tools/list"))->status, 400);
  EXPECT_EQ(peer.post(R"({"jsonrpc":"2.0","id":1,"result":{}})", fields("tools/list"))->status,
            400);
  EXPECT_EQ(peer.post(R"({"id":1,"method":"tools/list"})", fields("tools/list"))->status, 400);
  EXPECT_EQ(peer.post(request("tools/list"), {{"content-type", "text/plain"}})->status, 415);
  EXPECT_EQ(peer.post(request("tools/list"), {{"content-type", "-"}})->status, 415);
  EXPECT_EQ(
      peer.post(request("tools/list"),
                fields("tools/list", "", {{"content-type", "Application/JSON; charset=utf-8"}}))
          ->status,
      200);
}

TEST_F(ModernHttp, AnIncompleteClaimIs400InvalidParams) {
  for (const std::string& meta :
       {std::string(R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})"),
        std::string(R"(,"_meta":{"io.modelcontextprotocol/clientCapabilities":{}})"),
        std::string(R"(,"_meta":{})")}) {
    const auto reply = peer.post(request("tools/list", "", meta), fields("tools/list"));
    EXPECT_EQ(reply->status, 400) << meta;
    EXPECT_THAT(reply->answer, HasSubstr(R"("id":1,"error":{"code":-32602)")) << meta;
  }
  const auto bare =
      peer.post(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", fields("tools/list"));
  EXPECT_THAT(bare->answer, HasSubstr("-32602"));
  EXPECT_EQ(bare->status, 400);
}

TEST_F(ModernHttp, AVersionThatIsNotServedIs400WithWhatIs) {
  auto headers = fields("tools/list");
  headers["mcp-protocol-version"] = "1900-01-01";
  const auto reply =
      peer.post(request("tools/list", "", modern_meta("{}", "", "1900-01-01")), headers);
  EXPECT_EQ(reply->status, 400);
  EXPECT_THAT(reply->answer, HasSubstr(R"("code":-32022)"));
  EXPECT_THAT(reply->answer,
              HasSubstr(R"("data":{"supported":["2026-07-28"],"requested":"1900-01-01"})"));
}

TEST_F(ModernHttp, AMismatchWinsOverAnUnknownVersion) {
  const auto reply =
      peer.post(request("tools/list", "", modern_meta("{}", "", "v999.0.0")), fields("tools/list"));
  EXPECT_EQ(reply->status, 400);
  EXPECT_THAT(reply->answer, HasSubstr("-32020"));
}

TEST_F(ModernHttp, TheStandardHeadersMustBeThereAndAgree) {
  for (const Fields& bad :
       {Fields{{"mcp-protocol-version", "-"}}, Fields{{"mcp-method", "-"}},
        Fields{{"mcp-method", "tools/list"}}, Fields{{"mcp-name", "-"}},
        Fields{{"mcp-name", "Echo"}}, Fields{{"mcp-name", "=?base64?ZWNobw=?="}}}) {
    const auto reply = call("echo", R"({"text":"x"})", bad);
    EXPECT_EQ(reply->status, 400) << bad.begin()->first;
    EXPECT_THAT(reply->answer, HasSubstr(R"("id":1,"error":{"code":-32020)")) << bad.begin()->first;
  }
  EXPECT_EQ(call("echo", R"({"text":"x"})", {{"mcp-name", "=?base64?ZWNobw==?="}})->status, 200);
  EXPECT_EQ(host.tools.calls.size(), 1u);
}

TEST_F(ModernHttp, AnnotatedArgumentsMustBeMirrored) {
  EXPECT_THAT(call("region", R"({"region":"eu"})")->answer, HasSubstr("-32020"));
  EXPECT_THAT(call("region", R"({"region":"eu"})", {{"mcp-param-region", "us"}})->answer,
              HasSubstr("-32020"));
  EXPECT_THAT(call("region", R"({"region":"eu"})", {{"mcp-param-region", "eu"}})->answer,
              HasSubstr("in eu"));
  EXPECT_THAT(
      call("region", R"({"region":"eu"})", {{"mcp-param-region", "=?base64?ZXU=?="}})->answer,
      HasSubstr("in eu"));
  EXPECT_EQ(
      call("region", R"({"region":null,"deep":{"count":3}})", {{"mcp-param-count", "3"}})->status,
      200);
  EXPECT_EQ(call("echo", R"({"text":"x"})", {{"mcp-param-other", "x"}})->status, 200);
}

TEST_F(ModernHttp, UnknownAndRemovedMethodsAre404WithABody) {
  for (const std::string method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                                   "resources/unsubscribe", "nonsense"}) {
    const auto reply = peer.post(request(method), fields(method));
    EXPECT_EQ(reply->status, 404) << method;
    EXPECT_THAT(reply->answer, HasSubstr(R"("id":1,"error":{"code":-32601)")) << method;
  }
}

TEST_F(ModernHttp, WrongParamsOfAKnownMethodAre200) {
  EXPECT_EQ(call("absent", "{}")->status, 200);
  EXPECT_THAT(call("absent", "{}")->answer, HasSubstr("-32602"));
  EXPECT_THAT(call("echo", "[]")->answer, HasSubstr("-32602"));
  const auto nameless = peer.post(request("tools/call", R"("arguments":{})"), fields("tools/call"));
  EXPECT_EQ(nameless->status, 200);
  EXPECT_THAT(nameless->answer, HasSubstr("-32602"));
  const auto level = peer.post(
      request("tools/list", "", modern_meta("{}", R"(,"io.modelcontextprotocol/logLevel":"loud")")),
      fields("tools/list"));
  EXPECT_EQ(level->status, 200);
  EXPECT_THAT(level->answer, HasSubstr("-32602"));
}

TEST_F(ModernHttp, BusyIs429AndSaysWhen) {
  const auto reply =
      call("fail", R"({"kind":")" + std::string(to_string(ErrorKind::Unavailable)) + R"("})");
  EXPECT_EQ(reply->status, 429);
  EXPECT_EQ(reply->answer_header("Retry-After"), "1");
  EXPECT_THAT(reply->answer, HasSubstr(R"("id":1,"error")"));
}

TEST_F(ModernHttp, AHostFaultIsAnsweredWithAnIdOnly) {
  const auto reply = call("fail", R"({"kind":"throw"})");
  EXPECT_EQ(reply->status, 200);
  EXPECT_THAT(reply->answer, HasSubstr("-32603"));
  EXPECT_THAT(reply->answer, Not(HasSubstr("it threw")));
}

TEST_F(ModernHttp, ProgressTurnsTheAnswerIntoAStream) {
  const auto reply = call("steps", "{}", {}, modern_meta("{}", R"(,"progressToken":"p")"));
  ASSERT_TRUE(reply->events);
  EXPECT_THAT(reply->events->events,
              ElementsAre(HasSubstr(R"("progress":0)"), HasSubstr(R"("progress":50)"),
                          HasSubstr(R"("progress":100)"), HasSubstr(R"("id":1,"result")")));
  EXPECT_FALSE(reply->events->is_open);
  const auto plain = call("steps", "{}", {{"accept", "application/json"}},
                          modern_meta("{}", R"(,"progressToken":"p")"));
  EXPECT_FALSE(plain->events);
  EXPECT_THAT(plain->answer, HasSubstr("stepped"));
}

TEST_F(ModernHttp, WhoTakesEventsAloneGetsAStream) {
  const auto reply = call("echo", R"({"text":"x"})", {{"accept", "text/event-stream"}});
  ASSERT_TRUE(reply->events);
  EXPECT_EQ(reply->events->events.size(), 1u);
  EXPECT_EQ(call("echo", "{}", {{"accept", "text/html"}})->status, 406);
}

TEST_F(ModernHttp, ADisconnectCancelsTheCall) {
  const auto reply = call("slow", "{}");
  EXPECT_EQ(reply->status, 0);
  reply->disconnect();
  host.loop.drain();  // ends only because the call did
  EXPECT_EQ(host.tools.calls.size(), 1u);
  EXPECT_THAT(reply->answer, Not(HasSubstr("result")));
}

TEST_F(ModernHttp, NotificationsAreTakenAndCheckedLightly) {
  const std::string note =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  EXPECT_EQ(peer.post(note, {{"mcp-protocol-version", "2026-07-28"}})->status, 202);
  EXPECT_EQ(peer.post(note, fields("notifications/cancelled"))->status, 202);
  EXPECT_EQ(peer.post(note, fields("tools/call"))->status, 400);
}

TEST_F(ModernHttp, InitializeWithAModernHeaderIsAMismatch) {
  const auto reply = peer.post(
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28"}})",
      fields("initialize"));
  EXPECT_EQ(reply->status, 400);
  EXPECT_THAT(reply->answer, HasSubstr("-32020"));
}

TEST_F(ModernHttp, ThereIsNothingToGetOrDelete) {
  for (const std::string verb : {"GET", "DELETE", "PUT"}) {
    EXPECT_EQ(peer.send(verb, "", {{"mcp-protocol-version", "2026-07-28"}})->status, 405) << verb;
  }
  auto elsewhere = std::make_shared<test::FakeExchange>();
  elsewhere->target = "/other";
  host.loop.get([](HttpEndpoint& endpoint, test::FakeExchange& exchange) -> awaitable<bool> {
    co_await endpoint.handle(exchange);
    co_return true;
  }(peer.endpoint, *elsewhere));
  EXPECT_EQ(elsewhere->status, 404);
}

std::string listen_params(std::string_view filter) {
  return R"("notifications":)" + std::string(filter);
}

TEST_F(ModernHttp, AListenStreamIsAcknowledgedThenTold) {
  const auto stream =
      peer.post(request("subscriptions/listen", listen_params(R"({"toolsListChanged":true})")),
                fields("subscriptions/listen"));
  const auto deaf =
      peer.post(request("subscriptions/listen", listen_params(R"({"promptsListChanged":false})")),
                fields("subscriptions/listen"));
  host.tell_tools_changed();
  ASSERT_TRUE(stream->events && deaf->events);
  EXPECT_THAT(
      stream->events->events,
      ElementsAre(
          HasSubstr(
              R"("method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":1}})"),
          HasSubstr(
              R"("method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}})")));
  EXPECT_THAT(deaf->events->events, ElementsAre(HasSubstr(R"("notifications":{},)")));
  EXPECT_EQ(host.methods().announcer().listens().size(), 2u);
  stream->disconnect();
  EXPECT_EQ(host.methods().announcer().listens().size(), 1u);
  peer.endpoint.stop();
  EXPECT_THAT(deaf->events->events.back(),
              HasSubstr(R"("id":1,"result":{"resultType":"complete")"));
  EXPECT_FALSE(deaf->events->is_open);
}

TEST_F(ModernHttp, AListenStreamThatFellBehindIsForgotten) {
  const auto stream =
      peer.post(request("subscriptions/listen", listen_params(R"({"toolsListChanged":true})")),
                fields("subscriptions/listen"));
  stream->events->is_open = false;
  host.tell_tools_changed();
  EXPECT_EQ(host.methods().announcer().listens().size(), 0u);
}

TEST_F(ModernHttp, ListenStreamsAreBounded) {
  host.config.limits.subscriptions = 1;
  const std::string listen = request("subscriptions/listen", listen_params("{}"));
  const auto first = peer.post(listen, fields("subscriptions/listen"));
  EXPECT_EQ(peer.post(listen, fields("subscriptions/listen"))->status, 503);
  EXPECT_EQ(peer.post(listen, fields("subscriptions/listen", "", {{"accept", "application/json"}}))
                ->status,
            406);
}

TEST_F(ModernHttp, ListenStreamsAreBoundedByPrincipal) {
  host.config.limits.subscriptions_per_principal = 1;
  const std::string listen = request("subscriptions/listen", listen_params("{}"));
  const auto first = peer.post(listen, fields("subscriptions/listen"));
  const auto refused = peer.post(listen, fields("subscriptions/listen"));
  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(refused->answer_header("Retry-After"), "1");
  EXPECT_THAT(host.refusals, ::testing::ElementsAre("limits.subscriptions_per_principal"));
  const auto other =
      peer.post(listen, fields("subscriptions/listen", "", {{"x-test-principal", "ada"}}));
  EXPECT_EQ(other->status, 200);
  first->disconnect();
  EXPECT_EQ(peer.post(listen, fields("subscriptions/listen"))->status, 200);
}

TEST_F(ModernHttp, AQuestionIsBoundToWhoWasAsked) {
  const std::string meta = modern_meta(R"({"elicitation":{}})");
  const auto question = call("ask", "{}", {{"x-test-principal", "ada"}}, meta);
  EXPECT_EQ(question->status, 200);
  const auto tree = json::parse(question->answer);
  const json::Value* const state = json::at(tree->root(), "/result/requestState");
  ASSERT_NE(state, nullptr) << question->answer;
  const std::string retry =
      meta +
      R"(,"inputResponses":{"who":{"action":"accept","content":{"name":"Ada"}}},"requestState":")" +
      std::string(json::text(*state)) + "\"";
  EXPECT_THAT(call("ask", "{}", {{"x-test-principal", "bob"}}, retry)->answer, HasSubstr("-32602"));
  EXPECT_THAT(call("ask", "{}", {{"x-test-principal", "ada"}}, retry)->answer, HasSubstr("hello"));
}

// A provider can refuse a call until its user has opened URLs.
TEST_F(ModernHttp, ACallContinuesOnlyIfItsToolHadBegunIt) {
  for (const bool begun : {true, false}) {
    std::vector<bool> continues;
    const std::string key = begun ? "who" : "url_1";
    host.tools.add(
        test::declaration("open"),
        [&](tool::Call& call) -> boost::asio::awaitable<test::FakeTools::Answer> {
          continues.push_back(call.continues);
          if (!call.asker->take_resumed().state.empty()) co_return tool::CallResult::text("opened");
          tool::CallResult asks;
          asks.round.emplace();
          asks.round->state = begun ? "s" : std::string(tool::kUnbegun) + "1";
          asks.round->questions.push_back(
              {key, "elicitation/create",
               R"({"message":"Open it","requestedSchema":{"type":"object","properties":{}}})"});
          co_return asks;
        });
    const std::string meta = modern_meta(R"({"elicitation":{}})");
    const auto question = call("open", "{}", {}, meta);
    const auto tree = json::parse(question->answer);
    const json::Value* const state = json::at(tree->root(), "/result/requestState");
    ASSERT_NE(state, nullptr) << question->answer;
    const std::string retry = meta + R"(,"inputResponses":{")" + key +
                              R"(":{"action":"decline"}},"requestState":")" +
                              std::string(json::text(*state)) + "\"";
    EXPECT_THAT(call("open", "{}", {}, retry)->answer, HasSubstr("opened"));
    EXPECT_THAT(continues, ElementsAre(false, begun));
    host.tools.remove("open");
  }
}

TEST_F(ModernHttp, AStateOfAToolThatIsGoneOrChangedSaysWhetherTheToolHadBegun) {
  for (const bool begun : {true, false}) {
    const auto add = [&](const std::string& description) {
      auto declared = test::declaration("open");
      declared.description = description;
      host.tools.add(
          declared, [begun](tool::Call&) -> boost::asio::awaitable<test::FakeTools::Answer> {
            tool::CallResult asks;
            asks.round.emplace();
            asks.round->state = begun ? "s" : std::string(tool::kUnbegun) + "1";
            asks.round->questions.push_back(
                {begun ? "who" : "url_1", "elicitation/create",
                 R"({"message":"?","requestedSchema":{"type":"object","properties":{}}})"});
            co_return asks;
          });
    };
    add("Opens.");
    const std::string meta = modern_meta(R"({"elicitation":{}})");
    const auto tree = json::parse(call("open", "{}", {}, meta)->answer);
    const std::string state(json::text(*json::at(tree->root(), "/result/requestState")));
    const auto again = [&](std::string_view more = {}) {
      return call("open", "{}", {},
                  meta + std::string(more) + R"(,"requestState":")" + state + "\"")
          ->answer;
    };
    const auto part = HasSubstr("may have carried out a part");
    add("Opens and sends.");
    EXPECT_THAT(again(), AllOf(HasSubstr("-32602"), HasSubstr("was changed or removed after")));
    EXPECT_EQ(testing::Value(again(), part), begun);
    host.tools.remove("open");
    EXPECT_THAT(again(), AllOf(HasSubstr("-32602"), HasSubstr("unknown tool"),
                               Not(HasSubstr("requestState"))));
    EXPECT_EQ(testing::Value(again(), part), begun);
    EXPECT_THAT(host.tools.calls, testing::SizeIs(begun ? 1 : 2));
  }
}

TEST_F(ModernHttp, AQuestionOfTheGateBetweenTwoRoundsKeepsTheStateOfTheTool) {
  const std::string form = R"({"message":"?","requestedSchema":{"type":"object","properties":{}}})";
  std::string last;
  int runs = 0;
  host.tools.add(test::declaration("steps"),
                 [&](tool::Call& call) -> boost::asio::awaitable<test::FakeTools::Answer> {
                   call.continuation = call.asker->take_resumed();
                   last = call.continuation.state;
                   tool::CallResult asks;
                   asks.round.emplace();
                   if (++runs == 3) co_return tool::CallResult::text("done");
                   const char* const key = runs == 1 ? "who" : "toolpost.approval.1";
                   if (runs == 1) asks.round->state = "of the tool";
                   asks.round->questions.push_back({key, "elicitation/create", form});
                   co_return asks;
                 });
  const std::string meta = modern_meta(R"({"elicitation":{}})");
  std::string retry = meta;
  for (const char* const key : {"who", "toolpost.approval.1"}) {
    const auto question = call("steps", "{}", {}, retry);
    const auto tree = json::parse(question->answer);
    const json::Value* const state = json::at(tree->root(), "/result/requestState");
    ASSERT_NE(state, nullptr) << question->answer;
    retry = meta + R"(,"inputResponses":{")" + key +
            R"(":{"action":"accept","content":{}}},"requestState":")" +
            std::string(json::text(*state)) + "\"";
  }
  EXPECT_THAT(call("steps", "{}", {}, retry)->answer, HasSubstr("done"));
  EXPECT_EQ(last, "of the tool");
}

// A provider can refuse to begin the call, and be called once more.
TEST_F(ModernHttp, AnswersThatAreSpentTwiceCanBeGivenBack) {
  int runs = 0;
  host.tools.add(
      test::declaration("busy"),
      [&](tool::Call& call) -> boost::asio::awaitable<test::FakeTools::Answer> {
        ++runs;
        if (runs == 1) {
          tool::CallResult asks;
          asks.round.emplace();
          asks.round->questions.push_back(
              {"who", "elicitation/create",
               R"({"message":"?","requestedSchema":{"type":"object","properties":{}}})"});
          co_return asks;
        }
        const auto spent = co_await tool::spend(call.receipts);
        const auto again = co_await tool::spend(call.receipts);
        EXPECT_TRUE(spent && again);
        if (runs == 3) co_return tool::CallResult::text("done");
        co_await tool::give_back(call.receipts);
        co_return tool::CallResult::error("busy");
      });
  const std::string meta = modern_meta(R"({"elicitation":{}})");
  const auto question = call("busy", "{}", {}, meta);
  const auto tree = json::parse(question->answer);
  const json::Value* const state = json::at(tree->root(), "/result/requestState");
  ASSERT_NE(state, nullptr) << question->answer;
  const std::string retry = meta +
                            R"(,"inputResponses":{"who":{"action":"decline"}},"requestState":")" +
                            std::string(json::text(*state)) + "\"";
  EXPECT_THAT(call("busy", "{}", {}, retry)->answer, HasSubstr("busy"));
  EXPECT_THAT(call("busy", "{}", {}, retry)->answer, HasSubstr("done"));
}

// A person approves one run of a call, with all its questions.
TEST_F(ModernHttp, TheAnswerToAQuestionGoesOnUnderTheApprovalOfItsCall) {
  const std::string mark = std::string(tool::kPassedKey) + "1";
  std::vector<bool> approved;
  host.tools.before_cleared = [&](tool::Call& call) {
    approved.push_back(call.continuation.answers.contains(mark));
    call.continuation.answers.emplace(mark, "{}");
    call.ran = true;
  };
  const std::string meta = modern_meta(R"({"elicitation":{}})");
  const auto question = call("ask", "{}", {}, meta);
  const auto tree = json::parse(question->answer);
  const json::Value* const state = json::at(tree->root(), "/result/requestState");
  ASSERT_NE(state, nullptr) << question->answer;
  const std::string again = meta + R"(,"requestState":")" + std::string(json::text(*state)) + "\"";
  const std::string invalid =
      again + R"(,"inputResponses":{"who":{"action":"accept","content":{"name":7}}})";
  for (const std::string& unanswered : {again, invalid}) {
    EXPECT_THAT(call("ask", "{}", {}, unanswered)->answer,
                AllOf(HasSubstr("inputRequests"), HasSubstr(std::string(json::text(*state)))));
  }
  EXPECT_THAT(approved, ElementsAre(false)) << "the call runs only with an answer";
  const std::string answered =
      again + R"(,"inputResponses":{"who":{"action":"accept","content":{"name":"Ada"}}})";
  EXPECT_THAT(call("ask", "{}", {}, answered)->answer, HasSubstr("hello"));
  EXPECT_THAT(approved, ElementsAre(false, true));
}

// A reviewer has changed them, and the client sends its own with each request.
TEST_F(ModernHttp, ACallKeepsTheArgumentsOfItsRunUntilItGoesOn) {
  const std::string key(tool::kRunArguments);
  std::vector<std::string> found;
  host.tools.before_cleared = [&](tool::Call& call) {
    const auto at = call.continuation.answers.find(key);
    found.push_back(at == call.continuation.answers.end() ? "" : at->second);
    call.ran = true;
    call.continuation.answers.insert_or_assign(key, R"({"n":5157})");
  };
  const std::string meta = modern_meta(R"({"elicitation":{}})");
  const auto question = call("ask", "{}", {}, meta);
  EXPECT_THAT(question->answer, Not(HasSubstr("5157")));
  const auto tree = json::parse(question->answer);
  const json::Value* const state = json::at(tree->root(), "/result/requestState");
  ASSERT_NE(state, nullptr) << question->answer;
  const std::string again = meta + R"(,"requestState":")" + std::string(json::text(*state)) + "\"";
  EXPECT_THAT(call("ask", "{}", {}, again)->answer, Not(HasSubstr("5157")));
  const std::string answers =
      R"(,"inputResponses":{"who":{"action":"accept","content":{"name":"Ada"}}})";
  EXPECT_THAT(call("ask", R"({"n":1})", {}, again + answers)->answer, HasSubstr("-32602"))
      << "the state is for the arguments that the client has sent";
  const std::string forged =
      R"(,"inputResponses":{"who":{"action":"accept","content":{"name":"Ada"}},")" + key +
      R"(":{"n":"forged"}})";
  EXPECT_THAT(call("ask", "{}", {}, again + forged)->answer, HasSubstr("hello"));
  EXPECT_THAT(found, ElementsAre("", R"({"n":5157})"));
}

}  // namespace
}  // namespace host::mcp
