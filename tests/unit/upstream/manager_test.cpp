// One upstream whose server is the test: when it connects, and when it reads.
#include "upstream/manager/upstream.h"

#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>

#include "fake_transport.h"
#include "support/manual_clock.h"
#include "support/run_until.h"

namespace host::upstream {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class UpstreamTest : public ::testing::Test {
 protected:
  UpstreamTest() {
    settings_.name = "u";
    config_.upstreams.probe_timeout = 1ms;
    config_.upstreams.restart_pause = 60s;
    config_.upstreams.restart_pause_most = 60s;
  }

  Upstream& make() {
    Upstream::Surroundings around{
        io_.get_executor(),
        config_,
        R"({"name":"t","version":"1"})",
        [this]() -> Result<std::unique_ptr<Transport>> {
          made_.push_back(std::make_shared<FakeTransport::State>());
          made_.back()->stdio = stdio_;
          made_.back()->may_be_replaced = may_be_replaced_;
          return std::unique_ptr<Transport>(std::make_unique<FakeTransport>(made_.back()));
        },
        clock_,
        std::make_shared<UpstreamMetrics>(metrics_),
        nullptr,
        secrets_,
        jobs_,
        [](const std::string&) {},
        [this](const std::shared_ptr<tool::Provider>& provider) {
          ++published_;
          provider_ = provider;
          return std::vector<tool::Refusal>();
        },
        [this](const std::vector<store::PinRecord>& records, const Upstream::Kept& done) {
          for (const auto& record : records) kept_.push_back(record);
          if (done) done(stored_);
        },
        20ms};
    around.tools_wait = tools_wait_;
    around.end_margin = end_margin_;
    around.keep_first = keep_first_;
    shared_settings_ = std::make_shared<const config::Upstream>(settings_);
    upstream_ = std::make_shared<Upstream>(shared_settings_, std::move(around));
    return *upstream_;
  }

  void until(const std::function<bool()>& is_so) { ASSERT_TRUE(test::run_until(io_, is_so)); }
  FakeTransport::State& server() { return *made_.back(); }
  void say(const std::string& text) { server().listener->message(text, {}); }
  void answer(const std::string& result) {
    say(R"({"jsonrpc":"2.0","id":)" + server().sent.back().id + R"(,"result":)" + result + "}");
  }
  void fail_request() {
    say(R"({"jsonrpc":"2.0","id":)" + server().sent.back().id +
        R"(,"error":{"code":-32603,"message":"not now"}})");
  }
  void list(const std::string& description) {
    answer(R"({"tools":[{"name":"a","description":")" + description +
           R"(","inputSchema":{"type":"object"}}]})");
  }
  void changed() { say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"); }
  std::string last() {
    return made_.empty() ? "" : server().sent.empty() ? "" : server().sent.back().method;
  }
  std::size_t lists() { return sent("tools/list"); }
  std::size_t sent(std::string_view method) {
    std::size_t count = 0;
    for (const auto& one : server().sent) count += one.method == method ? 1 : 0;
    return count;
  }
  // Calls the tool, and returns where the error of the call is written. It has no error at first.
  std::shared_ptr<std::string> call() { return call(invocation()); }
  std::shared_ptr<tool::Invocation> invocation() {
    auto made = std::make_shared<tool::Invocation>();
    made->tool = provider_->tools().at(0);
    made->arguments = "{}";
    return made;
  }
  // A call whose time is over already.
  std::shared_ptr<tool::Invocation> late_call() {
    auto late = invocation();
    late->deadline = steady_now();
    call(late);
    return late;
  }
  std::shared_ptr<std::string> call(const std::shared_ptr<tool::Invocation>& invocation) {
    auto error = std::make_shared<std::string>();
    invocation->set_on_finish([error](Result<tool::CallResult> result) {
      if (!result) *error = result.error().message;
      if (result && result->is_error) *error = result->content;
    });
    provider_->start(invocation);
    return error;
  }
  void begin() {
    if (!upstream_) make();
    upstream_->begin({}, {}, Connects::AsConfigured, [] {});
  }
  // From the first message to Ready.
  void shake_hands() {
    if (last() == "server/discover") fail_request();
    ASSERT_EQ(last(), "initialize");
    answer(R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},)"
           R"("serverInfo":{"name":"s","version":"2"}})");
    ASSERT_EQ(last(), "tools/list");
    list("x");
    until([&] { return upstream_->status().state == State::Ready; });
  }
  void lose_session() {
    server().listener->ended(Error{ErrorKind::NotFound, "it has forgotten the session"});
  }

  boost::asio::io_context io_;
  std::shared_ptr<JobThread> jobs_ = std::make_shared<JobThread>(io_.get_executor());
  metrics::Registry metrics_;
  config::Config config_;
  config::Upstream settings_;
  std::shared_ptr<const config::Upstream> shared_settings_;  // of the upstream that was made last
  test::ManualClock clock_;
  std::shared_ptr<tool::Provider> provider_;
  bool stdio_ = true;
  bool may_be_replaced_ = false;
  std::chrono::milliseconds tools_wait_ = 1h;
  std::chrono::milliseconds end_margin_ = 1h;
  std::vector<std::shared_ptr<FakeTransport::State>> made_;
  std::vector<store::PinRecord> kept_;
  Result<void> stored_;        // what the store says
  std::size_t published_ = 0;  // publications
  std::shared_ptr<Secrets> secrets_ = std::make_shared<Secrets>();
  Upstream::KeepFirst keep_first_;  // null: there is no store
  std::shared_ptr<Upstream> upstream_;
};

