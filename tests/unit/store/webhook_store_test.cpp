// The contract of store::WebhookStore.
#include "store/part/webhook_store.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "store/sqlite/columns.h"
#include "store/sqlite/sqlite.h"
#include "store/store.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Then = WebhookOutcome::Then;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WebhookClock final : public Clock {
 public:
  SteadyTime steady() const override { return {}; }
  WallTime wall() const override { return now; }
  WallTime now{std::chrono::hours(24 * 365 * 50)};
};

class WebhookStoreTest : public ::testing::Test {
 protected:
  WebhookStoreTest() {
    std::string name = (fs::temp_directory_path() / "webhook-store-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    options_.webhooks.per_principal = 3;
    options_.webhooks.all = 5;
    options_.webhooks.waiting = 4;
    options_.webhooks.dead = 2;
    options_.webhooks.keep = 24h;
    store_ = open();
  }
  ~WebhookStoreTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  std::unique_ptr<Store> open() {
    return open_sqlite_store(folder_ / "toolpost.db", clock_, options_).value();
  }
  WebhookStore& hooks() { return store_->webhooks(); }
  WebhookRecord add(const std::string& id, const std::string& principal = "anna",
                    WebhookCovers covers = WebhookCovers::Principal, std::uint32_t events = 1) {
    WebhookRecord record;
    record.id = id;
    record.principal = principal;
    record.url = "https://hooks.example/" + id;
    record.events = events;
    record.covers = covers;
    record.secret = "canary-of-" + id;
    record.created = record.changed = clock_.now;
    EXPECT_EQ(hooks().add(record).value(), WebhookStore::Added::Yes);
    return record;
  }
  static WebhookEvent event(const std::string& id, const std::string& principal = "anna") {
    WebhookEvent made;
    made.id = id;
    made.type = 1;
    made.principal = principal;
    made.body = "{\"id\":\"" + id + "\"}";
    return made;
  }
  std::vector<std::string> take(const std::string& webhook, std::uint32_t most = 10,
                                const std::vector<WebhookOutcome>& ended = {}) {
    const auto taken =
        hooks().take(ended, {{webhook, most}}, "here", clock_.now, clock_.now + 1min);
    std::vector<std::string> ids;
    for (const WebhookDelivery& one : taken.value().deliveries) ids.push_back(one.event);
    next_ = taken.value().next.front().due;
    return ids;
  }
  void end(const std::string& webhook, const std::string& event, Then then,
           std::uint32_t attempts = 1) {
    const WebhookOutcome outcome{webhook, event, attempts, then, clock_.now + 5s, "status 500"};
    ASSERT_TRUE(hooks().take({outcome}, {}, "here", clock_.now, clock_.now));
  }
  WebhookRecord found(const std::string& id) { return *hooks().find(id).value(); }

  fs::path folder_;
  WebhookClock clock_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
  std::optional<WallTime> next_;
};

TEST_F(WebhookStoreTest, KeepsAWebhookOverARestart) {
  WebhookRecord record = add("a");
  record.old_secrets = {{"older", clock_.now + 1h}, {std::string("\0\n", 2), clock_.now + 2h}};
  record.enabled = false;
  record.reason = "gone";
  ASSERT_TRUE(hooks().change("a", [&](WebhookRecord& now) -> Result<void> {
    now = record;
    return {};
  }));
  store_ = open();
  const WebhookRecord kept = found("a");
  EXPECT_EQ(kept.url, record.url);
  EXPECT_EQ(kept.secret, "canary-of-a");
  ASSERT_EQ(kept.old_secrets.size(), 2u);
  EXPECT_EQ(kept.old_secrets[0].secret, "older");
  EXPECT_EQ(kept.old_secrets[0].until, clock_.now + 1h);
  EXPECT_EQ(kept.old_secrets[1].secret, std::string("\0\n", 2));
  EXPECT_EQ(kept.old_secrets[1].until, clock_.now + 2h);
  EXPECT_FALSE(kept.enabled);
  EXPECT_EQ(kept.reason, "gone");
  EXPECT_EQ(hooks().find("b").value(), std::nullopt);
  EXPECT_TRUE(hooks().remove("a").value());
  EXPECT_FALSE(hooks().remove("a").value());
}

TEST_F(WebhookStoreTest, KeepsTheReplacedSecretOfAnOlderHost) {
  add("a");
  store_.reset();
  const std::string until = std::to_string(milliseconds_of(clock_.now + 1h));
  ASSERT_TRUE(Sqlite::open(folder_ / "toolpost.db")
                  .value()
                  ->run(("UPDATE webhook SET old_secret = secret, old_until = " + until).c_str()));
  store_ = open();
  for (int restart = 0; restart < 2; ++restart) {  // the second one reads what this host wrote
    ASSERT_EQ(found("a").old_secrets.size(), 1u);
    EXPECT_EQ(found("a").old_secrets[0].secret, "canary-of-a");
    EXPECT_EQ(found("a").old_secrets[0].until, clock_.now + 1h);
    ASSERT_TRUE(hooks().change("a", [](WebhookRecord&) { return Result<void>(); }));
    store_ = open();
  }
}

TEST_F(WebhookStoreTest, SealsSecrets) {
  add("a");
  for (const auto& entry : fs::directory_iterator(folder_)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(bytes.find("canary-of-a"), std::string::npos) << entry.path();
  }
}

TEST_F(WebhookStoreTest, BoundsWebhooksOfOnePrincipalAndOfAll) {
  WebhookRecord record = add("a");
  EXPECT_EQ(hooks().add(record).value(), WebhookStore::Added::Exists);
  add("b");
  add("c");
  record.id = "d";
  EXPECT_EQ(hooks().add(record).value(), WebhookStore::Added::Full);
  add("e", "ben");
  add("f", "ben");
  record.principal = "cleo";
  EXPECT_EQ(hooks().add(record).value(), WebhookStore::Added::Full);
}

TEST_F(WebhookStoreTest, QueuesForThoseThatCoverTheEvent) {
  add("own");
  add("named", "anna", WebhookCovers::Named);
  add("all", "eve", WebhookCovers::All);
  add("foreign", "ben");
  add("other_type", "ben", WebhookCovers::All, 2);
  EXPECT_EQ(hooks().queue({event("1")}).value(), 2u);
  WebhookEvent named = event("2");
  named.webhooks = {"named", "foreign"};
  EXPECT_EQ(hooks().queue({named}).value(), 3u);
  EXPECT_THAT(take("own"), ElementsAre("1", "2"));
  EXPECT_THAT(take("named"), ElementsAre("2"));
  EXPECT_THAT(take("all"), ElementsAre("1", "2"));
  EXPECT_THAT(take("foreign"), IsEmpty());
  EXPECT_THAT(take("other_type"), IsEmpty());
}

TEST_F(WebhookStoreTest, AnEventOfTheHostGoesToAllThatWantIt) {
  add("a", "anna", WebhookCovers::Named);
  WebhookEvent of_host = event("1", "");
  of_host.of_host = true;
  EXPECT_EQ(hooks().queue({of_host}).value(), 1u);
  EXPECT_THAT(take("a"), ElementsAre("1"));
}

TEST_F(WebhookStoreTest, ATakenOneIsDueAgainLater) {
  add("a");
  ASSERT_TRUE(hooks().queue({event("1"), event("2")}));
  EXPECT_THAT(take("a", 1), ElementsAre("1"));
  EXPECT_THAT(take("a"), ElementsAre("2"));
  EXPECT_THAT(take("a"), IsEmpty());
  EXPECT_EQ(next_, clock_.now + 1min);
  clock_.now += 1min;
  EXPECT_THAT(take("a"), ElementsAre("1", "2"));
}

TEST_F(WebhookStoreTest, WhatAnEarlierHostHadTakenIsReleased) {
  add("a");
  ASSERT_TRUE(hooks().queue({event("1")}));
  take("a");
  ASSERT_TRUE(hooks().release("elsewhere", clock_.now));
  EXPECT_THAT(take("a"), IsEmpty());
  ASSERT_TRUE(hooks().release("here", clock_.now));
  EXPECT_THAT(take("a"), ElementsAre("1"));
}

TEST_F(WebhookStoreTest, AnOutcomeCountsOnceAndOnlyForItsOwnAttempt) {
  add("a");
  ASSERT_TRUE(hooks().queue({event("1")}));
  take("a");
  clock_.now += 1min;
  take("a");  // a different host was faster
  end("a", "1", Then::Delivered, 1);
  EXPECT_EQ(found("a").waiting, 1u);
  end("a", "1", Then::Delivered, 2);
  end("a", "1", Then::Delivered, 2);
  EXPECT_EQ(found("a").waiting, 0u);
  EXPECT_EQ(found("a").delivered, 1u);
  EXPECT_EQ(found("a").last_success, clock_.now);
}

TEST_F(WebhookStoreTest, AFailedOneIsDueAgainAndOneThatWasGivenBackCountsNoAttempt) {
  add("a");
  ASSERT_TRUE(hooks().queue({event("1")}));
  take("a");
  end("a", "1", Then::Back);
  clock_.now += 5s;
  EXPECT_EQ(found("a").failure, "");
  take("a");
  end("a", "1", Then::Again, 1);
  EXPECT_THAT(take("a"), IsEmpty());
  EXPECT_EQ(next_, clock_.now + 5s);
  EXPECT_EQ(found("a").failure, "status 500");
  EXPECT_EQ(found("a").last_failure, clock_.now);
  const auto waiting = hooks().deliveries("a", false, "", 10).value();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].attempts, 1u);
  EXPECT_EQ(waiting[0].failure, "status 500");
}

