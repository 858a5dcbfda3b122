#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/http/endpoint.h"
#include "mcp/peer/one_shot.h"
#include "support/session_host.h"

namespace host::mcp {
namespace {

using test::call_text;
using test::HttpPeer;
using test::SessionHost;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kList = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":9,"method":"ping"})";

class LegacyHttp : public ::testing::Test {
 protected:
  using Fields = HttpPeer::Fields;
  static Fields with(Fields fields, Fields more) {
    for (auto& [name, value] : more) fields[name] = value;
    return fields;
  }
  SessionHost host;
  HttpPeer peer{host};
};

TEST_F(LegacyHttp, InitializeOpensASessionWithAnIdThatNobodyGuesses) {
  const auto first = peer.open("2025-11-25");
  const auto second = peer.open("2025-11-25");
  EXPECT_GE(first.at("mcp-session-id").size(), 22u);
  EXPECT_NE(first.at("mcp-session-id"), second.at("mcp-session-id"));
  EXPECT_EQ(peer.endpoint.sessions(), 2u);
  EXPECT_EQ(peer.post(std::string(kList), first)->status, 200);
}

TEST_F(LegacyHttp, AFailedInitializeOpensNone) {
  const auto reply = peer.post(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})");
  EXPECT_THAT(reply->answer, HasSubstr("-32602"));
  EXPECT_EQ(peer.endpoint.sessions(), 0u);
}

TEST_F(LegacyHttp, ASessionIsInitializedOnce) {
  const auto session = peer.open("2025-06-18");
  const auto again = peer.post(
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})",
      session);
  EXPECT_EQ(again->status, 400);
  EXPECT_THAT(again->answer, HasSubstr("-32600"));
}

TEST_F(LegacyHttp, MissingUnknownAndForeignSessionsAreRefused) {
  const auto session = peer.open("2025-11-25");
  EXPECT_EQ(peer.post(std::string(kList), {{"mcp-protocol-version", "2025-11-25"}})->status, 400);
  const auto unknown = peer.post(std::string(kList), {{"mcp-session-id", "nobody"}});
  EXPECT_EQ(unknown->status, 404);
  EXPECT_THAT(unknown->answer,
              HasSubstr(R"("id":1,"error":{"code":-32001,"message":"Session not found")"));
  const auto foreign = peer.post(std::string(kList), with(session, {{"x-test-principal", "bob"}}));
  EXPECT_EQ(foreign->status, 404);
  EXPECT_EQ(foreign->answer, unknown->answer);
  EXPECT_EQ(peer.post(std::string(kList), session)->status, 200);
}

TEST_F(LegacyHttp, AVersionThatDoesNotExistIs400) {
  const auto session = peer.open("2025-11-25");
  EXPECT_EQ(peer.post(std::string(kList), with(session, {{"mcp-protocol-version", "v9"}}))->status,
            400);
  EXPECT_EQ(peer.post(std::string(kList), with(session, {{"mcp-protocol-version", "-"}}))->status,
            200);
}

TEST_F(LegacyHttp, NotificationsAndResponsesAreAccepted) {
  const auto session = peer.open("2025-11-25");
  const auto note = peer.post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", session);
  EXPECT_EQ(note->status, 202);
  EXPECT_EQ(note->answer, "");
  EXPECT_EQ(peer.post(R"({"jsonrpc":"2.0","id":77,"result":{}})", session)->status, 202);
  EXPECT_EQ(peer.post(R"({"jsonrpc":"2.0","id":77,"result":{}})")->status, 400);
}

TEST_F(LegacyHttp, PingAndUnknownMethods) {
  const auto session = peer.open("2025-11-25");
  EXPECT_EQ(peer.post(std::string(kPing), session)->answer,
            R"({"jsonrpc":"2.0","id":9,"result":{}})");
  const auto unknown = peer.post(R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})", session);
  EXPECT_EQ(unknown->status, 200);
  EXPECT_THAT(unknown->answer, HasSubstr("-32601"));
}

TEST_F(LegacyHttp, DeleteEndsTheSessionAndItsCalls) {
  const auto session = peer.open("2025-11-25");
  const auto slow = peer.post(call_text("1", "slow", "{}"), session);
  EXPECT_EQ(slow->status, 0);
  EXPECT_EQ(peer.send("DELETE", "", session)->status, 200);
  host.loop.turn();
  EXPECT_THAT(slow->answer, HasSubstr("cancelled"));
  EXPECT_EQ(peer.post(std::string(kList), session)->status, 404);
  EXPECT_EQ(peer.send("DELETE", "", session)->status, 404);
  EXPECT_EQ(peer.send("DELETE", "")->status, 400);
}