TEST_F(UpstreamTest, NothingConnectsBeforeWhatIsStoredWasRead) {
  Upstream& upstream = make();
  upstream.cannot_begin(Error{ErrorKind::Io, "the disk is gone"});
  std::vector<std::string> said;
  const auto done = [&](const Result<void>& outcome) {
    said.push_back(outcome ? "done" : outcome.error().message);
  };
  upstream.restart(done);
  upstream.refresh(done);
  EXPECT_THAT(said, ElementsAre(HasSubstr("the disk is gone"), HasSubstr("the disk is gone")));
  EXPECT_THAT(made_, SizeIs(0));
  EXPECT_THAT(upstream.status().last_error, HasSubstr("the disk is gone"));
  begin();
  EXPECT_THAT(made_, SizeIs(1));
  EXPECT_EQ(upstream.status().last_error, "");
}

TEST_F(UpstreamTest, HasNoCopyOfItsSettings) {
  const Upstream& made = make();
  EXPECT_EQ(&made.settings(), shared_settings_.get());
}

TEST_F(UpstreamTest, AReadingThatFailsIsTriedAgain) {
  begin();
  shake_hands();
  changed();
  until([&] { return lists() == 2; });
  changed();
  fail_request();
  EXPECT_THAT(upstream_->status().last_error, HasSubstr("not now"));
  until([&] { return lists() == 3; });
  list("x");
  until([&] { return upstream_->status().last_error.empty(); });
  changed();
  until([&] { return lists() == 4; });
}

TEST_F(UpstreamTest, AListThatAlwaysChangesIsReadMoreAndMoreRarely) {
  begin();
  shake_hands();
  int changes = 0;
  // After 20 + 40 + 80 + 160 ms of pauses. It may be fewer on a slow machine.
  const auto end = steady_now() + 300ms;
  while (steady_now() < end) {
    changed();
    const std::size_t before = lists();
    while (lists() == before && steady_now() < end) {
      io_.restart();
      io_.run_one_for(5ms);
    }
    if (lists() > before) list("changed " + std::to_string(++changes));
  }
  EXPECT_LE(lists(), 5u);
  until([&] { return upstream_->status().held.size() == 1; });
}

// Pauses that double would take more than two minutes.
TEST_F(UpstreamTest, AFileOfAnApiIsReadSoonAfterEachChange) {
  for (const bool fails : {false, true}) {
    settings_.openapi = "/api.json";
    upstream_ = nullptr;
    begin();
    shake_hands();
    int changes = 0;
    const auto end = steady_now() + 60s;
    while (changes < 13 && steady_now() < end) {
      changed();
      const std::size_t before = lists();
      while (lists() == before && steady_now() < end) {
        io_.restart();
        io_.run_one_for(100ms);
      }
      if (lists() == before) break;
      ++changes;
      fails ? fail_request() : list("changed " + std::to_string(changes));
    }
    EXPECT_EQ(changes, 13) << fails;
  }
}

TEST_F(UpstreamTest, AListThatIsBeingReadDoesNotKeepTheThread) {
  begin();
  fail_request();
  answer(R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
         R"("serverInfo":{"name":"s","version":"2"}})");
  ASSERT_EQ(last(), "tools/list");
  list("x");
  const std::weak_ptr<JobThread> left = jobs_;
  upstream_.reset();
  jobs_.reset();
  EXPECT_TRUE(left.expired());
}

class ReplaceableTest : public UpstreamTest {
 protected:
  ReplaceableTest() {
    stdio_ = false;
    may_be_replaced_ = true;
    begin();
    shake_hands();
  }
};

