#include "mcp/stdio/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session_host.h"

namespace host::mcp {
namespace {

using test::call_text;
using test::LinePeer;
using test::modern_meta;
using test::SessionHost;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kProbe = R"({"jsonrpc":"2.0","id":99,"method":"ping"})";

std::string initialize(std::string_view version, std::string_view capabilities = "{}") {
  return R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
         std::string(version) + R"(","capabilities":)" + std::string(capabilities) +
         R"(,"clientInfo":{"name":"c","version":"1"}}})";
}

class Stdio : public ::testing::Test {
 protected:
  SessionHost host;
  LinePeer peer{host};
};

TEST_F(Stdio, BadLinesAreAnsweredAndTheNextIsServed) {
  for (const std::string line :
       {"{", "nonsense", "{\"a\":\"\xff\"}", R"({"a":1,"a":2})", "1e999"}) {
    EXPECT_THAT(peer.say_one(line), HasSubstr(R"({"jsonrpc":"2.0","error":{"code":-32700)"))
        << line;
  }
  EXPECT_THAT(peer.say_one(std::string(200, '[')), HasSubstr("-32700"));
  for (const std::string line :
       {"{}", "17", "[]", R"({"jsonrpc":"2.0","id":null,"method":"ping"})"}) {
    EXPECT_THAT(peer.say_one(line), HasSubstr("-32600")) << line;
  }
  peer.session->on_overlong_line("nonsense", true);
  EXPECT_THAT(peer.connection.take(), ElementsAre(HasSubstr("-32600")));
  EXPECT_EQ(peer.say_one(kProbe), R"({"jsonrpc":"2.0","id":99,"result":{}})");
  EXPECT_THAT(peer.say(""), IsEmpty());
  EXPECT_THAT(peer.say("\r"), IsEmpty());
}

TEST_F(Stdio, NothingOfABadLineIsCalled) {
  peer.say(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"echo"}})");
  peer.say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":["echo"]})");
  peer.say(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[]}})");
  EXPECT_THAT(host.tools.calls, IsEmpty());
}

TEST_F(Stdio, AbsentArgumentsAreAnEmptyObject) {
  peer.say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps"}})");
  EXPECT_THAT(host.tools.calls, ElementsAre("steps {}"));
}

TEST_F(Stdio, CallsRunSideBySideAndAnswersComeAsTheyEnd) {
  EXPECT_THAT(peer.say(call_text("1", "slow", "{}")), IsEmpty());
  EXPECT_THAT(peer.say_one(call_text("2", "echo", R"({"text":"b"})")), HasSubstr(R"("id":2)"));
  EXPECT_THAT(peer.say_one(kProbe), HasSubstr(R"("id":99)"));
}

TEST_F(Stdio, AnIdUnderWayIsNotTakenTwice) {
  peer.say(call_text("1", "slow", "{}"));
  EXPECT_THAT(peer.say_one(call_text("1", "echo", "{}")), HasSubstr("-32600"));
  EXPECT_THAT(peer.say_one(call_text("\"1\"", "echo", R"({"text":"x"})")),
              HasSubstr(R"("id":"1","result")"));
}

TEST_F(Stdio, ACancelledCallStopsAndIsNotAnswered) {
  peer.say(call_text("1", "slow", "{}"));
  EXPECT_THAT(
      peer.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"),
      IsEmpty());
  EXPECT_THAT(peer.say_one(call_text("1", "echo", R"({"text":"again"})")), HasSubstr("again"));
}

TEST_F(Stdio, ACancelOfNothingIsIgnored) {
  for (const std::string params : {R"({"requestId":5})", R"({"requestId":null})", "{}"}) {
    EXPECT_THAT(
        peer.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)" + params + "}"),
        IsEmpty());
  }
  EXPECT_THAT(peer.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})"), IsEmpty());
}

