// Streams that are taken up again by Last-Event-ID (MCP until 2025-11-25).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/http/endpoint.h"
#include "mcp/peer/one_shot.h"
#include "support/session_host.h"

namespace host::mcp {
namespace {

using test::call_text;
using test::FakeExchange;
using test::HttpPeer;
using test::SessionHost;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A call that tells of a step, waits until the test lets it go on, and tells of another.
class Resumption : public ::testing::Test {
 protected:
  using Exchange = std::shared_ptr<FakeExchange>;

  Resumption() {
    host.tools.add(test::declaration("wait"),
                   [this](tool::Call& call) -> boost::asio::awaitable<test::FakeTools::Answer> {
                     const auto executor = co_await boost::asio::this_coro::executor;
                     OneShot done(executor);
                     go_on = [&done] { done.set(); };
                     unheard = call.unheard;
                     if (call.observer) call.observer->progress(1, 3, words);
                     co_await done.wait();
                     if (call.observer) call.observer->progress(2, 3, words);
                     co_return tool::CallResult::text("waited");
                   });
  }
  Exchange start(const HttpPeer::Fields& opened) {
    return peer.post(call_text("1", "wait", "{}", R"(,"_meta":{"progressToken":"t"})"), opened);
  }
  void finish() {
    go_on();
    host.loop.turn();
  }
  Exchange come_back(HttpPeer::Fields fields, std::string event) {
    fields["last-event-id"] = std::move(event);
    return peer.send("GET", "", fields);
  }

