#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/both_peers.h"

namespace host::mcp {
namespace {

using test::BothPeers;
using test::LinePeer;
using test::modern_meta;
using test::modern_text;
using test::request_text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct OfferedOverMcp : testing::Test, BothPeers {};

TEST_F(OfferedOverMcp, ResourcesAreListedByUriWithWhatAVersionKnows) {
  EXPECT_THAT(
      ask("resources/list").lines,
      HasSubstr(
          R"("resources":[{"uri":"note:1","name":"a note","title":"Note","description":"What was noted.",)"
          R"("mimeType":"text/plain","size":3,"icons":[{"src":"https://icons.example/note.png"}],)"
          R"("annotations":{"audience":["user"],"priority":0.5}},{"uri":"note:2",)"));
  open("2025-03-26");
  EXPECT_THAT(
      ask_in_session("resources/list").http,
      HasSubstr(
          R"("resources":[{"uri":"note:1","name":"a note","description":"What was noted.","mimeType":"text/plain",)"
          R"("size":3,"annotations":{"audience":["user"],"priority":0.5}},)"));
  EXPECT_THAT(ask_in_session("resources/templates/list").http,
              HasSubstr(R"("resourceTemplates":[{"uriTemplate":"note:day/{day}","name":)"));
}

TEST_F(OfferedOverMcp, AResourceIsReadByUriAndByTemplate) {
  EXPECT_EQ(
      ask("resources/read", R"("uri":"note:1")", "note:1").http,
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","contents":[{"uri":"note:1",)"
      R"("mimeType":"text/plain","text":"note:1"}],"ttlMs":0,"cacheScope":"private",)"
      R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"h","version":"1"}}}})");
  BothPeers legacy;
  legacy.open("2025-06-18");
  EXPECT_THAT(legacy.ask_in_session("resources/read", R"("uri":"note:day/monday")").lines,
              HasSubstr(R"("text":"note:day/monday")"));
}

TEST_F(OfferedOverMcp, PromptsAreListedAndGot) {
  EXPECT_THAT(
      ask("prompts/list").lines,
      HasSubstr(
          R"("prompts":[{"name":"ask","description":"Asks for a name."},{"name":"greet","title":"Greet",)"
          R"("description":"Greets somebody.","arguments":[{"name":"name","title":"Name",)"
          R"("description":"Who is greeted.","required":true},{"name":"tone"}],"icons":)"));
  EXPECT_THAT(
      ask("prompts/get", R"("name":"greet","arguments":{"name":"Ada"})", "greet").http,
      HasSubstr(R"("result":{"resultType":"complete","description":"A greeting.",)"
                R"("messages":[{"role":"user","content":{"type":"text","text":"Hello Ada"}}])"));
}

TEST_F(OfferedOverMcp, ArgumentsAreCompleted) {
  const auto* params =
      R"("ref":{"type":"ref/resource","uri":"note:day/{day}"},"argument":{"name":"day","value":"A"},"context":{"arguments":{}})";
  EXPECT_THAT(ask("completion/complete", params).http,
              HasSubstr(R"("completion":{"values":["Ada","Alan"],"total":2})"));
  BothPeers legacy;
  legacy.open("2025-11-25");
  EXPECT_THAT(legacy.ask_in_session("completion/complete", params).lines,
              HasSubstr(R"("result":{"completion":{"values":["Ada","Alan"],"total":2}}})"));
}

TEST_F(OfferedOverMcp, MessagesOfAPromptFitTheVersion) {
  host.offers.provider->act_on_offer = [](const auto& invocation) {
    invocation->finish(test::structured(
        R"({"messages":[{"role":"assistant","content":{"type":"resource_link","uri":"a:b","name":"n"}}]})"));
  };
  const auto* params = R"("name":"greet","arguments":{"name":"x"})";
  EXPECT_THAT(ask("prompts/get", params, "greet").http, HasSubstr(R"("type":"resource_link")"));
  open("2025-03-26");
  EXPECT_THAT(
      ask_in_session("prompts/get", params).http,
      HasSubstr(R"({"role":"assistant","content":{"type":"text","text":"Resource: n <a:b>"}})"));
}