TEST_F(Stdio, ThreeKindsOfFailureAreKeptApart) {
  peer.say(initialize("2025-11-25"));
  const auto fail = [&](std::string_view kind) {
    return peer.say_one(call_text("1", "fail", R"({"kind":")" + std::string(kind) + R"("})"));
  };
  EXPECT_THAT(fail("result"), HasSubstr(R"("isError":true)"));
  EXPECT_THAT(fail(to_string(ErrorKind::Denied)), HasSubstr(R"("isError":true)"));
  EXPECT_THAT(fail(to_string(ErrorKind::PluginFault)), HasSubstr(R"("isError":true)"));
  EXPECT_THAT(fail(to_string(ErrorKind::Unavailable)), HasSubstr(R"("isError":true)"));
  EXPECT_THAT(fail(to_string(ErrorKind::NotFound)), HasSubstr("-32602"));
  for (const std::string_view kind : {"internal", "throw"}) {
    EXPECT_THAT(fail(kind), HasSubstr("-32603"));
    EXPECT_THAT(fail(kind), Not(HasSubstr("secret")));
    EXPECT_THAT(fail(kind), Not(HasSubstr("it threw")));
  }
  EXPECT_THAT(peer.say_one(call_text("1", "absent", "{}")), HasSubstr("-32602"));
}

TEST_F(Stdio, ATimeoutIsToldByTheProtocol) {
  const std::string arguments =
      R"({"kind":")" + std::string(to_string(ErrorKind::DeadlineExceeded)) + R"("})";
  const std::string legacy = call_text("1", "fail", arguments);
  const std::string modern = call_text("1", "fail", arguments, modern_meta());
  EXPECT_THAT(peer.say_one(legacy), HasSubstr(R"("code":-32003,"message":"Agent reply timeout")"));
  EXPECT_THAT(peer.say_one(modern), HasSubstr(R"("isError":true)"));
  host.config.call.timeout_error = "result";
  EXPECT_THAT(LinePeer(host).say_one(legacy), HasSubstr(R"("isError":true)"));
  host.config.call.timeout_error = "rpc-error";
  EXPECT_THAT(peer.say_one(modern), HasSubstr("-32003"));
}

TEST_F(Stdio, ProgressOnlyIncreasesAndEndsWithTheCall) {
  peer.say(initialize("2025-06-18"));
  const auto lines = peer.say(call_text("1", "steps", "{}", R"(,"_meta":{"progressToken":"t"})"));
  EXPECT_THAT(lines, ElementsAre(HasSubstr(R"("progressToken":"t","progress":0,"total":100)"),
                                 HasSubstr(R"("progress":50,)"), HasSubstr(R"("progress":100,)"),
                                 HasSubstr("stepped")));
  EXPECT_EQ(peer.say(call_text("2", "steps", "{}")).size(), 1u);  // nobody asked for it
  EXPECT_THAT(peer.say_one(call_text("3", "steps", "{}", R"(,"_meta":{"progressToken":{}})")),
              HasSubstr("-32602"));
}

TEST_F(Stdio, InitializeAgreesOnALegacyVersionOnly) {
  EXPECT_THAT(LinePeer(host).say_one(initialize("2025-06-18")),
              HasSubstr(R"("protocolVersion":"2025-06-18")"));
  EXPECT_THAT(LinePeer(host).say_one(initialize("2026-07-28")),
              HasSubstr(R"("protocolVersion":"2025-11-25")"));
  EXPECT_THAT(LinePeer(host).say_one(initialize("1999-01-01")),
              HasSubstr(R"("protocolVersion":"2025-11-25")"));
  EXPECT_THAT(peer.say_one(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})"),
              HasSubstr("-32602"));
  peer.say(initialize("2025-11-25"));
  EXPECT_THAT(peer.say_one(initialize("2025-11-25")), HasSubstr("-32600"));
}

TEST_F(Stdio, CapabilitiesSayWhatIsServed) {
  const auto hello = json::parse(peer.say_one(initialize("2025-11-25")));
  const json::Value* const declared = json::at(hello->root(), "/result/capabilities");
  ASSERT_NE(declared, nullptr);
  const std::map<std::string, std::string> methods = {
      {"tools", "tools/list"},         {"resources", "resources/list"},
      {"prompts", "prompts/list"},     {"completions", "completion/complete"},
      {"experimental", "skills/list"}, {"logging", "logging/setLevel"}};
  EXPECT_EQ(declared->MemberCount(), methods.size());
  for (const auto& [capability, method] : methods) {
    EXPECT_NE(json::find(*declared, capability), nullptr) << capability;
    EXPECT_THAT(peer.say_one(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"("})"),
                Not(HasSubstr("-32601")))
        << method;
  }
}

TEST_F(Stdio, InstructionsAreAskedForAnew) {
  host.instructions = "first";
  EXPECT_THAT(LinePeer(host).say_one(initialize("2025-11-25")),
              HasSubstr(R"("instructions":"first")"));
  host.instructions = "second";
  EXPECT_THAT(LinePeer(host).say_one(initialize("2025-11-25")),
              HasSubstr(R"("instructions":"second")"));
}