TEST_F(ReplaceableTest, ACallReadsAnOldListAndDoesNotReachAChangedTool) {
  clock_.advance(59s);
  call();
  EXPECT_EQ(sent("tools/call"), 1u);
  clock_.advance(1s);
  EXPECT_EQ(lists(), 1u) << "nobody called";
  const auto first = call();
  const auto second = call();
  EXPECT_EQ(lists(), 2u);
  list("changed");
  until([&] { return !first->empty() && !second->empty(); });
  EXPECT_THAT(*first, HasSubstr("the definition of its tool changed"));
  EXPECT_EQ(sent("tools/call"), 1u);
}

TEST_F(ReplaceableTest, ACallGoesOnIfTheListIsTheSame) {
  clock_.advance(60s);
  const auto error = call();
  EXPECT_EQ(sent("tools/call"), 0u);
  list("x");
  until([&] { return sent("tools/call") == 1; });
  call();
  EXPECT_EQ(lists(), 2u);
  EXPECT_EQ(*error, "");
}

TEST_F(ReplaceableTest, ACallGoesOnIfTheListCannotBeRead) {
  clock_.advance(60s);
  call();
  fail_request();
  until([&] { return sent("tools/call") == 1; });
  EXPECT_THAT(upstream_->status().last_error, HasSubstr("not now"));
  call();
  EXPECT_EQ(sent("tools/call"), 2u);
  clock_.advance(5s);
  call();
  EXPECT_EQ(lists(), 3u);
}

TEST_F(UpstreamTest, ACallDoesNotWaitForeverForTheList) {
  stdio_ = false;
  may_be_replaced_ = true;
  tools_wait_ = 1ms;
  begin();
  shake_hands();
  clock_.advance(60s);
  call();
  until([&] { return sent("tools/call") == 1; });
  EXPECT_EQ(lists(), 2u);
}

TEST_F(ReplaceableTest, TheServerSaysHowLongItsListIsGood) {
  clock_.advance(60s);
  call();
  answer(R"({"ttlMs":3000,"tools":[{"name":"a","description":"x",)"
         R"("inputSchema":{"type":"object"}}]})");
  until([&] { return sent("tools/call") == 1; });
  clock_.advance(2999ms);
  call();
  EXPECT_EQ(lists(), 2u);
  clock_.advance(1ms);
  call();
  EXPECT_EQ(lists(), 3u);
}

TEST_F(ReplaceableTest, ACallThatWaitsForTheListIsMadeOnTheNextConnection) {
  clock_.advance(60s);
  call();
  ASSERT_EQ(last(), "tools/list");
  lose_session();
  shake_hands();
  until([&] { return sent("tools/call") == 1; });
}

class ProbeTest : public UpstreamTest {
 protected:
  // From the first message to Ready, with protocol version 2026-07-28.
  void shake_modern_hands() {
    ASSERT_EQ(last(), "server/discover");
    discovered();
    ASSERT_EQ(last(), "tools/list");
    list("x");
    until([&] { return upstream_->status().state == State::Ready; });
  }
  void discovered() {
    answer(R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":)"
           R"({"tools":{}},"serverInfo":{"name":"m","version":"1"},"ttlMs":0})");
  }
  void refuse_over_http() {
    server().listener->failed(
        server().sent.back().id, Reached::No,
        Error{ErrorKind::InvalidArgument, "it answered with HTTP status 400"});
  }
};

TEST_F(ProbeTest, AnOlderServerInThePlaceOfANewerOneIsFound) {
  stdio_ = false;
  settings_.lazy = false;
  begin();
  shake_modern_hands();
  const auto error = call();
  refuse_over_http();
  EXPECT_THAT(*error, HasSubstr("status 400"));
  ASSERT_EQ(last(), "server/discover");
  refuse_over_http();
  ASSERT_TRUE(server().closed);
  server().listener->ended(Error{ErrorKind::Unavailable, "it was closed"});
  ASSERT_THAT(made_, SizeIs(2));
  shake_hands();
  EXPECT_EQ(sent("tools/call"), 0u) << "a call that may have been carried out is not repeated";
  call();
  EXPECT_EQ(sent("tools/call"), 1u);
}

TEST_F(ProbeTest, ACallThatAServerDoesNotUnderstandEndsNoConnection) {
  stdio_ = false;
  begin();
  shake_modern_hands();
  call();
  refuse_over_http();
  discovered();
  EXPECT_FALSE(server().closed);
  call();
  EXPECT_EQ(sent("tools/call"), 2u);
}

TEST_F(ProbeTest, AProcessThatHangsIsEnded) {
  config_.upstreams.start_timeout = 40ms;
  begin();
  shake_hands();
  const auto invocation = late_call();
  provider_->cancel(invocation);
  EXPECT_EQ(last(), "ping");
  until([&] { return server().closed; });
  EXPECT_EQ(sent("ping"), 2u);
  server().listener->ended(Error{ErrorKind::Unavailable, "it was closed"});
  EXPECT_THAT(upstream_->status().last_error, HasSubstr("it hung"));
}