TEST_F(LegacyHttp, ASessionThatIsUsedElsewhereIsNotIdle) {
  const auto used = peer.open("2025-11-25");
  const auto idle = peer.open("2025-11-25");
  for (int times = 0; times < 3; ++times) {
    host.clock.advance(std::chrono::minutes(20));
    peer.endpoint.session_used(used.at("mcp-session-id"));
    peer.open("2025-11-25");  // ends what is idle
  }
  EXPECT_EQ(peer.post(std::string(kPing), used)->status, 200);
  EXPECT_EQ(peer.post(std::string(kPing), idle)->status, 404);
}

// What can be fetched is in resumption_test.cpp.
TEST_F(LegacyHttp, ADisconnectCancelsWhatNobodyCanFetch) {
  const auto session = peer.open("2025-11-25");
  const auto slow = peer.post(call_text("1", "slow", "{}"), session);
  host.loop.turn();
  EXPECT_EQ(slow->status, 0);  // it runs
  slow->disconnect();
  host.loop.turn();
  EXPECT_NE(slow->status, 0);
  EXPECT_EQ(peer.post(call_text("1", "echo", "{}"), session)->status, 200);  // its id is free
}

TEST_F(LegacyHttp, ACancelEndsItsCall) {
  const auto session = peer.open("2025-11-25");
  const auto slow = peer.post(call_text("1", "slow", "{}"), session);
  host.loop.turn();
  EXPECT_EQ(slow->status, 0);  // it runs
  EXPECT_EQ(
      peer.post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
                session)
          ->status,
      202);
  host.loop.turn();
  EXPECT_NE(slow->status, 0);
}

TEST_F(LegacyHttp, ACancelReachesItsOwnSessionOnly) {
  const auto mine = peer.open("2025-11-25");
  const auto other = peer.open("2025-11-25");
  const auto slow = peer.post(call_text("1", "slow", "{}"), mine);
  peer.post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
            other);
  host.loop.turn();
  EXPECT_EQ(slow->status, 0);
  EXPECT_EQ(peer.post(call_text("1", "echo", "{}"), mine)->status, 400);  // the id is under way
}

