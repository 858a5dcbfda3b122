#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "mcp/http/post_reply.h"
#include "mcp/http/session.h"
#include "mcp/method/asking_client.h"
#include "mcp/method/call_watch.h"
#include "mcp/peer/request_state.h"
#include "mcp/peer/subscriptions.h"
#include "support/manual_clock.h"
#include "support/run_loop.h"
#include "tool/call/edits.h"

namespace host::mcp {
namespace {

using test::ManualClock;

class RecordingOutlet : public Outlet {
 public:
  bool send(std::string_view message) override {
    sent.emplace_back(message);
    return true;
  }
  bool is_behind() const override { return behind; }
  std::vector<std::string> sent;
  bool behind = false;
};

TEST(CallWatch, AFloodIsThinnedButTheLastStepArrives) {
  ManualClock clock;
  RecordingOutlet outlet;
  CallWatch watch(&outlet, {"1", {}}, protocol::Version::v2026_07_28, clock);
  for (int i = 0; i < 1000; ++i) watch.progress(i, 1000, "");
  EXPECT_LE(outlet.sent.size(), 25u);
  EXPECT_GE(outlet.sent.size(), 10u);
  watch.progress(1000, 1000, "");
  EXPECT_NE(outlet.sent.back().find(R"("progress":1000)"), std::string::npos);
}

TEST(CallWatch, TheLastReportOfACallIsNotLost) {
  ManualClock clock;
  RecordingOutlet outlet;
  CallWatch watch(&outlet, {"1", {}}, protocol::Version::v2026_07_28, clock);
  for (int i = 1; i <= 100; ++i) watch.progress(i, 0, "at");
  ASSERT_EQ(outlet.sent.size(), 20u);
  watch.finish();
  watch.finish();
  ASSERT_EQ(outlet.sent.size(), 21u);
  EXPECT_NE(outlet.sent.back().find(R"("progress":100)"), std::string::npos);
}

TEST(CallWatch, OneLastStepPassesTheLimit) {
  ManualClock clock;
  RecordingOutlet outlet;
  CallWatch watch(&outlet, {"1", {}}, protocol::Version::v2026_07_28, clock);
  for (int i = 0; i < 1000; ++i) watch.progress(i, 1e6, "");
  const std::size_t before = outlet.sent.size();
  for (int i = 1000; i < 2000; ++i) watch.progress(i, 1, "");
  EXPECT_EQ(outlet.sent.size(), before + 1);
  clock.advance(std::chrono::seconds(1));
  watch.progress(3000, 1, "");
  EXPECT_EQ(outlet.sent.size(), before + 2);
}

TEST(CallWatch, SendsNothingWhileTheClientIsBehind) {
  ManualClock clock;
  RecordingOutlet outlet;
  CallWatch watch(&outlet, {"1", 0}, protocol::Version::v2026_07_28, clock);
  outlet.behind = true;
  watch.progress(1, 1, "");
  watch.log(1, "", "x", "");
  EXPECT_TRUE(outlet.sent.empty());
  outlet.behind = false;
  watch.progress(1, 1, "");
  watch.log(1, "", "y", "");
  ASSERT_EQ(outlet.sent.size(), 3u);
  EXPECT_NE(outlet.sent[1].find("1 lines"), std::string::npos);
}

TEST(CallWatch, TimeMakesRoomForMore) {
  ManualClock clock;
  RecordingOutlet outlet;
  CallWatch watch(&outlet, {"1", {}}, protocol::Version::v2026_07_28, clock);
  for (int i = 0; i < 100; ++i) {
    clock.advance(std::chrono::milliseconds(50));
    watch.progress(i, 0, "");
  }
  EXPECT_EQ(outlet.sent.size(), 100u);
}

TEST(CallWatch, NumbersThatJsonLacksAreDropped) {
  ManualClock clock;
  RecordingOutlet outlet;
  CallWatch watch(&outlet, {"1", {}}, protocol::Version::v2026_07_28, clock);
  watch.progress(std::numeric_limits<double>::quiet_NaN(), 1, "");
  watch.progress(1, std::numeric_limits<double>::infinity(), "");
  EXPECT_TRUE(outlet.sent.empty());
}

TEST(CallWatch, LinesBelowTheLevelAreNotSent) {
  ManualClock clock;
  RecordingOutlet outlet;
  CallWatch watch(&outlet, {"", 3}, protocol::Version::v2026_07_28, clock);
  watch.log(2, "a", "quiet", "");
  watch.log(3, "a", "loud", R"({"n":1})");
  watch.progress(1, 2, "");  // nobody asked for it
  ASSERT_EQ(outlet.sent.size(), 1u);
  EXPECT_EQ(outlet.sent[0],
            R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning",)"
            R"("logger":"a","data":{"message":"loud","fields":{"n":1}}}})");
}

TEST(CallWatch, AFloodOfLinesIsThinnedAndSaysSo) {
  ManualClock clock;
  RecordingOutlet outlet;
  CallWatch watch(&outlet, {"", 0}, protocol::Version::v2026_07_28, clock);
  for (int i = 0; i < 1000; ++i) watch.log(1, "", "x", "");
  EXPECT_EQ(outlet.sent.size(), 20u);
  clock.advance(std::chrono::seconds(1));
  watch.log(1, "", "y", "");
  ASSERT_EQ(outlet.sent.size(), 22u);
  EXPECT_NE(outlet.sent[20].find("980 lines"), std::string::npos);
}

const News kToolsChanged{{true, false, false}, {}, {}};

bool sees_all(const tool::Peer&, const tool::ProviderIdentity::Id&) {
  return true;
}

TEST(Subscriptions, TheNewsOfAProviderReachOnlyWhoSeesIt) {
  using Id = tool::ProviderIdentity::Id;
  test::RunLoop loop;
  Announcer announcer(loop.io.get_executor());
  announcer.sees_by(
      [](const tool::Peer& who, const Id& of) { return who.agent == "all" || of.name == "open"; });
  std::map<std::string, News> told;
  const auto listen = [&](const std::string& agent) {
    return announcer.sessions().add({"ada", agent},
                                    [&told, agent](const News& news) { told[agent] = news; });
  };
  const auto all = listen("all");
  const auto some = listen("some");
  const Id hidden{tool::ProviderIdentity::Kind::Upstream, "hidden"};
  const Id open{tool::ProviderIdentity::Kind::Upstream, "open"};
  announcer.changed({true, true, false}, {{hidden, {true, true, false}}});
  announcer.updated("a:1", hidden);
  loop.turn();
  EXPECT_TRUE(told["all"].lists.tools);
  EXPECT_TRUE(told["all"].resources.contains("a:1"));
  EXPECT_FALSE(told.contains("some"));
  announcer.changed({true, true, false},
                    {{hidden, {true, false, false}}, {open, {false, true, false}}});
  announcer.updated("a:2", open);
  announcer.updated("a:3", hidden);
  loop.turn();
  EXPECT_FALSE(told["some"].lists.tools);
  EXPECT_TRUE(told["some"].lists.resources);
  EXPECT_EQ(told["some"].resources, Uris{"a:2"});
  announcer.changed({true, false, false});
  loop.turn();
  EXPECT_TRUE(told["some"].lists.tools);
}

TEST(Subscriptions, AListenerMayLeaveWhileItIsTold) {
  Subscriptions changes;
  Subscriptions::Registration first;
  int told = 0;
  first = changes.add({}, [&](const News&) {
    ++told;
    first.reset();
  });
  const auto second = changes.add({}, [&](const News&) { ++told; });
  changes.tell(kToolsChanged, {}, sees_all);
  changes.tell(kToolsChanged, {}, sees_all);
  EXPECT_EQ(told, 3);
  EXPECT_EQ(changes.size(), 1u);
}

TEST(Subscriptions, AListenerMayEndTheNextOne) {
  Subscriptions changes;
  Subscriptions::Registration second;
  int told = 0;
  const auto first = changes.add({}, [&](const News&) { second.reset(); });
  second = changes.add({}, [&](const News&) { ++told; });
  const auto third = changes.add({}, [&](const News&) { ++told; });
  changes.tell(kToolsChanged, {}, sees_all);
  EXPECT_EQ(told, 1);
}

OpenRound open_round(std::string key) {
  OpenRound open;
  open.round.questions.push_back({std::move(key), "roots/list", "{}"});
  return open;
}

TEST(RequestStates, AreGoodUntilTheyAreUsed) {
  ManualClock clock;
  RequestStates states(clock, std::chrono::seconds(300));
  const std::string state = states.issue(open_round("k"), "b", "ann");
  EXPECT_TRUE(states.find(state, "b"));
  EXPECT_EQ(states.take(state, "another's"), "");
  EXPECT_TRUE(states.find(state, "b"));
  const std::string nonce = states.take(state, "b");
  EXPECT_FALSE(states.find(state, "b")) << "a call has its answers";
  states.give_back(nonce);
  EXPECT_TRUE(states.find(state, "b")) << "the call did not run";
  states.use(nonce);
  EXPECT_FALSE(states.find(state, "b"));
  states.give_back(nonce);
  EXPECT_FALSE(states.find(state, "b"));
}

// A plugin may refuse to start the call, as while it is replaced.
TEST(RequestStates, AnswersThatWereSpentCanBeGivenBack) {
  ManualClock clock;
  RequestStates states(clock, std::chrono::seconds(300));
  const std::string state = states.issue(open_round("k"), "b", "ann");
  clock.advance(std::chrono::seconds(100));
  const std::string newer = states.issue(open_round("l"), "b", "ann");
  auto spent = states.spend(states.take(state, "b"));
  EXPECT_FALSE(states.find(state, "b"));
  ASSERT_TRUE(spent);
  states.give_back(*std::move(spent));
  ASSERT_TRUE(states.find(state, "b"));
  EXPECT_EQ(states.find(state, "b")->round.questions.front().key, "k");
  clock.advance(std::chrono::seconds(200));
  EXPECT_FALSE(states.find(state, "b")) << "its time goes on";
  EXPECT_TRUE(states.find(newer, "b"));
}

TEST(RequestStates, LargeRoundsPushOutTheOldest) {
  ManualClock clock;
  RequestStates states(clock, std::chrono::seconds(300));
  for (const std::string_view what : {std::string_view("told"), tool::kRunArguments}) {
    const auto large = [what] {
      OpenRound open = open_round("k");
      open.answers[std::string(what)] = std::string(1u << 20u, 'x');
      return open;
    };
    const std::string first = states.issue(large(), "b", "ann");
    std::string last;
    for (int i = 0; i < 64; ++i) last = states.issue(large(), "b", "ann");
    EXPECT_FALSE(states.find(first, "b")) << what;
    EXPECT_TRUE(states.find(last, "b")) << what;
  }
}

TEST(RequestStates, ManyOpenQuestionsPushOutTheOldest) {
  ManualClock clock;
  RequestStates states(clock, std::chrono::seconds(300));
  const std::string first = states.issue(open_round("k"), "b", "ann");
  std::string last;
  for (int i = 0; i < 20'000; ++i) last = states.issue(open_round("k"), "b", "ann");
  EXPECT_FALSE(states.find(first, "b"));
  ASSERT_TRUE(states.find(last, "b"));
  EXPECT_EQ(states.find(last, "b")->round.questions.front().key, "k");
  EXPECT_FALSE(states.find(last, "c"));
}

// Other clients' people have not answered yet.
TEST(RequestStates, OnePrincipalPushesOutItsOwnOnly) {
  ManualClock clock;
  RequestStates states(clock, std::chrono::seconds(300));
  const auto issue = [&](const std::string& principal, std::size_t bytes) {
    OpenRound open = open_round("k");
    open.answers["told"] = std::string(bytes, 'x');
    return states.issue(std::move(open), "b", principal);
  };
  const std::string mine = issue("ann", 10);
  const std::string first = issue("bob", 10);
  for (int i = 0; i < 20'000; ++i) issue("bob", 10);
  for (int i = 0; i < 100; ++i) issue("bob", 1u << 20u);
  EXPECT_FALSE(states.find(first, "b"));
  EXPECT_TRUE(states.find(mine, "b"));
  for (int i = 0; i < 100; ++i) {  // together they reach the limit of the host
    for (int k = 0; k < 3; ++k) issue("p" + std::to_string(i), 1u << 20u);
  }
  EXPECT_TRUE(states.find(mine, "b"));
  const std::string last = issue("late", 10);
  EXPECT_TRUE(states.find(last, "b"));
  EXPECT_TRUE(states.find(mine, "b"));
}

// A first request may bring answers along: they serve the provider's questions, never the host's.
TEST(StatelessAsker, UsesBroughtAnswersForTheProvidersQuestionsAlone) {
  test::RunLoop loop;
  tool::Abilities able;
  able.forms = true;
  StatelessAsker asker(able);
  const auto brought = json::parse(
      R"({"who":{"action":"accept","content":{}},"approval":{"action":"accept","content":{}},)"
      R"("bad":{"action":"perhaps"}})");
  asker.bring(brought->root());
  const auto ask = [&](std::string key) {
    tool::Round round;
    round.questions.push_back(
        {std::move(key), "elicitation/create",
         R"({"mode":"form","message":"?","requestedSchema":{"type":"object"}})"});
    const tool::Call call;
    const auto place = loop.start(asker.ask(call, round));
    loop.turn();
    return place->value().value().has_value();
  };
  EXPECT_FALSE(ask("approval"));  // the host asks before the provider runs
  asker.take_resumed();
  EXPECT_TRUE(ask("who"));
  EXPECT_FALSE(ask("who"));  // the same key again is another question
  EXPECT_FALSE(ask("bad"));
  EXPECT_FALSE(ask("other"));
}

TEST(RequestStates, AnotherProcessOpensNothing) {
  ManualClock clock;
  RequestStates here(clock, std::chrono::seconds(300));
  RequestStates there(clock, std::chrono::seconds(300));
  EXPECT_FALSE(there.find(here.issue(open_round("k"), "b", "ann"), "b"));
}

class Sessions : public ::testing::Test {
 protected:
  std::shared_ptr<HttpSession> open(HttpSessions& sessions, tool::Peer who = {}) {
    auto created = sessions.create(std::move(who), loop.io.get_executor());
    const auto* const session = std::get_if<std::shared_ptr<HttpSession>>(&created);
    return session ? *session : nullptr;
  }
  static HttpSessions::Limits limits(std::size_t all, std::size_t per_principal) {
    return {all, per_principal, std::chrono::minutes(30)};
  }
  test::RunLoop loop;
  ManualClock clock;
};

TEST_F(Sessions, AreFoundByTheirPrincipalAndAgentAlone) {
  HttpSessions sessions(clock, limits(10, 10));
  const auto session = open(sessions, {"ada", "coder"});
  EXPECT_EQ(sessions.find({"ada", "coder"}, session->id), session);
  EXPECT_EQ(sessions.find({"bob", "coder"}, session->id), nullptr);
  EXPECT_EQ(sessions.find({"ada", ""}, session->id), nullptr);
  EXPECT_EQ(sessions.find({"ada", "coder"}, "guess"), nullptr);
  EXPECT_GE(session->id.size(), 22u);  // 128 bits in base64url
}

TEST_F(Sessions, IdleOnesGoAndUsedOnesStay) {
  HttpSessions sessions(clock, limits(10, 10));
  const auto idle = open(sessions);
  const auto used = open(sessions);
  const auto calling = open(sessions);
  const auto cancel = std::make_shared<Cancel>();
  calling->in_flight.emplace("1", cancel);
  clock.advance(std::chrono::minutes(20));
  sessions.find({}, used->id);
  clock.advance(std::chrono::minutes(20));
  EXPECT_EQ(sessions.find({}, idle->id), nullptr);
  EXPECT_NE(sessions.find({}, used->id), nullptr);
  EXPECT_NE(sessions.find({}, calling->id), nullptr);
  EXPECT_FALSE(cancel->requested());
}

TEST_F(Sessions, ANewOneTakesThePlaceOfItsPrincipalsOldestIdleOne) {
  HttpSessions sessions(clock, limits(10, 2));
  const auto busy = open(sessions, {"ada", ""});
  const auto cancel = std::make_shared<Cancel>();
  busy->in_flight.emplace("1", cancel);
  const auto idle = open(sessions, {"ada", ""});
  const auto third = open(sessions, {"ada", ""});
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(sessions.size(), 2u);
  EXPECT_FALSE(cancel->requested());
  EXPECT_NE(sessions.find({"ada", ""}, busy->id), nullptr);
  EXPECT_EQ(sessions.find({"ada", ""}, idle->id), nullptr);
  third->in_flight.emplace("1", std::make_shared<Cancel>());
  EXPECT_EQ(open(sessions, {"ada", ""}), nullptr);  // both are busy
  EXPECT_NE(open(sessions, {"bob", ""}), nullptr);
}

TEST_F(Sessions, NobodysIsTakenByAnotherPrincipal) {
  HttpSessions sessions(clock, limits(3, 2));
  const auto first = open(sessions, {"ada", ""});
  const auto second = open(sessions, {"ada", ""});
  const auto bobs = open(sessions, {"bob", ""});
  const auto later = open(sessions, {"bob", ""});  // in place of his own
  ASSERT_NE(later, nullptr);
  EXPECT_EQ(open(sessions, {"cyd", ""}), nullptr);
  EXPECT_NE(sessions.find({"ada", ""}, first->id), nullptr);
  EXPECT_NE(sessions.find({"ada", ""}, second->id), nullptr);
  EXPECT_EQ(sessions.find({"bob", ""}, bobs->id), nullptr);
  EXPECT_NE(sessions.find({"bob", ""}, later->id), nullptr);
  sessions.remove(*first);
  EXPECT_NE(open(sessions, {"cyd", ""}), nullptr);
}

TEST_F(Sessions, EndWithTheirDurableSession) {
  HttpSessions sessions(clock, limits(10, 10));
  const auto own = open(sessions, {"ada", ""});
  const auto in_path = open(sessions, {"ada", "", "kept"});
  const auto other = open(sessions, {"ada", "", "other"});
  sessions.remove_in("kept");
  EXPECT_TRUE(in_path->ended);
  sessions.remove_in(own->id);
  EXPECT_TRUE(own->ended);
  sessions.remove_in(other->id);  // the id of no durable session
  EXPECT_FALSE(other->ended);
  EXPECT_EQ(sessions.size(), 1u);
}

TEST_F(Sessions, TenThousandCostLittle) {
  HttpSessions sessions(clock, limits(20'000, 10'000));
  std::vector<std::string> ids;
  for (int i = 0; i < 20'000; ++i) ids.push_back(open(sessions)->id);
  EXPECT_EQ(sessions.size(), 10'000u);
  EXPECT_EQ(sessions.find({}, ids[9'999]), nullptr);
  EXPECT_NE(sessions.find({}, ids[10'000]), nullptr);
}

TEST(PostReply, ReadsWhatAClientAccepts) {
  const auto accepts = [](std::string_view field) {
    const auto read = PostReply::accepts(field);
    return std::pair(read.json, read.events);
  };
  EXPECT_EQ(accepts({}), std::pair(true, true));
  EXPECT_EQ(accepts("*/*"), std::pair(true, true));
  EXPECT_EQ(accepts("application/json"), std::pair(true, false));
  EXPECT_EQ(accepts("text/event-stream;q=0.5 , Application/JSON"), std::pair(true, true));
  EXPECT_EQ(accepts("text/html"), std::pair(false, false));
  EXPECT_EQ(accepts(""), std::pair(false, false));
}

}  // namespace
}  // namespace host::mcp