TEST_F(ProbeTest, AProcessThatSendsSomethingIsNotAsked) {
  begin();
  shake_hands();
  const auto invocation = late_call();
  changed();
  provider_->cancel(invocation);
  EXPECT_EQ(sent("ping"), 0u);
}

TEST_F(UpstreamTest, AListOfAServerThatCannotBeReplacedUnseenIsNotReadForCalls) {
  begin();
  shake_hands();
  clock_.advance(24h);
  call();
  EXPECT_EQ(lists(), 1u);
  EXPECT_EQ(sent("tools/call"), 1u);
}

TEST_F(UpstreamTest, ASessionThatIsLostAgainAndAgainWaits) {
  stdio_ = false;
  settings_.lazy = false;
  begin();
  shake_hands();
  lose_session();
  ASSERT_THAT(made_, SizeIs(2)) << "the first loss is mended immediately";
  shake_hands();
  lose_session();
  EXPECT_THAT(made_, SizeIs(2));
  EXPECT_EQ(upstream_->status().state, State::Waiting);
}

TEST_F(UpstreamTest, ASessionThatAnsweredNoCallIsFollowedByTheNextOnlyIfSomebodyNeedsIt) {
  stdio_ = false;
  begin();
  shake_hands();
  clock_.advance(11s);
  lose_session();
  EXPECT_THAT(made_, SizeIs(1));
  EXPECT_EQ(upstream_->status().state, State::Idle);
  call();
  ASSERT_THAT(made_, SizeIs(2));
  shake_hands();
  ASSERT_EQ(last(), "tools/call");
  const Error forgotten{ErrorKind::NotFound, "it has forgotten the session"};
  server().listener->failed(server().sent.back().id, Reached::No, forgotten);
  clock_.advance(11s);
  lose_session();
  ASSERT_THAT(made_, SizeIs(3)) << "the call waits";
  shake_hands();
  EXPECT_EQ(last(), "tools/call");
}

TEST_F(UpstreamTest, ASessionThatAnsweredACallIsBegunAgainImmediatelyHoweverOften) {
  stdio_ = false;
  begin();
  for (std::size_t session = 1; session <= 4; ++session) {
    ASSERT_THAT(made_, SizeIs(session));
    shake_hands();
    call();
    answer(R"({"content":[]})");
    lose_session();
  }
  ASSERT_THAT(made_, SizeIs(5));
  shake_hands();
  lose_session();
  EXPECT_EQ(upstream_->status().state, State::Waiting) << "this one has answered no call";
}

TEST_F(UpstreamTest, AProcessThatAnswersACallAndDiesAtTheNextIsStartedMoreAndMoreRarely) {
  settings_.lazy = false;
  config_.upstreams.restart_pause = 1ms;
  begin();
  for (const auto pause : {1ms, 2ms, 4ms, 8ms}) {
    const std::size_t start = made_.size();
    shake_hands();
    call();
    answer(R"({"content":[]})");
    call();
    server().listener->ended(Error{ErrorKind::Unavailable, "it died"});
    EXPECT_EQ(upstream_->status().next_start, pause);
    until([&] { return made_.size() > start; });
  }
  shake_hands();
  clock_.advance(10s);
  server().listener->ended(Error{ErrorKind::Unavailable, "it died"});
  EXPECT_EQ(upstream_->status().next_start, 1ms) << "it was good";
}

TEST_F(UpstreamTest, TheReasonOfAServerThatNeverAnswersCountsBothStarts) {
  config_.upstreams.start_timeout = 20ms;
  begin();
  for (std::size_t start = 1; start <= 2; ++start) {
    ASSERT_THAT(made_, SizeIs(start));
    EXPECT_THAT(upstream_->status().last_error, IsEmpty());
    until([&] { return server().closed; });
    server().listener->ended(Error{ErrorKind::Unavailable, "its process was killed by SIGTERM"});
  }
  EXPECT_THAT(upstream_->status().last_error, HasSubstr("it did not answer initialize within"));
  EXPECT_THAT(upstream_->status().last_error, HasSubstr("started it twice"));
}

TEST_F(UpstreamTest, AServerThatNeverReadsAgainAfterDiscoverIsStartedAsAnOlderOne) {
  config_.upstreams.start_timeout = 20ms;
  begin();
  until([&] { return server().closed; });
  server().listener->ended(Error{ErrorKind::Unavailable, "its process was killed by SIGTERM"});
  ASSERT_THAT(made_, SizeIs(2));
  ASSERT_THAT(server().sent, SizeIs(1));
  EXPECT_EQ(server().sent[0].method, "initialize");
}

