// What implementations of MCP are known to get wrong, one test each, over HTTP and over lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/both_peers.h"

namespace host::mcp {
namespace {

using test::BothPeers;
using test::modern_meta;
using test::modern_text;
using test::request_text;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Traps : testing::Test, BothPeers {
  static void both(const Answers& answers, const testing::Matcher<const std::string&>& matcher) {
    EXPECT_THAT(answers.http, matcher);
    EXPECT_THAT(answers.lines, matcher);
  }
};

struct Served {
  std::string method, params, name;
};
const std::vector<Served> kBothEras = {
    {"tools/list", "", ""},
    {"tools/call", R"("name":"echo","arguments":{"text":"x"})", "echo"},
    {"resources/list", "", ""},
    {"resources/templates/list", "", ""},
    {"resources/read", R"("uri":"note:1")", "note:1"},
    {"prompts/list", "", ""},
    {"prompts/get", R"("name":"greet","arguments":{"name":"Ada"})", "greet"},
    {"completion/complete",
     R"("ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"A"})", ""},
};

TEST_F(Traps, ResultTypeStandsInEveryModernResultAndInNoOther) {
  for (const Served& each : kBothEras) {
    both(ask(each.method, each.params, each.name),
         AllOf(HasSubstr(R"("result":{"resultType":"complete")"),
               HasSubstr(R"("io.modelcontextprotocol/serverInfo":{"name":"h")")));
  }
  both(ask("server/discover"), HasSubstr(R"("result":{"resultType":"complete")"));
  both(ask("prompts/get", R"("name":"ask")", "ask", modern_meta(R"({"elicitation":{}})")),
       HasSubstr(R"("result":{"resultType":"input_required")"));
  for (const auto* version : {"2025-03-26", "2025-06-18", "2025-11-25"}) {
    BothPeers peers;
    peers.open(version);
    for (const Served& each : kBothEras) {
      both(peers.ask_in_session(each.method, each.params),
           AllOf(HasSubstr(R"("result":{)"), Not(HasSubstr("resultType")), Not(HasSubstr("ttlMs")),
                 Not(HasSubstr("serverInfo"))));
    }
  }
}

TEST_F(Traps, CachingIsSaidInTheSixResultsThatHaveIt) {
  const std::string hint = R"("ttlMs":0,"cacheScope":"private")";
  for (const Served& each : kBothEras) {
    const bool cached = each.method.ends_with("list") || each.method == "resources/read";
    const auto answers = ask(each.method, each.params, each.name);
    both(answers, cached ? testing::Matcher<const std::string&>(HasSubstr(hint))
                         : testing::Matcher<const std::string&>(Not(HasSubstr("ttlMs"))));
  }
  both(ask("server/discover"), HasSubstr(hint));
  both(ask("resources/read", R"("uri":"note:ask")", "note:ask",
           modern_meta(R"({"elicitation":{}})")),
       Not(HasSubstr("ttlMs")));  // an interim result has none
}

TEST_F(Traps, WhatIsDeclaredIsServedWhateverIsOffered) {
  const std::string declared =
      R"("capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},)"
      R"("prompts":{"listChanged":true},"logging":{})";
  const std::string modern =
      declared + R"(,"completions":{},"extensions":{"io.modelcontextprotocol/skills":)" +
      R"({"directoryRead":true},"io.modelcontextprotocol/tasks":{}}})";
  both(ask("server/discover"), HasSubstr(modern));
  host.offers.provider->offered = {};
  host.offers.publish();
  both(ask("server/discover"), HasSubstr(modern));
  both(ask("resources/list"), HasSubstr(R"("resources":[])"));
  both(ask("resources/templates/list"), HasSubstr(R"("resourceTemplates":[])"));
  both(ask("prompts/list"), HasSubstr(R"("prompts":[])"));
  const std::string experimental =
      R"(,"experimental":{"io.modelcontextprotocol/skills":{"directoryRead":true}})";
  const auto hello = [&](const std::string& version) {
    return test::LinePeer(host).say_one(
        request_text("initialize", R"("protocolVersion":")" + version + "\""));
  };
  for (const auto* version : {"2025-03-26", "2025-06-18", "2025-11-25"}) {
    EXPECT_THAT(hello(version), HasSubstr(declared + R"(,"completions":{})" + experimental + "}"));
  }
  EXPECT_THAT(hello("2024-11-05"),
              HasSubstr(declared + experimental + "}"));  // has no word for completions
}