TEST_F(OfferedOverMcp, EveryListComesInPagesUntilItsEnd) {
  BothPeers paged([](config::Config& config) { config.limits.page_size = 1; });
  for (const auto& [method, list, size] : {std::tuple{"resources/list", "resources", 3u},
                                           {"resources/templates/list", "resourceTemplates", 1u},
                                           {"prompts/list", "prompts", 2u}}) {
    std::string cursor;
    unsigned pages = 0;
    do {
      const std::string params = cursor.empty() ? "" : R"("cursor":")" + cursor + "\"";
      const auto page = json::parse(paged.ask(method, params).http);
      const json::Value* const result = json::find(page->root(), "result");
      ASSERT_NE(result, nullptr);
      EXPECT_EQ(json::find(*result, list)->Size(), 1u);
      cursor = json::find_text(*result, "nextCursor");
    } while (!cursor.empty() && ++pages < 9);
    EXPECT_EQ(pages + 1, size) << method;
  }
  const auto page = json::parse(paged.ask("prompts/list").http);
  const std::string cursor(json::text(*json::at(page->root(), "/result/nextCursor")));
  EXPECT_THAT(paged.ask("resources/list", R"("cursor":")" + cursor + "\"").http,
              HasSubstr("-32602"));  // another list's
}

TEST_F(OfferedOverMcp, AProvidersFailureIsAnErrorWithItsWords) {
  host.offers.provider->act_on_offer = [](const auto& invocation) {
    invocation->finish(tool::CallResult::error("the disk is gone"));
  };
  EXPECT_THAT(ask("resources/read", R"("uri":"note:1")", "note:1").http,
              HasSubstr(R"("code":-32603,"message":"\"note:1\": the disk is gone")"));
}

TEST_F(OfferedOverMcp, TheDataOfAnUpstreamsErrorAreTheDataOfTheAnswer) {
  host.offers.provider->act_on_offer = [](const auto& invocation) {
    invocation->refusal_data = R"({"retry_after":7})";
    invocation->finish(Error{ErrorKind::PluginFault, "the disk is gone"});
  };
  EXPECT_THAT(ask("resources/read", R"("uri":"note:1")", "note:1").http,
              HasSubstr(R"("code":-32603,"message":"the disk is gone","data":{"retry_after":7})"));
}

TEST_F(OfferedOverMcp, TraceContextReachesTheProviderWhereItIsValid) {
  std::vector<std::string> seen;
  host.offers.provider->act_on_offer = [&](const auto& invocation) {
    const tool::Trace& trace = invocation->passport->trace;
    seen.push_back(trace.parent + "|" + trace.state + "|" + trace.baggage);
    invocation->finish(Error{ErrorKind::NotFound, ""});
  };
  const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const auto read = [&](const std::string& trace) {
    ask("resources/read", R"("uri":"note:1")", "note:1", modern_meta("{}", trace));
    return seen.back();
  };
  EXPECT_EQ(read(R"(,"traceparent":")" + parent + R"(","tracestate":"a=1","baggage":"k=v")"),
            parent + "|a=1|k=v");
  EXPECT_EQ(read(R"(,"traceparent":"00-zz","tracestate":"a=1","baggage":7)"), "||");
}

// --- what a peer hears between its requests ---

std::string listen_for(std::string_view wanted, std::string_view id = "1") {
  return modern_text("subscriptions/listen", R"("notifications":)" + std::string(wanted),
                     modern_meta(), id);
}

TEST_F(OfferedOverMcp, AListenerHearsWhatItAskedForAndNothingElse) {
  const std::string wish =
      R"({"promptsListChanged":true,"resourcesListChanged":false,"resourceSubscriptions":["note:1","note:9","note:day/x"],"unknown":1})";
  const std::string tag = R"("_meta":{"io.modelcontextprotocol/subscriptionId":1})";
  const std::string ack =
      R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":)"
      R"({"promptsListChanged":true,"resourceSubscriptions":["note:1","note:day/x"]},)" +
      tag + "}}";
  const std::string prompts =
      R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{)" + tag + "}}";
  const std::string updated =
      R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note:1",)" +
      tag + "}}";
  const auto stream = http.post(listen_for(wish), fields("subscriptions/listen"));
  EXPECT_EQ(line.say_one(listen_for(wish)), ack);
  host.tell({true, true, true});
  host.tell_updated("note:1");
  host.tell_updated("note:2");
  EXPECT_THAT(line.connection.take(), ElementsAre(prompts, updated));
  ASSERT_TRUE(stream->events);
  EXPECT_THAT(stream->events->events, ElementsAre(ack, prompts, updated));
}