TEST_F(WebhookStoreTest, ADayWithoutAttemptsBringsNoDeliveryNearerToItsEnd) {
  add("a");
  ASSERT_TRUE(hooks().queue({event("1")}));
  const WallTime queued = clock_.now;
  const auto take_one = [&] {
    return hooks()
        .take({}, {{"a", 10}}, "here", clock_.now, clock_.now + 1min)
        .value()
        .deliveries.front();
  };
  take("a");
  end("a", "1", Then::Again, 1);
  clock_.now += 23h;
  EXPECT_EQ(take_one().since, queued);
  end("a", "1", Then::Again, 2);
  clock_.now += 25h;
  const WebhookDelivery anew = take_one();
  EXPECT_EQ(anew.since, clock_.now);
  EXPECT_EQ(anew.attempts, 1u);
}

TEST_F(WebhookStoreTest, DeadLettersAreListedReplayedAndBounded) {
  add("a");
  ASSERT_TRUE(hooks().queue({event("1"), event("2"), event("3")}));
  take("a");
  for (const char* const id : {"1", "2", "3"}) {
    end("a", id, Then::Dead);
    clock_.now += 1s;
  }
  const auto dead = hooks().deliveries("a", true, "", 10).value();
  ASSERT_EQ(dead.size(), 2u) << "the oldest made room";
  EXPECT_EQ(dead[0].event, "3");
  EXPECT_EQ(hooks().deliveries("a", true, "3", 10).value().at(0).event, "2");
  for (const char* const gone : {"1", "unknown"})
    EXPECT_EQ(hooks().deliveries("a", true, gone, 10).error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(hooks().deliveries("a", false, "3", 10).error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(found("a").dead, 2u);
  EXPECT_EQ(hooks().replay("a", {"2", "unknown"}, clock_.now).value(), 1u);
  EXPECT_THAT(take("a"), ElementsAre("2"));
  EXPECT_EQ(hooks().replay("a", {}, clock_.now).value(), 1u);
  EXPECT_THAT(take("a"), ElementsAre("3"));
  EXPECT_EQ(found("a").dead, 0u);
  EXPECT_EQ(found("a").waiting, 2u);
}

TEST_F(WebhookStoreTest, OldDeadLettersAreForgotten) {
  add("a");
  ASSERT_TRUE(hooks().queue({event("1"), event("2")}));
  take("a");
  end("a", "1", Then::Dead);
  clock_.now += 25h;
  end("a", "2", Then::Dead);
  EXPECT_EQ(hooks().deliveries("a", true, "", 10).value().size(), 1u);
  EXPECT_EQ(found("a").dead, 1u);
}

TEST_F(WebhookStoreTest, TheBoundIsOfAllWebhooksOfAPrincipal) {
  add("a");
  add("b");
  add("c", "ben", WebhookCovers::All);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(hooks().queue({event(std::to_string(i))}));
  EXPECT_EQ(found("a").waiting + found("b").waiting, 4u);
  EXPECT_EQ(found("a").dropped + found("b").dropped, 2u);
  EXPECT_EQ(found("c").waiting, 3u);
}

TEST_F(WebhookStoreTest, TheBoundIsTheSameForEventsThatAreQueuedTogether) {
  add("a");
  add("b");
  add("c", "ben", WebhookCovers::All);
  std::vector<WebhookEvent> events;
  for (int i = 0; i < 3; ++i) events.push_back(event(std::to_string(i)));
  events.push_back(event("2"));  // it waits already at those that have it
  EXPECT_EQ(hooks().queue(events).value(), 7u);
  EXPECT_EQ(found("a").waiting + found("b").waiting, 4u);
  EXPECT_EQ(found("c").waiting, 3u);
  EXPECT_EQ(found("c").dropped, 0u);
}

TEST_F(WebhookStoreTest, TooManyWaitingLoseTheNewestAndAreCounted) {
  add("a");
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(hooks().queue({event(std::to_string(i))}));
  EXPECT_EQ(found("a").waiting, 4u);
  EXPECT_EQ(found("a").dropped, 2u);
  ASSERT_TRUE(hooks().queue({event("0")}));  // it waits already
  EXPECT_EQ(found("a").dropped, 3u);
  EXPECT_EQ(found("a").waiting, 4u);
}

TEST_F(WebhookStoreTest, DisablingMakesDeadLettersOfWhatWaits) {
  add("a");
  ASSERT_TRUE(hooks().queue({event("1"), event("2")}));
  const auto disabled = hooks().change("a", [](WebhookRecord& record) -> Result<void> {
    record.enabled = false;
    record.reason = "gone";
    return {};
  });
  EXPECT_EQ(disabled.value()->dead, 2u);
  EXPECT_EQ(disabled.value()->waiting, 0u);
  EXPECT_EQ(hooks().queue({event("3")}).value(), 0u);
  EXPECT_THAT(take("a"), IsEmpty());
}

TEST_F(WebhookStoreTest, WhatWasDeliveredWhileItsWebhookWasDisabledIsNoDeadLetter) {
  add("a");
  ASSERT_TRUE(hooks().queue({event("1"), event("2")}));
  take("a");
  ASSERT_TRUE(hooks().change("a", [](WebhookRecord& record) -> Result<void> {
    record.enabled = false;
    record.reason = "gone";
    return {};
  }));
  end("a", "1", Then::Delivered);
  end("a", "2", Then::Dead);
  EXPECT_EQ(found("a").delivered, 1u);
  EXPECT_EQ(found("a").dead, 1u);
  EXPECT_EQ(found("a").waiting, 0u);
  EXPECT_EQ(hooks().deliveries("a", true, "", 10).value().at(0).failure, "status 500");
}

TEST_F(WebhookStoreTest, AKeyOfAnAgentHasTheEventsOfItsCallsAlone) {
  WebhookRecord record = add("any");
  record.id = "coder";
  record.agent = "coder";
  ASSERT_EQ(hooks().add(record).value(), WebhookStore::Added::Yes);
  WebhookEvent one = event("1");
  one.agent = "coder";
  WebhookEvent other = event("2");
  other.agent = "writer";
  ASSERT_TRUE(hooks().queue({one, other, event("3")}));
  EXPECT_THAT(take("coder"), ElementsAre("1"));
  EXPECT_THAT(take("any"), ElementsAre("1", "2", "3"));
}

TEST_F(WebhookStoreTest, OneWhoseSecretCannotBeReadHidesNoOther) {
  add("a");
  add("b");
  store_.reset();
  {
    auto database = Sqlite::open(folder_ / "toolpost.db").value();
    ASSERT_TRUE(database->run("UPDATE webhook SET secret = x'0102' WHERE id = 'a'"));
  }
  store_ = open();
  const auto all = hooks().list().value();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].id, "b");
  EXPECT_TRUE(hooks().remove("a").value());
}