TEST_F(UpstreamTest, ARefreshDuringAReadingReadsAgain) {
  begin();
  shake_hands();
  changed();
  until([&] { return lists() == 2; });
  list("y");  // it is compared on the other thread now
  bool done = false;
  upstream_->refresh([&](const Result<void>& outcome) { done = outcome.has_value(); });
  EXPECT_EQ(lists(), 2u);
  until([&] { return lists() == 3; });
  EXPECT_FALSE(done) << "that was read before the order";
  list("z");
  until([&] { return done; });
}

TEST_F(UpstreamTest, ARestartDuringAReadingWaitsForTheNextConnection) {
  begin();
  shake_hands();
  changed();
  until([&] { return lists() == 2; });
  const std::size_t stored = kept_.size();
  list("y");
  bool done = false;
  upstream_->restart([&](const Result<void>& outcome) { done = outcome.has_value(); });
  until([&] { return kept_.size() > stored; });  // the list was compared
  for (int turn = 0; turn < 100; ++turn) {
    io_.restart();
    io_.poll();
  }
  EXPECT_EQ(upstream_->status().state, State::Starting);
  EXPECT_FALSE(done);
  server().listener->ended(Error{ErrorKind::Unavailable, "it was closed"});
  ASSERT_THAT(made_, SizeIs(2));
  shake_hands();
  until([&] { return done; });
}

TEST_F(UpstreamTest, AnAcceptedDefinitionThatCannotBeStoredIsReported) {
  begin();
  shake_hands();
  changed();
  until([&] { return lists() == 2; });
  list("y");
  until([&] { return upstream_->status().held.size() == 1; });
  stored_ = Error{ErrorKind::Io, "the disk is full"};
  std::string why;
  upstream_->accept("", upstream_->status().held_digest, "anna",
                    [&](const Result<void>& outcome) { why = outcome.error().message; });
  until([&] { return !why.empty(); });
  EXPECT_THAT(why, HasSubstr("the disk is full"));
  until([&] { return upstream_->status().held.empty(); });
}

TEST_F(UpstreamTest, ARefreshThatMeetsAnIdleStopIsAnswered) {
  settings_.idle_stop = 1ms;
  begin();
  shake_hands();
  until([&] { return server().closed; });
  bool done = false;
  upstream_->refresh([&](const Result<void>&) { done = true; });
  server().listener->ended(Error{ErrorKind::Unavailable, "it was closed"});
  ASSERT_THAT(made_, SizeIs(2));
  shake_hands();
  until([&] { return done; });
}

TEST_F(UpstreamTest, AStopDoesNotWaitForATransportForEver) {
  config_.upstreams.stop_timeout = 1ms;
  end_margin_ = 1ms;
  begin();
  shake_hands();
  bool stopped = false;
  upstream_->stop([&] { stopped = true; });
  EXPECT_FALSE(stopped);
  until([&] { return stopped; });
}

TEST_F(UpstreamTest, RetiredItEndsAndNeitherPublishesNorStoresAnyMore) {
  begin();
  shake_hands();
  until([&] { return !upstream_->status().tools.empty(); });
  const std::size_t stored = kept_.size();
  const std::size_t published = published_;
  const std::size_t read = lists();
  bool left = false;
  upstream_->retire("it was removed", 600s, [&] { left = true; });
  changed();
  until([&] { return server().closed; });
  EXPECT_FALSE(left);
  EXPECT_EQ(lists(), read);
  server().listener->ended(Error{ErrorKind::Unavailable, "it was closed"});
  EXPECT_TRUE(left);
  EXPECT_EQ(kept_.size(), stored);
  EXPECT_EQ(published_, published);
  ASSERT_THAT(made_, SizeIs(1));
}

TEST_F(UpstreamTest, RetiredWhileItStartsItEnds) {
  begin();
  bool left = false;
  upstream_->retire("it was removed", 600s, [&] { left = true; });
  until([&] { return server().closed; });
  server().listener->ended(Error{ErrorKind::Unavailable, "it was closed"});
  EXPECT_TRUE(left);
  ASSERT_THAT(made_, SizeIs(1));
}

TEST_F(UpstreamTest, RetiredItEndsWhenItsProcessDies) {
  begin();
  shake_hands();
  bool left = false;
  upstream_->retire("it was removed", 600s, [&] { left = true; });
  server().listener->ended(Error{ErrorKind::Unavailable, "it died"});
  until([&] { return left; });
  ASSERT_THAT(made_, SizeIs(1));
}

TEST_F(UpstreamTest, AStopWhileItIsRetiredIsAnswered) {
  begin();
  shake_hands();
  upstream_->retire("it was removed", 600s, [] {});
  bool stopped = false;
  upstream_->stop([&] { stopped = true; });
  until([&] { return server().closed; });
  server().listener->ended(Error{ErrorKind::Unavailable, "it was closed"});
  until([&] { return stopped; });
}