TEST_F(Stdio, BothErasAreServedOnOneConnection) {
  peer.say(initialize("2025-11-25"));
  const std::string modern = peer.say_one(call_text("1", "echo", R"({"text":"m"})", modern_meta()));
  EXPECT_THAT(modern, HasSubstr(R"("resultType":"complete")"));
  const std::string legacy = peer.say_one(call_text("1", "echo", R"({"text":"l"})"));
  EXPECT_THAT(legacy, Not(HasSubstr("resultType")));
}

TEST_F(Stdio, DiscoverDoesNotBarTheWayBackToInitialize) {
  const std::string discover = R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{)" +
                               modern_meta().substr(1) + "}}";
  EXPECT_THAT(peer.say_one(discover), HasSubstr(R"("supportedVersions":["2026-07-28"])"));
  EXPECT_THAT(peer.say_one(initialize("2025-11-25")), HasSubstr("protocolVersion"));
}

TEST_F(Stdio, AfterAClaimInitializeIsToldWhatIsSpoken) {
  peer.say(call_text("1", "echo", R"({"text":"m"})", modern_meta()));
  EXPECT_THAT(peer.say_one(initialize("2025-11-25")), HasSubstr(R"("code":-32022)"));
  EXPECT_THAT(peer.say_one(initialize("2026-07-28")), HasSubstr(R"("code":-32022)"));
  EXPECT_THAT(peer.say_one(call_text("2", "echo", "{}")), HasSubstr("protocolVersion"));
}

TEST_F(Stdio, AClaimIsCheckedBeforeAnythingElse) {
  EXPECT_THAT(peer.say_one(call_text("1", "echo", "{}", modern_meta("{}", "", "1900-01-01"))),
              HasSubstr(R"("data":{"supported":["2026-07-28"],"requested":"1900-01-01"})"));
  EXPECT_THAT(peer.say_one(call_text("1", "echo", "{}", modern_meta("[]"))), HasSubstr("-32602"));
  for (const std::string method :
       {"initialize", "ping", "logging/setLevel", "resources/subscribe", "nonsense"}) {
    EXPECT_THAT(peer.say_one(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" +
                             modern_meta().substr(1) + "}}"),
                HasSubstr("-32601"))
        << method;
  }
  EXPECT_THAT(host.tools.calls, IsEmpty());
}

TEST_F(Stdio, WithoutBareCallsInitializeComesFirst) {
  SessionHost strict([](config::Config& config) { config.mcp.bare_calls = false; });
  LinePeer client(strict);
  EXPECT_THAT(client.say_one(call_text("1", "echo", "{}")), HasSubstr("-32600"));
  EXPECT_THAT(client.say_one(kProbe), HasSubstr("result"));
}

TEST_F(Stdio, ListsComeInPagesAndCursorsCannotBeMadeUp) {
  SessionHost paged([](config::Config& config) { config.limits.page_size = 4; });
  LinePeer client(paged);
  std::string cursor;
  std::size_t tools = 0;
  int pages = 0;
  do {
    const std::string params = cursor.empty() ? "{}" : R"({"cursor":")" + cursor + R"("})";
    const auto page = json::parse(client.say_one(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":)" + params + "}"));
    const json::Value* const result = json::find(page->root(), "result");
    tools += json::find(*result, "tools")->Size();
    cursor = json::find_text(*result, "nextCursor");
    ++pages;
  } while (!cursor.empty() && pages < 10);
  EXPECT_EQ(tools, paged.tools.list({}).tools.size());
  EXPECT_EQ(pages, 3);
  for (const std::string bad : {R"("x")", R"("")", "5", R"("v1.c2xvdw.AAAA")"}) {
    EXPECT_THAT(
        client.say_one(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":)" +
                       bad + "}}"),
        HasSubstr("-32602"));
  }
}