TEST_F(Traps, AHeaderThatDiffersWinsOverAnUnknownVersion) {
  const auto exchange = http.post(
      modern_text("prompts/list", "", modern_meta("{}", "", "v999.0.0")), fields("prompts/list"));
  EXPECT_EQ(exchange->status, 400);
  EXPECT_THAT(exchange->answer, HasSubstr("-32020"));
  const auto bare = http.post(request_text("prompts/list"), fields("prompts/list"));
  EXPECT_THAT(bare->answer, HasSubstr("-32602"));  // and no claim at all is another thing
}

TEST_F(Traps, InitializeNeverNegotiatesTheStatelessVersion) {
  const std::string hello = request_text("initialize", R"("protocolVersion":"2026-07-28")");
  for (const std::string& answer : {http.post(hello)->answer, line.say_one(hello)}) {
    EXPECT_THAT(answer, AllOf(HasSubstr(R"("protocolVersion":"2025-11-25")"),
                              Not(HasSubstr("2026-07-28"))));
  }
}

TEST_F(Traps, NothingIsKeyedOnWhoTheClientSaysItIs) {
  const std::string named = R"(,"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"})";
  for (const Served& each : kBothEras) {
    const auto without = ask(each.method, each.params, each.name);
    const auto with = ask(each.method, each.params, each.name, modern_meta("{}", named));
    EXPECT_EQ(with.http, without.http);
    EXPECT_EQ(with.lines, without.lines);
  }
}

TEST_F(Traps, AbsentAndNullArgumentsAreEmptyOnes) {
  host.offers.provider->offered.prompts[0].arguments[0].required = false;
  host.offers.publish();
  for (const auto* params : {R"("name":"greet")", R"("name":"greet","arguments":null)"}) {
    both(ask("prompts/get", params, "greet"), HasSubstr("Hello "));
  }
  for (const auto* params : {R"("name":"steps")", R"("name":"steps","arguments":null)"}) {
    both(ask("tools/call", params, "steps"), HasSubstr("stepped"));
  }
}

TEST_F(Traps, ASubscriptionIdKeepsTheTypeOfItsRequest) {
  for (const auto* id : {"\"7\"", "7", "9007199254740991"}) {
    const std::string text =
        modern_text("subscriptions/listen", R"("notifications":{"promptsListChanged":true})",
                    modern_meta(), id);
    const std::string tag = R"("io.modelcontextprotocol/subscriptionId":)" + std::string(id) + "}";
    const auto stream = http.post(text, fields("subscriptions/listen"));
    ASSERT_TRUE(stream->events);
    EXPECT_THAT(line.say_one(text), HasSubstr(tag));
    host.tell({false, false, true});
    EXPECT_THAT(stream->events->events[0], HasSubstr(tag));
    EXPECT_THAT(stream->events->events[1], HasSubstr(tag));
    EXPECT_THAT(line.connection.take().back(), HasSubstr(tag));
  }
}

TEST_F(Traps, ADisconnectCancelsAReadWhoseAnswerNobodyCanFetch) {
  std::vector<std::shared_ptr<tool::Invocation>> held;
  host.offers.provider->act_on_offer = [&](const auto& invocation) { held.push_back(invocation); };
  const auto modern = http.post(modern_text("resources/read", R"("uri":"note:1")"),
                                fields("resources/read", "note:1"));
  open("2025-11-25");
  const auto legacy = http.post(request_text("resources/read", R"("uri":"note:1")"), session);
  ASSERT_EQ(held.size(), 2u);
  for (const auto& each : held) EXPECT_FALSE(each->cancel->requested());
  modern->disconnect();
  legacy->disconnect();
  host.loop.turn();
  for (const auto& each : held) EXPECT_TRUE(each->cancel->requested());
  for (const auto& each : held) each->finish(test::structured("{}"));
}