TEST_F(UpstreamTest, HeldItConnectsOnceItIsReleased) {
  make().hold();
  begin();
  EXPECT_THAT(made_, SizeIs(0));
  EXPECT_EQ(upstream_->status().state, State::Starting);
  upstream_->release();
  ASSERT_THAT(made_, SizeIs(1));
  shake_hands();
}

// ---- the first list, with a store

class FirstListTest : public UpstreamTest {
 protected:
  using Stored = Result<std::vector<store::PinRecord>>;

  void make_with_store() {
    keep_first_ = [this](std::vector<store::PinRecord> records, PinWriter::FirstDone done) {
      first_ = std::move(records);
      store_says_ = std::move(done);
    };
    make();
  }
  void read_first_list() {
    begin();
    fail_request();
    answer(R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},)"
           R"("serverInfo":{"name":"s","version":"2"}})");
    list("x");
    until([&] { return store_says_ != nullptr; });
  }
  void settle_jobs() {
    bool is_over = false;
    jobs_->run([] { return false; }, [&] { is_over = true; });
    until([&] { return is_over; });
  }
  bool serves() { return !upstream_->status().tools.empty(); }

  std::vector<store::PinRecord> first_;
  PinWriter::FirstDone store_says_;
};

TEST_F(FirstListTest, NothingOfItIsServedBeforeTheStoreHasARecord) {
  make_with_store();
  read_first_list();
  settle_jobs();
  EXPECT_FALSE(serves());
  EXPECT_EQ(upstream_->status().state, State::Starting);
  store_says_(Error{ErrorKind::Io, "the disk is full"});
  until([&] { return upstream_->status().state == State::Ready; });
  EXPECT_FALSE(serves());
  EXPECT_FALSE(upstream_->known_tools().has_value());
  EXPECT_TRUE(upstream_->pins().empty());  // a successor begins anew
  EXPECT_THAT(upstream_->status().last_error, HasSubstr("the disk is full"));
  store_says_(first_);
  until([&] { return serves(); });
  EXPECT_EQ(upstream_->status().last_error, "");
  EXPECT_THAT(upstream_->pins(), SizeIs(2));
}

TEST_F(FirstListTest, AnOrderToReadItSaysThatItsDefinitionsAreNotStored) {
  make_with_store();
  read_first_list();
  store_says_(Error{ErrorKind::Io, "the disk is full"});
  until([&] { return upstream_->status().state == State::Ready; });
  std::string refreshed;
  upstream_->refresh(
      [&](const Result<void>& outcome) { refreshed = outcome ? "done" : outcome.error().message; });
  store_says_ = nullptr;
  list("changed");  // nobody has seen the former one, so this one is the first
  until([&] { return store_says_ != nullptr; });
  store_says_(Error{ErrorKind::Io, "the disk is full"});
  until([&] { return !refreshed.empty(); });
  EXPECT_THAT(refreshed, HasSubstr("the disk is full"));
  store_says_(first_);
  until([&] { return serves(); });
  EXPECT_THAT(upstream_->status().held, SizeIs(0));
}

TEST_F(FirstListTest, WhatAnotherHostHasAcceptedBeforeCounts) {
  make_with_store();
  read_first_list();
  std::vector<store::PinRecord> of_the_other = first_;
  of_the_other.back().accepted = R"({"name":"a","description":"before"})";
  store_says_(of_the_other);
  until([&] { return upstream_->status().held.size() == 1; });
  EXPECT_FALSE(serves());
  EXPECT_EQ(kept_.back().accepted, of_the_other.back().accepted);
}

TEST_F(FirstListTest, WithoutPinsNobodyWaitsForTheStore) {
  settings_.pin = config::Pin::Off;
  make_with_store();
  begin();
  shake_hands();
  until([&] { return serves(); });
  EXPECT_EQ(store_says_, nullptr);
}

// ---- secrets