  SessionHost host;
  HttpPeer peer{host};
  HttpPeer::Fields session = peer.open("2025-11-25");
  std::function<void()> go_on;
  std::string words;                // of its progress
  std::shared_ptr<Cancel> unheard;  // of the call that has begun last
};

TEST_F(Resumption, AStreamBeginsWithWhereToComeBack) {
  const auto call = start(session);
  EXPECT_THAT(call->events->events, ElementsAre("retry 500", HasSubstr("\"progress\":1")));
  EXPECT_THAT(call->events->ids, ::testing::Each(::testing::Not(IsEmpty())));
  const auto older = start(peer.open("2025-06-18"));
  EXPECT_THAT(older->events->events, ElementsAre(HasSubstr("\"progress\":1")));
}

TEST_F(Resumption, GoesOnWhereTheConnectionBroke) {
  const auto call = start(session);
  const std::string seen = call->events->ids.back();
  call->disconnect();
  const auto back = come_back(session, seen);
  EXPECT_THAT(back->events->events, IsEmpty());
  finish();
  EXPECT_THAT(back->events->events, ElementsAre(HasSubstr("\"progress\":2"), HasSubstr("waited")));
  EXPECT_FALSE(back->events->is_open);
}

TEST_F(Resumption, OnlyTheEndOfTheLastConnectionLeavesACallUnheard) {
  const auto call = start(session);
  const auto back = come_back(session, call->events->ids.back());
  call->disconnect();
  EXPECT_FALSE(unheard->requested());
  back->disconnect();
  EXPECT_TRUE(unheard->requested());
  finish();
}

TEST_F(Resumption, AClientThatComesBackHearsItsCallAgain) {
  const auto call = start(session);
  const std::string seen = call->events->ids.back();
  call->disconnect();
  EXPECT_TRUE(unheard->requested());
  const auto back = come_back(session, seen);
  EXPECT_FALSE(unheard->requested());
  back->disconnect();
  EXPECT_TRUE(unheard->requested());
  finish();
}

TEST_F(Resumption, RepeatsWhatWasMissedThoughTheCallIsOver) {
  const auto call = start(session);
  const std::string seen = call->events->ids.front();
  call->disconnect();
  finish();
  for (int times = 0; times < 2; ++times) {
    const auto back = come_back(session, seen);
    EXPECT_THAT(
        back->events->events,
        ElementsAre(HasSubstr("\"progress\":1"), HasSubstr("\"progress\":2"), HasSubstr("waited")));
    EXPECT_FALSE(back->events->is_open);
  }
}

// A stream whose events wait takes only so many bytes: the rest comes on the next ones.
TEST_F(Resumption, WhatIsTooLargeForOneStreamComesOnSeveral) {
  words = std::string(300u << 10u, 'x');
  const auto call = start(session);
  std::string seen = call->events->ids.front();
  call->disconnect();
  finish();
  peer.takes = false;
  for (const std::string part : {"\"progress\":1", "\"progress\":2", "waited"}) {
    const auto back = come_back(session, seen);
    ASSERT_THAT(back->events->events, ElementsAre(HasSubstr(part)));
    EXPECT_FALSE(back->events->is_open);
    seen = back->events->ids.back();
  }
}

TEST_F(Resumption, ACallGoesOnForAClientThatFetchesInParts) {
  words = std::string(300u << 10u, 'x');
  const auto call = start(session);
  call->disconnect();
  peer.takes = false;
  const auto back = come_back(session, call->events->ids.front());
  EXPECT_THAT(back->events->events, ElementsAre(HasSubstr("\"progress\":1")));
  EXPECT_TRUE(back->events->is_open);
  finish();
  EXPECT_THAT(back->events->events, ::testing::SizeIs(3));
}

TEST_F(Resumption, MuchNewsOfASessionComesOnSeveralStreams) {
  const auto own = peer.send("GET", "", session);
  const auto uri = [](int i) {
    return "note:day/" + std::to_string(10 + i) + std::string(8'000, 'x');
  };
  for (int i = 0; i < 8; ++i) {
    peer.post(R"({"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":")" +
                  uri(i) + "\"}}",
              session);
  }
  std::string seen = own->events->ids.front();
  own->disconnect();
  for (int i = 0; i < 96; ++i) host.tell_updated(uri(i % 8));
  peer.takes = false;
  std::size_t got = 0;
  int streams = 0;
  for (bool open = false; !open && streams < 10; ++streams) {
    const auto back = come_back(session, seen);
    seen = back->events->ids.back();
    open = back->events->is_open;
    got += back->events->events.size() - (open ? 1 : 0);  // "retry 500"
  }
  EXPECT_EQ(got, 96u);
  EXPECT_EQ(streams, 3);
}

TEST_F(Resumption, NeverMixesStreams) {
  const auto call = start(session);
  const auto own = peer.send("GET", "", session);
  host.tell_tools_changed();
  finish();
  EXPECT_THAT(own->events->events, ElementsAre("retry 500", HasSubstr("list_changed")));
  EXPECT_THAT(call->events->events, ElementsAre("retry 500", HasSubstr("\"progress\":1"),
                                                HasSubstr("\"progress\":2"), HasSubstr("waited")));
}

TEST_F(Resumption, AForeignEventBringsNothingForeign) {
  const auto call = start(session);
  const auto other = peer.open("2025-11-25");
  const auto own = start(other);  // its stream has the same number
  const auto foreign = come_back(other, call->events->ids.front());
  EXPECT_EQ(foreign->status, 400);
  EXPECT_EQ(foreign->answer, come_back(other, "AAAAAAAAAAAA.1.1")->answer);
  finish();
}

TEST_F(Resumption, AnUnknownEventGetsAFreshStreamThatSaysWhatMayHaveChanged) {
  const auto first = peer.send("GET", "", session);
  const auto back = come_back(session, "nothing");
  EXPECT_FALSE(first->events->is_open);
  EXPECT_THAT(back->events->events,
              ElementsAre(HasSubstr("tools/list_changed"), HasSubstr("resources/list_changed"),
                          HasSubstr("prompts/list_changed"), "retry 500"));
  EXPECT_TRUE(back->events->is_open);
  const auto again = come_back(session, back->events->ids.back());
  EXPECT_THAT(again->events->events, ElementsAre("retry 500"));
}

// 256 events are kept; the call's first ones are forgotten, and its answer is not.
TEST_F(Resumption, AnAnswerReachesAClientWhoseEventsAreForgotten) {
  const auto call = start(session);
  const std::string seen = call->events->ids.front();
  call->disconnect();
  for (int i = 0; i < 260; ++i) host.tell_tools_changed();
  peer.send("GET", "", session);
  for (int i = 0; i < 260; ++i) host.tell_tools_changed();
  const auto back = come_back(session, seen);
  ASSERT_EQ(back->status, 200);
  finish();
  EXPECT_THAT(back->events->events, ElementsAre(HasSubstr("\"progress\":2"), HasSubstr("waited")));
}

TEST_F(Resumption, AnAnswerIsKeptThoughTheEventBeforeItIsForgotten) {
  const auto call = start(session);
  const std::string seen = call->events->ids.front();
  call->disconnect();
  peer.send("GET", "", session);
  for (int i = 0; i < 260; ++i) host.tell_tools_changed();
  finish();
  const auto back = come_back(session, seen);
  EXPECT_EQ(back->status, 200);
  ASSERT_TRUE(back->events);
  EXPECT_THAT(back->events->events, ElementsAre(HasSubstr("\"progress\":2"), HasSubstr("waited")));
  EXPECT_FALSE(back->events->is_open);
  for (int i = 0; i < 260; ++i) host.tell_tools_changed();
  EXPECT_EQ(come_back(session, seen)->status, 400);  // the answer itself is forgotten
}

TEST_F(Resumption, WhoComesBackWithUnknownEventsPushesOutNoAnswer) {
  const auto call = start(session);
  const std::string seen = call->events->ids.front();
  finish();
  for (int i = 0; i < 100; ++i) come_back(session, "nothing");
  const auto back = come_back(session, seen);
  ASSERT_TRUE(back->events);
  EXPECT_THAT(back->events->events, ElementsAre(HasSubstr("\"progress\":1"),
                                                HasSubstr("\"progress\":2"), HasSubstr("waited")));
}

TEST_F(Resumption, AStreamWhoseClientIsGoneAtOnceHarmsNobody) {
  for (const std::string event : {"", "nothing"}) {
    FakeExchange lost;
    lost.verb = "GET";
    lost.fields = session;
    lost.fields["accept"] = "text/event-stream";
    if (!event.empty()) lost.fields["last-event-id"] = event;
    lost.is_lost = true;
    host.loop.get([](HttpEndpoint& endpoint, FakeExchange& exchange) -> awaitable<bool> {
      co_await endpoint.handle(exchange);
      co_return true;
    }(peer.endpoint, lost));
    EXPECT_EQ(lost.status, 200);
  }
  const auto again = peer.send("GET", "", session);  // its place is free
  EXPECT_EQ(again->status, 200);
}

TEST_F(Resumption, TheSessionsOwnStreamRepeatsItsNews) {
  const auto own = peer.send("GET", "", session);
  ASSERT_THAT(own->events->ids, ::testing::SizeIs(1));
  const std::string seen = own->events->ids.front();
  own->disconnect();
  host.tell_tools_changed();
  const auto back = come_back(session, seen);
  EXPECT_THAT(back->events->events, ElementsAre(HasSubstr("list_changed"), "retry 500"));
  EXPECT_TRUE(back->events->is_open);
  host.tell_tools_changed();
  EXPECT_THAT(back->events->events, ::testing::SizeIs(3));
}

TEST_F(Resumption, ACallKeepsItsConnectionUntilItIsLong) {
  SessionHost polled([](config::Config& config) { config.mcp.poll_after = std::chrono::hours(1); });
  HttpPeer client{polled};
  const auto opened = client.open("2025-11-25");
  const auto call = client.post(call_text("1", "slow", "{}"), opened);
  EXPECT_EQ(call->status, 0);
  client.post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
              opened);
  polled.loop.turn();
}

TEST_F(Resumption, ALongCallLetsItsConnectionGo) {
  SessionHost polled(
      [](config::Config& config) { config.mcp.poll_after = std::chrono::milliseconds(1); });
  polled.tools.add(test::declaration("wait"),
                   [this](tool::Call& waiting) -> boost::asio::awaitable<test::FakeTools::Answer> {
                     unheard = waiting.unheard;
                     OneShot cancelled(co_await boost::asio::this_coro::executor);
                     const auto by = waiting.cancel->on_cancel([&cancelled] { cancelled.set(); });
                     co_await cancelled.wait();
                     co_return Error{ErrorKind::Cancelled, "cancelled"};
                   });
  HttpPeer client{polled};
  const auto opened = client.open("2025-11-25");
  const auto call = client.post(call_text("1", "wait", "{}"), opened);
  while (call->status == 0) polled.loop.turn();
  ASSERT_EQ(call->status, 200);
  EXPECT_THAT(call->events->events, ElementsAre("retry 500"));
  EXPECT_FALSE(call->events->is_open);
  EXPECT_TRUE(call->closes);  // or the client would ask for the rest on this connection
  call->disconnect();
  ASSERT_TRUE(unheard);
  EXPECT_FALSE(unheard->requested());  // the client comes back
  HttpPeer::Fields fields = opened;
  fields["last-event-id"] = call->events->ids.front();
  // Before it comes back: that stream may be let go as well.
  client.post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
              opened);
  polled.loop.turn();
  const auto back = client.send("GET", "", fields);
  EXPECT_EQ(back->status, 204);  // who has cancelled a request gets no answer to it
}

}  // namespace
}  // namespace host::mcp