TEST_F(OfferedOverMcp, WhatChangesInOneTurnIsToldOnce) {
  line.say(listen_for(R"({"toolsListChanged":true,"resourceSubscriptions":["note:1"]})"));
  for (int i = 0; i < 100; ++i) {
    host.methods().announcer().changed({true, false, false});
    host.methods().announcer().updated("note:1");
  }
  host.loop.turn();
  EXPECT_THAT(line.connection.take(),
              ElementsAre(HasSubstr("tools/list_changed"), HasSubstr("resources/updated")));
}

TEST_F(OfferedOverMcp, ASessionHearsOfListsAndOfWhatItFollows) {
  open("2025-06-18");
  const auto stream = http.send("GET", "", session);
  ASSERT_TRUE(stream->events);
  EXPECT_THAT(ask_in_session("resources/subscribe", R"("uri":"note:1")").http,
              HasSubstr(R"("result":{})"));
  host.tell({true, true, true});
  host.tell_updated("note:1");
  host.tell_updated("note:2");
  const auto wanted = ElementsAre(
      R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})",
      R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})",
      R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed"})",
      R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note:1"}})");
  EXPECT_THAT(line.connection.take(), wanted);
  EXPECT_THAT(stream->events->events, wanted);
  EXPECT_THAT(ask_in_session("resources/unsubscribe", R"("uri":"note:1")").lines,
              HasSubstr(R"("result":{})"));
  host.tell_updated("note:1");
  EXPECT_THAT(line.connection.take(), IsEmpty());
  EXPECT_EQ(stream->events->events.size(), 4u);
}

TEST_F(OfferedOverMcp, AClientThatReadsAgainHearsOnceOfWhatItMissed) {
  open("2025-06-18");
  line.say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  ask_in_session("resources/subscribe", R"("uri":"note:1")");
  line.connection.behind = true;
  for (int i = 0; i < 100; ++i) {
    host.tell_updated("note:1");
    host.tell_updated("note:2");
    host.tell_tools_changed();
  }
  EXPECT_THAT(line.connection.take(), IsEmpty());
  line.connection.behind = false;
  host.tell_updated("note:1");
  EXPECT_THAT(line.connection.take(), IsEmpty());  // not before what came earlier
  line.session->on_drained();
  EXPECT_THAT(line.connection.take(),
              ElementsAre(HasSubstr("tools/list_changed"), HasSubstr("note:1")));
  host.tell_updated("note:1");
  EXPECT_THAT(line.connection.take(), ElementsAre(HasSubstr("note:1")));
}

TEST_F(OfferedOverMcp, AListenStreamHearsOnceOfWhatItMissed) {
  line.say(listen_for(R"({"resourceSubscriptions":["note:1"]})"));
  line.connection.behind = true;
  for (int i = 0; i < 100; ++i) host.tell_updated("note:1");
  EXPECT_THAT(line.connection.take(), IsEmpty());
  line.connection.behind = false;
  line.session->on_drained();
  EXPECT_THAT(line.connection.take(),
              ElementsAre(testing::AllOf(HasSubstr("note:1"), HasSubstr("subscriptionId"))));
}

TEST_F(OfferedOverMcp, AnotherSessionHearsNothingOfIt) {
  open("2025-11-25");
  LinePeer other(host);
  other.say(request_text("initialize", R"("protocolVersion":"2025-11-25")"));
  other.say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  ask_in_session("resources/subscribe", R"("uri":"note:1")");
  host.tell_updated("note:1");
  EXPECT_EQ(line.connection.take().size(), 1u);
  EXPECT_THAT(other.connection.take(), IsEmpty());
}

TEST_F(OfferedOverMcp, WhatOnePeerFollowsIsBounded) {
  BothPeers few([](config::Config& config) { config.limits.resource_subscriptions = 1; });
  few.open("2025-11-25");
  for (int i = 0; i < 2; ++i) {  // the same again is no further one
    EXPECT_THAT(few.ask_in_session("resources/subscribe", R"("uri":"note:1")").http,
                HasSubstr("result"));
  }
  const auto answers = few.ask_in_session("resources/subscribe", R"("uri":"note:2")");
  EXPECT_THAT(answers.http, HasSubstr("limits.resource_subscriptions"));
  EXPECT_THAT(answers.lines, HasSubstr("limits.resource_subscriptions"));
  EXPECT_THAT(few.line.say_one(listen_for(R"({"resourceSubscriptions":["note:1","note:2"]})")),
              HasSubstr("limits.resource_subscriptions"));
}