TEST_F(LegacyHttp, ASessionHasOneStreamAndItCarriesListChanges) {
  const auto session = peer.open("2025-06-18");
  EXPECT_EQ(peer.send("GET", "", with(session, {{"accept", "application/json"}}))->status, 406);
  EXPECT_EQ(peer.send("GET", "")->status, 400);
  const auto stream = peer.send("GET", "", session);
  ASSERT_TRUE(stream->events);
  EXPECT_EQ(peer.send("GET", "", session)->status, 409);
  host.tell_tools_changed();
  EXPECT_THAT(stream->events->events,
              ElementsAre(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"));
  stream->disconnect();
  const auto next = peer.send("GET", "", session);
  ASSERT_TRUE(next->events);
  host.tell_tools_changed();
  EXPECT_EQ(stream->events->events.size(), 1u);
  EXPECT_EQ(next->events->events.size(), 1u);
  peer.send("DELETE", "", session);
  EXPECT_FALSE(next->events->is_open);
}

TEST_F(LegacyHttp, StreamsOfSessionsAreBoundedByPrincipalAndGiveTheirPlacesBack) {
  host.config.limits.subscriptions_per_principal = 1;
  const auto one = peer.open("2025-06-18");
  const auto other = peer.open("2025-06-18");
  const auto stream = peer.send("GET", "", one);
  ASSERT_TRUE(stream->events);
  const auto refused = peer.send("GET", "", other);
  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(refused->answer_header("Retry-After"), "1");
  EXPECT_THAT(host.refusals, ElementsAre("limits.subscriptions_per_principal"));
  stream->disconnect();
  const auto next = peer.send("GET", "", other);
  ASSERT_TRUE(next->events);
  EXPECT_EQ(peer.send("GET", "", one)->status, 429);
  peer.send("DELETE", "", other);
  EXPECT_TRUE(peer.send("GET", "", one)->events);
}

TEST_F(LegacyHttp, AClientIsAskedOnTheStreamOfItsCall) {
  const auto session = peer.open("2025-06-18", R"({"elicitation":{}})");
  const auto other = peer.open("2025-06-18", R"({"elicitation":{}})");
  const auto call = peer.post(call_text("1", "ask", "{}"), session);
  ASSERT_TRUE(call->events);
  EXPECT_THAT(call->events->events,
              ElementsAre(HasSubstr(R"("id":1,"method":"elicitation/create")")));
  const std::string answer =
      R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ada"}}})";
  EXPECT_EQ(peer.post(answer, other)->status, 202);
  host.loop.turn();
  EXPECT_EQ(call->events->events.size(), 1u);  // another session's answer is nobody's
  EXPECT_EQ(peer.post(answer, session)->status, 202);
  host.loop.turn();
  EXPECT_THAT(call->events->events.back(), HasSubstr("hello"));
  EXPECT_FALSE(call->events->is_open);
}

// They hold no connection and no slot, and each keeps its whole request.
TEST_F(LegacyHttp, CallsThatAskAClientThatIsAwayAreBounded) {
  SessionHost small([](config::Config& config) {
    config.limits.connections_per_principal = 1;
    config.limits.running_per_principal = 1;
    config.limits.queued_per_principal = 1;
  });
  HttpPeer client{small};
  const auto session = client.open("2025-06-18", R"({"elicitation":{}})");
  const auto ask = [&](int id) {
    const auto call = client.post(call_text(std::to_string(id), "ask", "{}"), session);
    if (call->events) call->disconnect();
    return call->status;
  };
  for (int id = 1; id <= 3; ++id) EXPECT_EQ(ask(id), 200);
  EXPECT_EQ(ask(4), 429);
  EXPECT_THAT(small.refusals, ElementsAre("limits.connections_per_principal"));
  client.post(R"({"jsonrpc":"2.0","id":1,"result":{"action":"cancel"}})", session);
  small.loop.turn();
  EXPECT_EQ(ask(5), 200);
}

TEST_F(LegacyHttp, AnArrayOfLargeAnswersIsBounded) {
  SessionHost small([](config::Config& config) { config.limits.result_bytes = 1'000; });
  HttpPeer client{small};
  const std::string large = R"({"text":")" + std::string(600, 'x') + "\"}";
  const auto answers =
      client.post("[" + call_text("1", "echo", large) + "," + call_text("2", "echo", large) + "," +
                      call_text("3", "echo", R"({"text":"small"})") + "]",
                  client.open("2025-03-26"));
  EXPECT_LT(answers->answer.size(), 1'500u);
  const auto tree = json::parse(answers->answer);
  ASSERT_EQ(tree->root().Size(), 3u);
  EXPECT_TRUE(json::find(tree->root()[0], "result"));
  EXPECT_THAT(json::write(tree->root()[1]),
              testing::AllOf(HasSubstr(R"("id":2)"), HasSubstr("limits.result_bytes")));
  EXPECT_TRUE(json::find(tree->root()[2], "result"));
}

TEST_F(LegacyHttp, AFullArrayKeepsAnswersThatAreSmallerThanAnError) {
  SessionHost small([](config::Config& config) { config.limits.result_bytes = 1'000; });
  HttpPeer client{small};
  const std::string large = R"({"text":")" + std::string(990, 'x') + "\"}";
  const auto answers = client.post(
      "[" + call_text("1", "echo", large) + R"(,{"jsonrpc":"2.0","id":2,"method":"ping"},)" +
          call_text("3", "nothing", "{}") + "," + call_text("4", "echo", large) + "]",
      client.open("2025-03-26"));
  const auto tree = json::parse(answers->answer);
  ASSERT_EQ(tree->root().Size(), 4u);
  EXPECT_TRUE(json::find(tree->root()[1], "result"));
  EXPECT_THAT(json::write(tree->root()[2]), HasSubstr("-32602"));
  EXPECT_THAT(json::write(tree->root()[3]), HasSubstr("limits.result_bytes"));
}

TEST_F(LegacyHttp, WhoTakesNoEventsIsNotAsked) {
  const auto session = peer.open("2025-06-18", R"({"elicitation":{}})");
  const auto call =
      peer.post(call_text("1", "ask", "{}"), with(session, {{"accept", "application/json"}}));
  EXPECT_THAT(call->answer, HasSubstr("nobody to ask"));
}

TEST_F(LegacyHttp, ACallOfABatchHasTheCodeAndTheAddressOfItsRequest) {
  std::vector<std::string> seen;
  host.tools.add(test::declaration("tell"),
                 [&](tool::Call& call) -> boost::asio::awaitable<test::FakeTools::Answer> {
                   seen.push_back(call.code + " of " + call.passport->remote);
                   co_return tool::CallResult::text("told");
                 });
  const auto session = with(peer.open("2025-03-26"), {{"x-toolpost-totp", "123456"}});
  const std::string one = call_text("1", "tell", "{}");
  EXPECT_EQ(peer.post(one, session)->status, 200);
  EXPECT_EQ(peer.post("[" + one + "]", session)->status, 200);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_THAT(seen.front(), testing::StartsWith("123456 of 1"));
  EXPECT_EQ(seen.front(), seen.back());
}

TEST_F(LegacyHttp, BatchesBelongToSessionsOfOneVersion) {
  const std::string batch =
      "[" + call_text("1", "echo", R"({"text":"a"})") + "," + std::string(kPing) + ",7]";
  const auto session = peer.open("2025-03-26");
  const auto reply = peer.post(batch, session);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(json::parse(reply->answer)->root().Size(), 3u) << reply->answer;
  EXPECT_EQ(
      peer.post(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])", session)->status,
      202);
  EXPECT_EQ(peer.post("[]", session)->status, 400);
  EXPECT_EQ(peer.post(batch)->status, 400);
  EXPECT_EQ(peer.post(batch, peer.open("2025-06-18"))->status, 400);
  EXPECT_EQ(
      peer.post("[" + call_text("1", "echo", "{}", test::modern_meta()) + "]", session)->status,
      400);
}

TEST_F(LegacyHttp, ManySessionsPushOutTheOldest) {
  SessionHost small([](config::Config& config) { config.limits.sessions = 2; });
  HttpPeer client(small);
  const auto first = client.open("2025-11-25");
  client.open("2025-11-25");
  client.open("2025-11-25");
  EXPECT_EQ(client.endpoint.sessions(), 2u);
  EXPECT_EQ(client.post(std::string(kPing), first)->status, 404);
}

TEST_F(LegacyHttp, AFloodOfSessionsEndsNobodyElsesAndNoBusyOne) {
  SessionHost small([](config::Config& config) { config.limits.sessions_per_principal = 2; });
  HttpPeer client(small);
  const HttpPeer::Fields ada{{"x-test-principal", "ada"}};
  const auto begin = [&](const HttpPeer::Fields& who) {
    return client.post(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
        R"("capabilities":{},"clientInfo":{"name":"t","version":"1"}}})",
        who);
  };
  const auto opened = begin(ada);
  const auto of_ada = with({{"mcp-session-id", opened->answer_header("Mcp-Session-Id")}}, ada);
  const auto slow = client.post(call_text("1", "slow", "{}"), of_ada);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(begin({})->status, 200);
  EXPECT_EQ(client.endpoint.sessions(), 3u);
  EXPECT_EQ(slow->status, 0);  // it still runs
  EXPECT_EQ(client.post(std::string(kPing), of_ada)->status, 200);

  EXPECT_EQ(begin(ada)->status, 200);
  const auto second = begin(ada);  // in place of her idle one
  const auto also = with({{"mcp-session-id", second->answer_header("Mcp-Session-Id")}}, ada);
  const auto slow_too = client.post(call_text("1", "slow", "{}"), also);
  const auto refused = begin(ada);
  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(refused->answer_header("Retry-After"), "1");
  EXPECT_THAT(refused->answer, HasSubstr("limits.sessions_per_principal"));
  EXPECT_THAT(small.refusals, ElementsAre("limits.sessions_per_principal"));
  EXPECT_EQ(slow->status, 0);
  EXPECT_EQ(slow_too->status, 0);
}

TEST_F(LegacyHttp, IdleSessionsEnd) {
  const auto session = peer.open("2025-11-25");
  host.clock.advance(std::chrono::minutes(31));
  EXPECT_EQ(peer.post(std::string(kPing), session)->status, 404);
}

// Bare calls, with the texts that their clients' documentation shows.

TEST_F(LegacyHttp, ABareListIsAnswered) {
  for (const std::string accept : {"-", "text/html", "text/event-stream", "application/json"}) {
    const auto reply =
        peer.post("{\n\"jsonrpc\": \"2.0\",\n\"id\": 1,\n\"method\": \"tools/list\"\n}",
                  {{"accept", accept}});
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->answer_type, "application/json");
    EXPECT_THAT(reply->answer, HasSubstr(R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":)"));
    EXPECT_THAT(reply->answer, Not(HasSubstr("resultType")));
  }
  EXPECT_EQ(peer.endpoint.sessions(), 0u);
}

TEST_F(LegacyHttp, ABareCallIsAnswered) {
  const auto reply = peer.post(R"({
"jsonrpc": "2.0",
"id": 2,
"method": "tools/call",
"params": {
"name": "save_csv",
"arguments": {
"filename": "invoice-2024-001",
"rows": [
{ "date": "2024-01-15", "amount": 1250.00, "vendor": "Acme Corp" },
{ "date": "2024-01-16", "amount": 890.50, "vendor": "Widget Inc" }
]
}
}
})",
                               {{"accept", "*/*"}});
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->answer,
            R"({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":)"
            R"j("CSV saved to /shared/invoices/invoice-2024-001.csv (2 rows)"}]}})j");
}