TEST_F(Stdio, BatchesBelongToOneVersion) {
  const std::string batch =
      "[" + call_text("1", "echo", R"({"text":"a"})") + "," + std::string(kProbe) +
      R"(,{"jsonrpc":"2.0","method":"notifications/initialized"},7,)" + initialize("2025-03-26") +
      "," + call_text("2", "absent", "{}", modern_meta()) + "]";
  EXPECT_THAT(peer.say_one(batch), HasSubstr("-32600"));  // before initialize
  peer.say(initialize("2025-03-26"));
  const auto answers = json::parse(peer.say_one(batch));
  ASSERT_TRUE(answers);
  EXPECT_EQ(answers->root().Size(), 5u);
  EXPECT_THAT(peer.say_one("[]"), HasSubstr("-32600"));
  EXPECT_THAT(peer.say(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])"), IsEmpty());
  std::string many = "[" + std::string(kProbe);
  for (std::size_t i = 0; i < kBatchMembers; ++i) many += "," + std::string(kProbe);
  EXPECT_THAT(peer.say_one(many + "]"), HasSubstr("at most 100"));
  LinePeer newer(host);
  newer.say(initialize("2025-06-18"));
  EXPECT_THAT(newer.say_one("[" + std::string(kProbe) + "]"), HasSubstr("-32600"));
}

TEST_F(Stdio, ABatchIsAnsweredWhenItsLastCallEnds) {
  peer.say(initialize("2025-03-26"));
  EXPECT_THAT(peer.say("[" + call_text("1", "slow", "{}") + "," + std::string(kProbe) + "]"),
              IsEmpty());
  EXPECT_EQ(peer.say_one(
                R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"),
            R"([{"jsonrpc":"2.0","id":99,"result":{}}])");
}

TEST_F(Stdio, ListChangesReachInitializedPeersAndListeners) {
  host.tell_tools_changed();
  EXPECT_THAT(peer.connection.take(), IsEmpty());
  peer.say(initialize("2025-06-18"));
  peer.say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  host.tell_tools_changed();
  EXPECT_THAT(peer.connection.take(),
              ElementsAre(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"));
}

std::string listen(std::string_view id, std::string_view notifications) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"method":"subscriptions/listen","params":{"notifications":)" +
         std::string(notifications) + modern_meta() + "}}";
}

TEST_F(Stdio, AListenerIsAcknowledgedThenToldUnderItsOwnId) {
  EXPECT_EQ(
      peer.say_one(listen("\"L\"", R"({"toolsListChanged":true,"promptsListChanged":true})")),
      R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":)"
      R"({"toolsListChanged":true,"promptsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}})");
  EXPECT_THAT(peer.say_one(listen("8", "{}")), HasSubstr(R"("notifications":{},)"));
  host.tell_tools_changed();
  EXPECT_THAT(
      peer.connection.take(),
      ElementsAre(
          R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":)"
          R"({"io.modelcontextprotocol/subscriptionId":"L"}}})"));
  EXPECT_THAT(
      peer.say(
          R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"L"}})"),
      IsEmpty());
  host.tell_tools_changed();
  EXPECT_THAT(peer.connection.take(), IsEmpty());
}

TEST_F(Stdio, ListenIsCheckedAndBounded) {
  host.config.limits.subscriptions = 2;
  for (const std::string bad : {"[]", "null", R"({"toolsListChanged":1})"}) {
    EXPECT_THAT(peer.say_one(listen("1", bad)), HasSubstr("-32602"));
  }
  peer.say(listen("1", "{}"));
  EXPECT_THAT(peer.say_one(listen("1", "{}")), HasSubstr("-32600"));
  peer.say(listen("2", "{}"));
  EXPECT_THAT(peer.say_one(listen("3", "{}")), HasSubstr("too many subscriptions"));
}

TEST_F(Stdio, AStoppingHostEndsItsListeners) {
  peer.say(listen("5", R"({"toolsListChanged":true})"));
  peer.session->stop();
  EXPECT_THAT(peer.connection.take(),
              ElementsAre(HasSubstr(R"("id":5,"result":{"resultType":"complete")"),
                          HasSubstr(R"("requestId":5)")));
  EXPECT_TRUE(peer.connection.closed);
  EXPECT_TRUE(peer.over);
}

TEST_F(Stdio, ALegacyClientIsAskedOnItsConnection) {
  peer.say(initialize("2025-06-18", R"({"elicitation":{}})"));
  const std::string question = peer.say_one(call_text("1", "ask", "{}"));
  EXPECT_EQ(
      question,
      R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Your name?",)"
      R"("requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}})");
  EXPECT_THAT(peer.say(R"({"jsonrpc":"2.0","id":2,"result":{"action":"accept"}})"),
              IsEmpty());  // no such question
  EXPECT_THAT(
      peer.say_one(
          R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ada"}}})"),
      HasSubstr(R"(hello {\"name\":\"Ada\"})"));
  EXPECT_THAT(peer.say(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})"),
              IsEmpty());  // a second time
}