// Each is compared with all templates, while other clients wait.
TEST_F(OfferedOverMcp, TheUrisOfOneRequestHaveABoundTogether) {
  const auto uris_of = [](std::size_t bytes) {
    std::string uris;
    for (int i = 0; i < 16; ++i) {
      const std::string uri = "note:day/" + std::to_string(10 + i);
      uris += (i > 0 ? ",\"" : "\"") + uri + std::string(bytes - uri.size(), 'x') + "\"";
    }
    return R"({"resourceSubscriptions":[)" + uris + "]}";
  };
  EXPECT_THAT(line.say_one(listen_for(uris_of(4'097))), HasSubstr("65536 bytes"));
  EXPECT_THAT(line.say_one(listen_for(uris_of(4'096))), HasSubstr("acknowledged"));
}

TEST_F(OfferedOverMcp, TheUrisThatOneSessionFollowsHaveABoundTogether) {
  open("2025-11-25");
  const auto subscribe = [&](int number) {
    const std::string uri = "note:day/" + std::to_string(10 + number);
    return ask_in_session("resources/subscribe",
                          R"("uri":")" + uri + std::string(8'000 - uri.size(), 'x') + "\"");
  };
  for (int i = 0; i < 8; ++i) EXPECT_THAT(subscribe(i).http, HasSubstr("result"));
  const auto answers = subscribe(8);
  EXPECT_THAT(answers.http, HasSubstr("65536 bytes together"));
  EXPECT_THAT(answers.lines, HasSubstr("65536 bytes together"));
  EXPECT_THAT(subscribe(7).http, HasSubstr("result"));  // the same again is no further one
}

TEST_F(OfferedOverMcp, WithoutASessionNothingIsFollowed) {
  EXPECT_THAT(http.post(request_text("resources/subscribe", R"("uri":"note:1")"))->answer,
              HasSubstr("-32600"));
  EXPECT_THAT(line.say_one(request_text("logging/setLevel", R"("level":"debug")")),
              HasSubstr("-32600"));
}

// --- log lines of a call ---

std::string levelled(std::string_view level) {
  return modern_meta("{}", R"(,"io.modelcontextprotocol/logLevel":")" + std::string(level) + "\"");
}

TEST_F(OfferedOverMcp, AModernRequestGetsLinesAtTheLevelThatItAsksFor) {
  const auto read = [&](std::string_view meta) {
    const std::string text = modern_text("resources/read", R"("uri":"note:1")", meta);
    const auto exchange = http.post(text, fields("resources/read", "note:1"));
    const auto lines = line.say(text);
    EXPECT_EQ(exchange->events ? exchange->events->events.size() : 1u, lines.size());
    return lines;
  };
  const auto line_and_result = ElementsAre(
      R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"notes","data":"looked at note:1"}})",
      HasSubstr("result"));
  EXPECT_THAT(read(levelled("debug")), line_and_result);
  EXPECT_THAT(read(levelled("info")), line_and_result);
  EXPECT_THAT(read(levelled("notice")), ElementsAre(HasSubstr("result")));
  EXPECT_THAT(read(modern_meta()), ElementsAre(HasSubstr("result")));
}

TEST_F(OfferedOverMcp, ASessionGetsLinesAtItsOwnLevel) {
  open("2025-11-25");
  const auto read = [&] { return line.say(request_text("resources/read", R"("uri":"note:1")")); };
  EXPECT_EQ(read().size(), 2u);  // info, until it says otherwise
  EXPECT_THAT(ask_in_session("logging/setLevel", R"("level":"warning")").http,
              HasSubstr(R"("result":{})"));
  EXPECT_EQ(read().size(), 1u);
  EXPECT_THAT(ask_in_session("logging/setLevel", R"("level":"loud")").lines, HasSubstr("-32602"));
  EXPECT_THAT(ask_in_session("logging/setLevel").http, HasSubstr("-32602"));
  ask_in_session("logging/setLevel", R"("level":"debug")");
  EXPECT_EQ(read().size(), 2u);
  LinePeer bare(host);
  EXPECT_EQ(bare.say(request_text("resources/read", R"("uri":"note:1")")).size(), 1u);
}

}  // namespace
}  // namespace host::mcp