TEST_F(UpstreamTest, NoTextOfItsStatusHasASecret) {
  secrets_->add("tok_0123456789abcdefghijklmnopqrstuvwxyz");
  begin();
  fail_request();
  answer(R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},)"
         R"("resources":{}},"serverInfo":{"name":"tok_0123456789abcdefghijklmnopqrstuvwxyz",)"
         R"("version":"2"}})");
  list("x");
  const auto answer_list = [&](const std::string& method, const std::string& member) {
    until([&] { return last() == method; });
    answer("{\"" + member +
           R"(":[{"uri":"a:tok_0123456789abcdefghijklmnopqrstuvwxyz","name":"n",)"
           R"("uriTemplate":"b:tok_0123456789abcdefghijklmnopqrstuvwxyz{x}"},)"
           R"({"uri":"no uri tok_0123456789abcdefghijklmnopqrstuvwxyz","name":7}]})");
  };
  answer_list("resources/list", "resources");
  answer_list("resources/templates/list", "resourceTemplates");
  until([&] { return !upstream_->status().templates.empty(); });
  changed();
  until([&] { return lists() == 2; });
  list(std::string(2030, 'x') + "tok_0123456789abcdefghijklmnopqrstuvwxyz");
  until([&] { return upstream_->status().held.size() == 1; });
  changed();
  until([&] { return lists() == 3; });
  say(R"({"jsonrpc":"2.0","id":)" + server().sent.back().id +
      R"(,"error":{"code":-32603,"message":"tok_0123456789abcdefghijklmnopqrstuvwxyz?"}})");
  const std::string shown = as_json(upstream_->status());
  EXPECT_THAT(shown, ::testing::Not(HasSubstr("tok_")));
  EXPECT_THAT(shown, HasSubstr("a:[secret]"));
  EXPECT_THAT(shown, HasSubstr("b:[secret]{x}"));
  EXPECT_THAT(upstream_->status().last_error, HasSubstr("[secret]?"));
  secrets_->remove("tok_0123456789abcdefghijklmnopqrstuvwxyz");
  EXPECT_THAT(upstream_->status().resources, ElementsAre(HasSubstr("a:tok_")));
  secrets_->add("tok_0123456789abcdefghijklmnopqrstuvwxyz");
  EXPECT_THAT(upstream_->status().resources, ElementsAre("a:[secret]"));
}

TEST_F(UpstreamTest, ItsRecordsAreThoseThatItsSuccessorBeginsWith) {
  begin();
  shake_hands();
  const auto records = upstream_->pins();
  make();
  upstream_->begin(records, {}, Connects::WhenCalled, [] {});
  until([&] { return !upstream_->status().tools.empty(); });
  EXPECT_EQ(upstream_->status().tools.front(), "mcp__u__a");
  ASSERT_THAT(made_, SizeIs(1));
}

// What another host with the same store read at this time.
std::vector<store::PinRecord> held_at(WallTime time) {
  store::PinRecord record;
  record.upstream = "u";
  record.tool = "a";
  record.held = "{}";
  record.offered = true;
  record.changed = time;
  return {record};
}

TEST_F(UpstreamTest, WhatItNoLongerOffersDoesNotWaitAtAnotherHost) {
  begin();
  const WallTime connected = clock_.wall();
  shake_hands();
  EXPECT_THAT(upstream_->held_elsewhere(held_at(connected)), SizeIs(1));
  clock_.advance(1s);
  bool is_read = false;
  upstream_->refresh([&](const Result<void>&) { is_read = true; });
  EXPECT_THAT(upstream_->held_elsewhere(held_at(connected)), SizeIs(1));
  list("x");
  until([&] { return is_read; });
  EXPECT_THAT(upstream_->held_elsewhere(held_at(connected)), SizeIs(0));
  EXPECT_THAT(upstream_->held_elsewhere(held_at(clock_.wall())), SizeIs(1));
}

TEST_F(UpstreamTest, TheProcessOfAnotherHostCanOfferWhatTheProcessHereDoesNot) {
  settings_.command = "server";
  begin();
  const WallTime connected = clock_.wall();
  shake_hands();
  clock_.advance(1s);
  bool is_read = false;
  upstream_->refresh([&](const Result<void>&) { is_read = true; });
  list("x");
  until([&] { return is_read; });
  EXPECT_THAT(upstream_->held_elsewhere(held_at(connected)), SizeIs(1));
  EXPECT_THAT(upstream_->held_elsewhere(held_at(connected - 1s)), SizeIs(0));
}

// ---- a session that the upstream has forgotten, while calls are open

class LeavingTest : public UpstreamTest {
 protected:
  struct Call {
    std::string id;  // of its request
    std::shared_ptr<std::string> error;
    std::shared_ptr<tool::Invocation> invocation;
    std::string content;
  };
  LeavingTest() { stdio_ = false; }
  std::unique_ptr<Call> begin_call() {
    auto made = std::make_unique<Call>();
    made->invocation = invocation();
    made->invocation->set_on_finish([call = made.get()](Result<tool::CallResult> result) {
      call->content = result ? result->content : result.error().message;
    });
    provider_->start(made->invocation);
    made->id = server().sent.back().id;
    return made;
  }
  // One of two calls gets the answer that the session is not known.
  void leave() {
    begin();
    shake_hands();
    slow_ = begin_call();
    late_ = begin_call();
    lost_ = begin_call();
    old_ = made_.back();
    old_->listener->failed(lost_->id, Reached::No, kForgotten);
    old_->listener->leaving(kForgotten);
  }
  void answer_old(const std::string& id) {
    old_->listener->message(R"({"jsonrpc":"2.0","id":)" + id +
                                R"(,"result":{"content":[{"type":"text","text":"done"}]}})",
                            id);
  }