TEST_F(Traps, ACancelledReadIsNotAnswered) {
  std::shared_ptr<tool::Invocation> held;
  host.offers.provider->act_on_offer = [&](const auto& invocation) { held = invocation; };
  EXPECT_TRUE(line.say(modern_text("resources/read", R"("uri":"note:1")")).empty());
  EXPECT_TRUE(
      line.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})")
          .empty());
  ASSERT_TRUE(held && held->cancel->requested());
  held->finish(test::structured("{}"));
  host.loop.turn();
  EXPECT_TRUE(line.connection.take().empty());
}

TEST_F(Traps, AStateIsGoodForItsOwnMethodParamsAndPrincipalOnly) {
  const std::string meta = modern_meta(R"({"elicitation":{}})");
  const auto send = [&](const std::string& method, const std::string& params,
                        const std::string& name, const std::string& who) {
    return http
        .post(modern_text(method, params, meta), fields(method, name, {{"x-test-principal", who}}))
        ->answer;
  };
  const auto first = json::parse(send("prompts/get", R"("name":"ask")", "ask", "ada"));
  const std::string answered =
      R"(,"inputResponses":{"who":{"action":"accept","content":{"name":"Ada"}}},"requestState":")" +
      std::string(json::text(*json::at(first->root(), "/result/requestState"))) + "\"";
  const std::string params = R"("name":"ask")" + answered;
  EXPECT_THAT(send("prompts/get", params, "ask", "bob"), HasSubstr("-32602"));
  EXPECT_THAT(send("tools/call", params, "ask", "ada"), HasSubstr("-32602"));
  EXPECT_THAT(
      send("prompts/get", R"("name":"ask","arguments":{"tone":"x"})" + answered, "ask", "ada"),
      HasSubstr("-32602"));
  EXPECT_THAT(send("resources/read", R"("uri":"note:ask")" + answered, "note:ask", "ada"),
              HasSubstr("-32602"));
  EXPECT_THAT(send("prompts/get", params, "ask", "ada"), HasSubstr(R"({\"name\":\"Ada\"})"));
  EXPECT_THAT(send("prompts/get", params, "ask", "ada"), HasSubstr("-32602"));  // used
}

TEST_F(Traps, ALegacyClientIsAskedInBetween) {
  open("2025-06-18", R"({"elicitation":{}})");
  const std::string get = request_text("prompts/get", R"("name":"ask")");
  EXPECT_THAT(line.say_one(get), HasSubstr(R"("method":"elicitation/create")"));
  const std::string answer =
      R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ada"}}})";
  EXPECT_THAT(line.say(answer).back(),
              AllOf(HasSubstr(R"("id":1,"result")"), HasSubstr(R"({\"name\":\"Ada\"})")));
  const auto exchange = http.post(get, session);
  ASSERT_TRUE(exchange->events);
  EXPECT_THAT(exchange->events->events[0], HasSubstr("elicitation/create"));
  http.post(answer, session);
  host.loop.turn();
  EXPECT_THAT(exchange->events->events.back(), HasSubstr(R"({\"name\":\"Ada\"})"));
  BothPeers unable;
  unable.open("2025-06-18");
  both(unable.ask_in_session("prompts/get", R"("name":"ask")"), HasSubstr("-32600"));
}

TEST_F(Traps, AnothersSessionIsRefusedAsOneThatDoesNotExist) {
  open("2025-11-25");
  auto foreign = session;
  foreign["x-test-principal"] = "bob";
  auto absent = foreign;
  absent["mcp-session-id"] = "nobody";
  for (const std::string verb : {"POST", "GET", "DELETE"}) {
    foreign["last-event-id"] = absent["last-event-id"] = "1-1";
    const auto one = http.send(verb, request_text("resources/list"), foreign);
    const auto other = http.send(verb, request_text("resources/list"), absent);
    EXPECT_EQ(one->status, 404) << verb;
    EXPECT_EQ(one->answer, other->answer) << verb;
  }
}

TEST_F(Traps, AListChangesOnlyByWhatIsOffered) {
  const auto before = ask("tools/list");
  ask("tools/call", R"("name":"echo","arguments":{"text":"x"})", "echo");
  ask("prompts/get", R"("name":"greet","arguments":{"name":"x"})", "greet");
  EXPECT_EQ(ask("tools/list").http, before.http);
  EXPECT_EQ(ask("tools/list").lines, before.lines);
}

}  // namespace
}  // namespace host::mcp