TEST_F(LegacyHttp, ABareFailureAndTimeoutHaveTheirShapes) {
  EXPECT_EQ(
      peer.post(call_text("2", "fail", R"({"kind":"result"})"))->answer,
      R"({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"it failed"}],"isError":true}})");
  const auto timeout = peer.post(call_text(
      "2", "fail", R"({"kind":")" + std::string(to_string(ErrorKind::DeadlineExceeded)) + R"("})"));
  EXPECT_EQ(timeout->status, 200);
  EXPECT_THAT(
      timeout->answer,
      HasSubstr(
          R"({"jsonrpc":"2.0","id":2,"error":{"code":-32003,"message":"Agent reply timeout")"));
}

// Nobody can fetch its answer later; of a call that waits for a person its repetition can.
TEST_F(LegacyHttp, ABareCallEndsWithItsConnectionUnlessItWaitsForAPerson) {
  const auto slow = peer.post(call_text("1", "slow", "{}"));
  EXPECT_EQ(slow->status, 0);
  slow->disconnect();
  host.loop.turn();
  EXPECT_NE(slow->status, 0);  // the call has ended

  OneShot answered(host.loop.io.get_executor());
  std::shared_ptr<Cancel> cancel;
  host.tools.add(test::declaration("parked"),
                 [&](tool::Call& call) -> boost::asio::awaitable<Result<tool::CallResult>> {
                   call.phase = tool::Phase::WaitsForApproval;
                   cancel = call.cancel;
                   co_await answered.wait();
                   co_return tool::CallResult::text("approved");
                 });
  const auto parked = peer.post(call_text("1", "parked", "{}"));
  parked->disconnect();
  host.loop.turn();
  ASSERT_TRUE(cancel);
  EXPECT_FALSE(cancel->requested());
  answered.set();
  host.loop.turn();
  EXPECT_THAT(parked->answer, HasSubstr("approved"));
}