  const Error kForgotten{ErrorKind::NotFound, "it has forgotten the session"};
  std::shared_ptr<FakeTransport::State> old_;
  std::unique_ptr<Call> slow_;
  std::unique_ptr<Call> late_;
  std::unique_ptr<Call> lost_;
};

TEST_F(LeavingTest, OnlyTheCallsWithoutAnOpenResponseAreSentAgain) {
  leave();
  ASSERT_THAT(made_, SizeIs(2));
  EXPECT_EQ(slow_->content, "");
  shake_hands();
  EXPECT_EQ(sent("tools/call"), 1u);
  answer_old(slow_->id);
  EXPECT_THAT(slow_->content, HasSubstr("done"));
  old_->listener->failed(late_->id, Reached::No, kForgotten);
  EXPECT_EQ(sent("tools/call"), 2u);
  old_->listener->ended(kForgotten);
  until([&] { return old_->listener == nullptr; });
  EXPECT_EQ(upstream_->status().state, State::Ready);
  EXPECT_EQ(upstream_->status().running, 2u);
  EXPECT_EQ(lost_->content, "");
}

TEST_F(LeavingTest, ACancelReachesTheConnectionOfItsCall) {
  leave();
  shake_hands();
  provider_->cancel(slow_->invocation);
  EXPECT_THAT(old_->cancelled, ElementsAre(slow_->id));
  EXPECT_THAT(server().cancelled, SizeIs(0));
}

TEST_F(LeavingTest, TheEndOfTheUpstreamFailsThem) {
  leave();
  bool stopped = false;
  upstream_->stop([&] { stopped = true; });
  EXPECT_THAT(slow_->content, HasSubstr("the host stops"));
  EXPECT_THAT(late_->content, HasSubstr("the host stops"));
  EXPECT_THAT(lost_->content, HasSubstr("the host stops"));
  until([&] { return old_->listener == nullptr; });
}

TEST_F(LeavingTest, RetiredItWaitsForThem) {
  leave();  // the next connection is not there yet
  bool gone = false;
  upstream_->retire("it was changed", 600s, [&] { gone = true; });
  io_.restart();
  io_.poll();
  EXPECT_EQ(slow_->content, "");
  answer_old(slow_->id);
  answer_old(late_->id);
  EXPECT_THAT(slow_->content, HasSubstr("done"));
  EXPECT_THAT(late_->content, HasSubstr("done"));
  until([&] { return server().closed; });
  server().listener->ended(Error{ErrorKind::Unavailable, "it was closed"});
  EXPECT_TRUE(gone);
}

TEST_F(LeavingTest, ForgottenWhileItIsRetiredItWaitsForThem) {
  begin();
  shake_hands();
  slow_ = begin_call();
  old_ = made_.back();
  bool gone = false;
  upstream_->retire("it was changed", 600s, [&] { gone = true; });
  old_->listener->leaving(kForgotten);
  io_.restart();
  io_.poll();
  EXPECT_EQ(slow_->content, "");
  EXPECT_FALSE(gone);
  answer_old(slow_->id);
  EXPECT_THAT(slow_->content, HasSubstr("done"));
  until([&] { return gone; });
  ASSERT_THAT(made_, SizeIs(1));
}

// Its next page is asked for once a job has read this one.
TEST_F(LeavingTest, AListOfTheOldSessionIsNotTaken) {
  settings_.lazy = false;
  begin();
  shake_hands();
  slow_ = begin_call();
  old_ = made_.back();
  changed();
  until([&] { return lists() == 2; });
  answer(R"({"tools":[],"nextCursor":"2"})");
  old_->listener->leaving(kForgotten);
  ASSERT_THAT(made_, SizeIs(2));
  shake_hands();
  answer_old(slow_->id);
  old_->listener->ended(kForgotten);
  until([&] { return old_->listener == nullptr; });
  EXPECT_EQ(upstream_->status().state, State::Ready);
  EXPECT_EQ(upstream_->status().last_error, "");
}

TEST_F(LeavingTest, ARestartFailsThem) {
  leave();
  upstream_->restart([](const Result<void>&) {});
  EXPECT_THAT(slow_->content, HasSubstr("ended the connection"));
  EXPECT_EQ(lost_->content, "");
}

}  // namespace
}  // namespace host::upstream