TEST_F(Stdio, ALegacyNoAndNonsenseAreNoYes) {
  peer.say(initialize("2025-11-25", R"({"elicitation":{"form":{}}})"));
  int id = 0;
  for (const std::string outcome :
       {R"("result":{"action":"decline"})", R"("result":{"action":"yes"})", R"("result":7)",
        R"("result":{"action":"accept","content":3})",
        R"("error":{"code":-32601,"message":"no"})"}) {
    EXPECT_THAT(peer.say_one(call_text("1", "ask", "{}")), HasSubstr(R"("mode":"form")"));
    EXPECT_THAT(
        peer.say_one(R"({"jsonrpc":"2.0","id":)" + std::to_string(++id) + "," + outcome + "}"),
        HasSubstr("no name given"))
        << outcome;
  }
}

TEST_F(Stdio, WhoCannotShowFormsIsNotAsked) {
  peer.say(initialize("2025-06-18"));
  EXPECT_THAT(peer.say_one(call_text("1", "ask", "{}")), HasSubstr("nobody to ask"));
  LinePeer old(host);
  old.say(initialize("2025-03-26", R"({"elicitation":{}})"));
  EXPECT_THAT(old.say_one(call_text("1", "ask", "{}")), HasSubstr("nobody to ask"));
}

TEST_F(Stdio, ACancelledQuestionIsTakenBack) {
  peer.say(initialize("2025-06-18", R"({"elicitation":{}})"));
  peer.say(call_text("7", "ask", "{}"));
  EXPECT_THAT(
      peer.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})"),
      ElementsAre(HasSubstr(R"("method":"notifications/cancelled","params":{"requestId":1)")));
}

TEST_F(Stdio, AnUnansweredQuestionEnds) {
  SessionHost hasty;
  hasty.question_lifetime = std::chrono::milliseconds(1);
  LinePeer client(hasty);
  client.say(initialize("2025-06-18", R"({"elicitation":{}})"));
  auto told = client.say(call_text("7", "ask", "{}"));  // on a slow machine its end is among it
  hasty.loop.drain();
  for (auto& line : client.connection.take()) told.push_back(std::move(line));
  EXPECT_THAT(told.back(), HasSubstr("no name given"));
}

TEST_F(Stdio, AfterTheEndWhatRunsIsAnsweredThenItCloses) {
  peer.say(initialize("2025-06-18", R"({"elicitation":{}})"));
  peer.say(call_text("1", "ask", "{}"));
  peer.session->on_end();  // nobody will answer the question
  EXPECT_FALSE(peer.over);
  host.loop.turn();
  EXPECT_TRUE(peer.over);
  EXPECT_TRUE(peer.connection.closed);
  EXPECT_THAT(peer.connection.take(), ElementsAre(HasSubstr(R"("isError":true)")));
  EXPECT_THAT(peer.say(kProbe), IsEmpty());
}

TEST_F(Stdio, WhatDoesNotEndIsCancelledAfterTheGrace) {
  host.config.call.grace = std::chrono::milliseconds(1);
  peer.say(call_text("1", "slow", "{}"));
  peer.session->on_end();
  host.loop.turn();
  host.loop.drain();
  EXPECT_TRUE(peer.over);
}

// Questions of the stateless version.

class StatelessQuestion : public Stdio {
 protected:
  std::string ask(std::string_view arguments = "{}", std::string_view more = {},
                  std::string_view tool = "ask") {
    return peer.say_one(
        call_text("1", tool, arguments, modern_meta(R"({"elicitation":{}})") + std::string(more)));
  }
  std::string state_of(const std::string& answer) {
    const auto tree = json::parse(answer);
    const json::Value* const state = json::at(tree->root(), "/result/requestState");
    return state ? std::string(json::text(*state)) : "(none: " + answer + ")";
  }
  std::string with(
      const std::string& state,
      std::string_view responses = R"({"who":{"action":"accept","content":{"name":"Ada"}}})") {
    return R"(,"requestState":")" + state + R"(","inputResponses":)" + std::string(responses);
  }
};