TEST_F(WebhookStoreTest, WhatWaitsForAPausedWebhookStays) {
  add("a");
  ASSERT_TRUE(hooks().queue({event("1")}));
  const auto pause = [&](bool enabled) {
    return hooks().change("a", [enabled](WebhookRecord& record) -> Result<void> {
      record.enabled = enabled;
      return {};
    });
  };
  EXPECT_EQ(pause(false).value()->waiting, 1u);
  EXPECT_EQ(hooks().queue({event("2")}).value(), 0u);
  EXPECT_EQ(pause(true).value()->waiting, 1u);
  EXPECT_THAT(take("a"), ElementsAre("1"));
}

TEST_F(WebhookStoreTest, ARefusedChangeChangesNothing) {
  add("a");
  const auto refused = hooks().change("a", [](WebhookRecord& record) -> Result<void> {
    record.url = "https://other.example/";
    return Error{ErrorKind::Denied, "no"};
  });
  EXPECT_EQ(refused.error().kind, ErrorKind::Denied);
  EXPECT_EQ(found("a").url, "https://hooks.example/a");
}

TEST_F(WebhookStoreTest, IsStoredTogetherWithWhatItTellsOf) {
  add("a");
  const auto failed = store_->together([&]() -> Result<void> {
    HOST_TRY(hooks().queue({event("1")}));
    return Error{ErrorKind::Io, "what it tells of is not stored"};
  });
  EXPECT_FALSE(failed);
  EXPECT_THAT(take("a"), IsEmpty());
  ASSERT_TRUE(store_->together([&]() -> Result<void> {
    HOST_TRY(hooks().queue({event("1")}));
    return {};
  }));
  EXPECT_THAT(take("a"), ElementsAre("1"));
}

}  // namespace
}  // namespace host::store