TEST_F(LegacyHttp, BareCallsCanBeTurnedOff) {
  host.config.mcp.bare_calls = false;
  const auto reply = peer.post(std::string(kList));
  EXPECT_EQ(reply->status, 400);
  EXPECT_THAT(reply->answer, HasSubstr("initialize first"));
}

TEST_F(LegacyHttp, ABareRequestOfAVersionThatIsNotServedIsToldWhichAre) {
  for (const char* const version : {"1999-01-01", "2027-01-01", "\"x\""}) {
    const auto reply = peer.post(std::string(kList), {{"mcp-protocol-version", version}});
    EXPECT_EQ(reply->status, 400) << version;
    EXPECT_THAT(reply->answer, HasSubstr("-32022"));
    EXPECT_THAT(reply->answer, HasSubstr("MCP-Protocol-Version"));
    EXPECT_THAT(reply->answer, HasSubstr(R"("supported":["2026-07-28","2025-11-25",)"));
    EXPECT_THAT(reply->answer, Not(HasSubstr("Mcp-Session-Id")));
  }
}

TEST_F(LegacyHttp, ABareCallThatIsBusyIs429) {
  const auto reply = peer.post(call_text(
      "2", "fail", R"({"kind":")" + std::string(to_string(ErrorKind::Unavailable)) + R"("})"));
  EXPECT_EQ(reply->status, 429);
  EXPECT_EQ(reply->answer_header("Retry-After"), "1");
}

}  // namespace
}  // namespace host::mcp