TEST_F(StatelessQuestion, IsTheResultAndItsAnswerComesWithTheNextCall) {
  const std::string question = ask();
  EXPECT_THAT(
      question,
      HasSubstr(
          R"("resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create")"));
  EXPECT_THAT(ask("{}", with(state_of(question))), HasSubstr(R"(hello {\"name\":\"Ada\"})"));
}

TEST_F(StatelessQuestion, AnAnswerIsGoodOnce) {
  const std::string state = state_of(ask());
  EXPECT_THAT(ask("{}", with(state)), HasSubstr("hello"));
  EXPECT_THAT(ask("{}", with(state)), HasSubstr("-32602"));
}

TEST_F(StatelessQuestion, AnAlteredStateIsRefusedAtEveryByte) {
  const std::string state = state_of(ask());
  for (std::size_t i = 0; i < state.size(); ++i) {
    std::string altered = state;
    altered[i] = altered[i] == 'A' ? 'B' : 'A';
    EXPECT_THAT(ask("{}", with(altered)), HasSubstr("-32602")) << i;
  }
  EXPECT_THAT(ask("{}", with("")),
              testing::AnyOf(HasSubstr("-32602"), HasSubstr("input_required")));
  EXPECT_THAT(ask("{}", R"(,"requestState":7)"), HasSubstr("-32602"));
}

TEST_F(StatelessQuestion, AStateIsGoodForItsOwnCallOnly) {
  host.tools.add(test::declaration("ask2"),
                 [](tool::Call&) -> boost::asio::awaitable<test::FakeTools::Answer> {
                   co_return tool::CallResult::text("ran");
                 });
  const std::string state = state_of(ask());
  EXPECT_THAT(ask(R"({"a":1})", with(state)), HasSubstr("-32602"));
  EXPECT_THAT(ask("{}", with(state), "ask2"), HasSubstr("-32602"));
  EXPECT_THAT(ask("{}", with(state)), HasSubstr("hello"));
}

TEST_F(StatelessQuestion, AStateIsGoodForOneDefinitionOnlyAlsoOfAToolThatAnotherOneCalls) {
  host.tools.add(test::declaration("call_tool"), host.tools.act_of("ask"));
  auto inner = test::declaration("save");
  const auto replace = [&](std::string description) {
    inner.description = std::move(description);
    host.tools.add(inner, host.tools.act_of("ask"));
  };
  replace("Saves a file.");
  for (const std::string tool : {"save", "call_tool"}) {
    const std::string state = state_of(ask(R"({"name":"save"})", {}, tool));
    replace("Sends a file to " + tool);
    EXPECT_THAT(ask(R"({"name":"save"})", with(state), tool), HasSubstr("-32602")) << tool;
    const std::string next = state_of(ask(R"({"name":"save"})", {}, tool));
    EXPECT_THAT(ask(R"({"name":"save"})", with(next), tool), HasSubstr("hello")) << tool;
  }
}

TEST_F(StatelessQuestion, AStateExpires) {
  const std::string state = state_of(ask());
  host.clock.advance(std::chrono::seconds(301));
  EXPECT_THAT(ask("{}", with(state)), HasSubstr("-32602"));
}

TEST_F(StatelessQuestion, AMissingAnswerIsAskedForAgain) {
  const std::string state = state_of(ask());
  EXPECT_THAT(ask("{}", with(state, R"({"other":{"action":"accept"}})")),
              HasSubstr("input_required"));
  EXPECT_THAT(ask("{}", R"(,"requestState":")" + state + "\""), HasSubstr("input_required"));
  EXPECT_THAT(ask("{}", R"(,"inputResponses":{"who":{"action":"accept"}})"),
              HasSubstr("input_required"));
}

TEST_F(StatelessQuestion, AMalformedAnswerIsRefused) {
  const std::string state = state_of(ask());
  EXPECT_THAT(ask("{}", with(state, "[]")), HasSubstr("-32602"));
  EXPECT_THAT(ask("{}", with(state, R"({"who":{"action":"yes"}})")), HasSubstr("-32602"));
  EXPECT_THAT(ask("{}", with(state, R"({"who":7})")), HasSubstr("-32602"));
  EXPECT_THAT(ask("{}", with(state, R"({"who":{"action":"decline"}})")),
              HasSubstr("no name given"));
}

TEST_F(StatelessQuestion, IsNotPutToWhoCannotShowIt) {
  EXPECT_THAT(peer.say_one(call_text("1", "ask", "{}", modern_meta())), HasSubstr("nobody to ask"));
}

}  // namespace
}  // namespace host::mcp
