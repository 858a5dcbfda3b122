// Deliveries from a store to receivers of this test, on the same loop.
#include "webhook/deliveries.h"

#include <gmock/gmock.h>
#include <unistd.h>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "store/store.h"
#include "support/http_server.h"
#include "taking_store.h"
#include "webhook/event.h"
#include "webhook/signature.h"

namespace host::webhook {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::HttpServer;

constexpr const char* kAccepted = "HTTP/1.1 204 No Content\r\n\r\n";
constexpr const char* kFailed = "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n";

// The time of this machine, and hours that a test adds.
class AheadClock final : public Clock {
 public:
  SteadyTime steady() const override { return system_clock().steady() + ahead; }
  WallTime wall() const override { return system_clock().wall() + ahead; }
  std::chrono::milliseconds ahead{0};
};

class DeliveriesTest : public ::testing::Test {
 protected:
  DeliveriesTest() {
    std::string name = (fs::temp_directory_path() / "deliveries-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    options_.webhooks.per_principal = 100;
    store_ = store::open_sqlite_store(folder_ / "toolpost.db", clock_, options_).value();
    desk_ = std::make_shared<store::Desk>(
        io.get_executor(), [this]() -> Result<std::unique_ptr<store::Store>> {
          HOST_TRY_ASSIGN(std::unique_ptr<store::Store> opened,
                          store::open_sqlite_store(folder_ / "toolpost.db", clock_, options_));
          return std::unique_ptr<store::Store>(
              std::make_unique<test::TakingStore>(std::move(opened), most_taken_));
        });
    settings_.retries = {1ms, 10ms, 1h};
    settings_.per_receiver = 2;
  }
  ~DeliveriesTest() override {
    if (deliveries_) deliveries_->stop();
    deliveries_.reset();
    sender_.reset();
    io.restart();
    io.poll();
    desk_.reset();
    store_.reset();
    fs::remove_all(folder_);
  }

  void add(const std::string& id, const HttpServer& receiver) {
    store::WebhookRecord record;
    record.id = id;
    record.principal = "anna";
    record.url = receiver.origin() + "/" + id;
    record.events = bit(Type::CallFinished);
    record.secret = std::string(32, 's');
    ASSERT_TRUE(store_->webhooks().add(record));
  }
  void queue(int events, int from = 0) {
    std::vector<store::WebhookEvent> all;
    for (int i = from; i < from + events; ++i) {
      store::WebhookEvent event;
      event.id = "evt_" + std::to_string(i);
      event.type = bit(Type::CallFinished);
      event.principal = "anna";
      event.body = "{\"n\":" + std::to_string(i) + "}";
      all.push_back(event);
    }
    ASSERT_TRUE(store_->webhooks().queue(all));
  }
  void start(Sender::Settings sending = {}) {
    sending.loopback = {server.origin(), other.origin()};
    sending.timeout = settings_.timeout;
    sender_ = std::make_unique<Sender>(io.get_executor(), sending, clock_);
    deliveries_ = std::make_shared<Deliveries>(
        io.get_executor(), desk_, clock_, *sender_, settings_,
        [this](const std::string& id, const std::string& url, const std::string& reason) {
          EXPECT_EQ(url, record(id).url);
          disabled_ = id + ": " + reason;
        });
    deliveries_->set(store_->webhooks().list().value());
    deliveries_->start("here");
  }
  // Runs the loop until it is so. The time only bounds a test that would never end.
  void until(const std::function<bool()>& is_so) {
    const auto most = std::chrono::steady_clock::now() + 60s;
    bool is_there = is_so();
    while (!is_there && std::chrono::steady_clock::now() < most) {
      io.restart();
      io.run_one_for(1s);
      is_there = is_so();
    }
    ASSERT_TRUE(is_there);
  }
  static bool is_asked(const HttpServer& receiver, std::size_t peer) {
    return receiver.peers.size() > peer && receiver.peers[peer]->in.ends_with("}");
  }
  // Answers each request that a receiver has got and not answered.
  int answer(HttpServer& receiver, const std::string& text) {
    int answered = 0;
    for (std::size_t i = 0; i < receiver.peers.size(); ++i) {
      if (!is_asked(receiver, i)) continue;
      seen_ += std::exchange(receiver.peers[i]->in, {});
      receiver.write(i, text);
      ++answered;
    }
    return answered;
  }
  store::WebhookRecord record(const std::string& id) {
    return *store_->webhooks().find(id).value();
  }

  fs::path folder_;
  AheadClock clock_;
  store::StoreOptions options_;
  std::atomic<std::uint64_t> most_taken_ = 0;  // in one transaction
  asio::io_context io;
  HttpServer server{io};
  HttpServer other{io};
  std::unique_ptr<store::Store> store_;
  std::shared_ptr<store::Desk> desk_;
  Deliveries::Settings settings_;
  std::unique_ptr<Sender> sender_;
  std::shared_ptr<Deliveries> deliveries_;
  std::string disabled_;
  std::string seen_;
};

TEST_F(DeliveriesTest, AnEventReachesItsReceiverSigned) {
  add("wh", server);
  queue(1);
  start();
  until([&] { return is_asked(server, 0); });
  const std::string asked = server.peers[0]->in;
  EXPECT_TRUE(asked.starts_with("POST /wh HTTP/1.1\r\n")) << asked;
  const auto value = [&asked](const std::string& name) {
    const std::size_t at = asked.find(name + ": ") + name.size() + 2;
    return asked.substr(at, asked.find("\r\n", at) - at);
  };
  EXPECT_EQ(value("webhook-id"), "evt_0");
  EXPECT_EQ(value("webhook-signature"),
            signature_of("evt_0", std::stoull(value("webhook-timestamp")), "{\"n\":0}",
                         {std::string(32, 's')}));
  EXPECT_EQ(value("Content-Type"), "application/json");
  answer(server, kAccepted);
  until([&] { return record("wh").delivered == 1; });
  EXPECT_EQ(record("wh").waiting, 0u);
}

TEST_F(DeliveriesTest, AFailedOneComesAgainWithItsId) {
  add("wh", server);
  queue(1);
  start();
  until([&] { return answer(server, kFailed) > 0; });
  until([&] { return answer(server, kAccepted) > 0; });
  until([&] { return record("wh").delivered == 1; });
  EXPECT_EQ(record("wh").failure, "status 500");
  EXPECT_NE(seen_.find("evt_0", seen_.find("evt_0") + 1), std::string::npos);
}

TEST_F(DeliveriesTest, AReceiverThatAsksForTimeGetsNoOtherEventMeanwhile) {
  settings_.retries = {1ms, 1h, 10h};
  settings_.per_receiver = 1;
  add("wh_1", server);
  queue(2);
  start();
  until([&] { return is_asked(server, 0); });
  answer(server, "HTTP/1.1 503 Busy\r\nRetry-After: 600\r\nContent-Length: 0\r\n\r\n");
  until([&] { return record("wh_1").last_failure != WallTime{}; });
  io.restart();
  io.run_for(20ms);
  EXPECT_EQ(answer(server, kAccepted), 0);
  EXPECT_EQ(record("wh_1").waiting, 2u);
}

TEST_F(DeliveriesTest, AReceiverThatHangsDelaysNoOther) {
  add("hangs", server);
  add("works", other);
  start();
  queue(40);
  deliveries_->wake([](const auto&) { return true; });
  until([&] {
    answer(other, kAccepted);
    return record("works").delivered == 40;
  });
  EXPECT_EQ(record("hangs").delivered, 0u);
  EXPECT_LE(server.peers.size(), 2u) << "more than per_receiver at once";
}

TEST_F(DeliveriesTest, ARedirectIsAFailureAndIsNotFollowed) {
  add("wh", server);
  queue(1);
  start();
  until([&] {
    return answer(server, "HTTP/1.1 307 Elsewhere\r\nLocation: " + other.origin() +
                              "/\r\nContent-Length: 0\r\n\r\n") > 0;
  });
  until([&] { return !record("wh").failure.empty(); });
  EXPECT_THAT(record("wh").failure, ::testing::HasSubstr("307"));
  EXPECT_TRUE(other.peers.empty());
}

TEST_F(DeliveriesTest, TheBodyOfAnAnswerIsCut) {
  add("wh", server);
  queue(1);
  Sender::Settings sending;
  sending.answer_bytes = 1024;
  start(sending);
  until([&] { return is_asked(server, 0); });
  server.write(0, "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + std::string(4096, 'x'));
  until([&] { return record("wh").delivered == 1; });
  until([&] { return server.peers[0]->is_closed; });
}

TEST_F(DeliveriesTest, TheTimeOfAnAttemptIsBounded) {
  settings_.timeout = 20ms;
  add("wh", server);
  queue(1);
  start();
  until([&] { return !record("wh").failure.empty(); });
  until([&] { return answer(server, kAccepted) > 0; });
  EXPECT_EQ(disabled_, "");
}

TEST_F(DeliveriesTest, GoneDisablesAtOnce) {
  add("wh", server);
  queue(1);
  start();
  until([&] { return answer(server, "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n") > 0; });
  until([&] { return !disabled_.empty(); });
  EXPECT_EQ(disabled_, "wh: the receiver answered 410 Gone");
  until([&] { return record("wh").dead == 1; });
}

// Three failures in a row would be followed by a pause of an hour.
TEST_F(DeliveriesTest, WhatTheFormerUrlAnswersSaysNothingAboutThePresentOne) {
  settings_.retries = {1h, 1h, 100h};
  settings_.per_receiver = 4;
  add("wh", server);
  queue(4);
  start();
  until([&] {
    for (std::size_t i = 0; i < 4; ++i) {
      if (!is_asked(server, i)) return false;
    }
    return true;
  });
  const auto move = [&](store::WebhookRecord& record) -> Result<void> {
    record.url = other.origin() + "/moved";
    return {};
  };
  ASSERT_TRUE(store_->webhooks().change("wh", move));
  deliveries_->set(store_->webhooks().list().value());
  EXPECT_EQ(answer(server, "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"), 4);
  until([&] {
    answer(other, kAccepted);
    return record("wh").delivered == 4;
  });
  EXPECT_EQ(disabled_, "");
  EXPECT_EQ(record("wh").failure, "");
}

TEST_F(DeliveriesTest, ADeliveryDiesWhenItsTimeIsOverAndItsReceiverIsDisabled) {
  settings_.retries = {1ms, 5ms, 20ms};
  add("wh", server);
  queue(1);
  start();
  until([&] {
    answer(server, kFailed);
    return record("wh").dead == 1;
  });
  EXPECT_THAT(disabled_, ::testing::HasSubstr("wh: no delivery succeeded"));
  EXPECT_EQ(record("wh").waiting, 0u);
}

TEST_F(DeliveriesTest, OneThatDiesAmongSuccessesDisablesNothing) {
  settings_.retries = {1ms, 5ms, 20ms};
  add("wh", server);
  queue(2);
  start();
  const auto answer_those = [&](const std::string& end, const std::string& text) {
    for (std::size_t i = 0; i < server.peers.size(); ++i) {
      if (!server.peers[i]->in.ends_with(end)) continue;
      server.peers[i]->in.clear();
      server.write(i, text);
    }
  };
  until([&] {
    answer_those("{\"n\":1}", kAccepted);
    return record("wh").delivered == 1;
  });
  until([&] {
    answer_those("{\"n\":0}", kFailed);
    return record("wh").dead == 1;
  });
  EXPECT_EQ(disabled_, "");
}

TEST_F(DeliveriesTest, WhatIsAttemptedWhenTheHostStopsIsDueForTheNextOne) {
  add("wh", server);
  queue(3);
  start();
  until([&] { return is_asked(server, 0) && is_asked(server, 1); });
  deliveries_->stop();
  const auto due = [&] {
    const WallTime now = system_clock().wall();
    return store_->webhooks().take({}, {{"wh", 10}}, "there", now, now).value().deliveries.size();
  };
  until([&] { return due() == 3; });
}

TEST_F(DeliveriesTest, OwnersWithoutRightsGetNothing) {
  add("wh", server);
  add("other", other);
  queue(1);
  settings_.retries = {};
  start();
  deliveries_->admit_by([](const auto& record) { return record.id != "wh"; });
  until([&] {
    answer(other, kAccepted);
    return record("other").delivered == 1;
  });
  EXPECT_TRUE(server.peers.empty());
  EXPECT_EQ(record("wh").waiting, 1u);
  // And the loop rests meanwhile.
  io.restart();
  EXPECT_LT(io.run_for(200ms), 50u);
}

TEST_F(DeliveriesTest, AnOwnerWhoLosesTheRightsGetsNothingOfWhatIsTakenAlready) {
  add("wh", server);
  queue(6);
  start();
  bool has_rights = true;
  deliveries_->admit_by([&](const auto&) { return has_rights; });
  until([&] { return is_asked(server, 0) && is_asked(server, 1); });  // and four more are taken
  has_rights = false;
  until([&] {
    answer(server, kAccepted);
    return record("wh").delivered == 2;
  });
  const auto waiting = store_->webhooks().deliveries("wh", false, "", 10).value();
  EXPECT_EQ(waiting.size(), 4u);
  until([&] {
    const auto left = store_->webhooks().deliveries("wh", false, "", 10).value();
    return std::ranges::none_of(left, [](const auto& one) { return one.attempts > 0; });
  });
}

TEST_F(DeliveriesTest, WhatTheHostCannotSendIsNoFailureOfTheReceiver) {
  add("full", server);
  add("wh", other);
  queue(1);
  Sender::Settings sending;
  sending.concurrent = 1;
  start(sending);  // the first one takes all that there is
  until([&] { return is_asked(server, 0) || is_asked(other, 0); });
  until([&] { return answer(server, kAccepted) + answer(other, kAccepted) > 0; });
  until([&] {
    answer(server, kAccepted);
    answer(other, kAccepted);
    return record("full").delivered == 1 && record("wh").delivered == 1;
  });
  EXPECT_EQ(record("full").failure + record("wh").failure, "");
}

TEST_F(DeliveriesTest, WhatIsTakenASecondTimeIsAttemptedOnce) {
  add("wh", server);
  queue(6);
  start();
  until([&] { return is_asked(server, 0) && is_asked(server, 1); });  // and four more are taken
  ASSERT_TRUE(store_->webhooks().release("here", clock_.wall()));     // as if it had taken too long
  deliveries_->wake([](const auto&) { return true; });
  until([&] {
    const auto waiting = store_->webhooks().deliveries("wh", false, "", 10).value();
    return std::all_of(waiting.begin(), waiting.end(),
                       [](const auto& one) { return one.attempts == 2; });
  });
  until([&] {
    answer(server, kAccepted);
    return record("wh").delivered == 6;
  });
  for (int event = 0; event < 6; ++event) {
    const std::string id = "webhook-id: evt_" + std::to_string(event) + "\r\n";
    EXPECT_NE(seen_.find(id), std::string::npos) << id;
    EXPECT_EQ(seen_.find(id), seen_.rfind(id)) << id << "came twice";
  }
}

TEST_F(DeliveriesTest, OneTransactionTakesABoundedNumberAndEachLaneHasItsTurn) {
  constexpr int kLanes = 80;
  settings_.per_receiver = 8;
  for (int i = 0; i < kLanes; ++i) add("wh" + std::to_string(i), server);
  queue(64);
  start();
  std::set<std::string> asked;
  until([&] {
    for (std::size_t i = 0; i < server.peers.size(); ++i) {
      if (!is_asked(server, i)) continue;
      const std::string& text = server.peers[i]->in;
      asked.insert(text.substr(0, text.find(" HTTP/1.1")));
    }
    answer(server, kAccepted);
    return asked.size() == kLanes;
  });
  EXPECT_GT(most_taken_, 64u);
  EXPECT_LE(most_taken_, 512u + 64u);
}

TEST_F(DeliveriesTest, AReceiverThatIsDownForAnHourGetsAllWhenItIsBack) {
  settings_.retries = {};    // as they are by default
  settings_.timeout = 100s;  // so that what is taken is due in 905 s, unlike any pause
  add("wh", server);
  queue(3);
  start();
  std::uint64_t attempts = 0;
  deliveries_->count_by(
      [&attempts](std::uint64_t accepted, std::uint64_t failed) { attempts += accepted + failed; });
  const auto waiting = [&] { return store_->webhooks().deliveries("wh", false, "", 10).value(); };
  const auto is_taken = [&](const store::WebhookDelivery& one) {
    const auto left = one.due - clock_.wall();
    return left > 880s && left < 906s;
  };
  const auto pause = [&] {  // until the next attempt; a lane that fails rests, too
    WallTime next = WallTime::max();
    for (const auto& one : waiting()) next = std::min(next, one.due);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next - clock_.wall());
    return std::max(left, 0ms) + settings_.retries.first;
  };
  const auto go_on = [&](const char* text) {  // to that attempt, until its end is stored
    clock_.ahead += pause();
    deliveries_->wake([](const auto&) { return false; });
    const std::uint64_t before = attempts;
    until([&] {
      answer(server, text);
      const auto left = waiting();
      return attempts > before && std::none_of(left.begin(), left.end(), is_taken);
    });
  };
  while (clock_.ahead + pause() < 1h) go_on(kFailed);
  const std::uint64_t failed = attempts;
  EXPECT_LE(failed, 3u * 7u) << "of three events in an hour";
  EXPECT_EQ(disabled_, "");
  EXPECT_EQ(record("wh").dead, 0u);
  while (record("wh").delivered < 3) go_on(kAccepted);
  EXPECT_EQ(attempts, failed + 3);
  EXPECT_LT(clock_.ahead, 4h);
}

TEST_F(DeliveriesTest, ARemovedWebhookHoldsNoConnection) {
  add("wh", server);
  queue(2);
  start();
  until([&] { return is_asked(server, 0) && is_asked(server, 1); });
  ASSERT_TRUE(store_->webhooks().remove("wh").value());
  deliveries_->set({});
  until([&] { return server.peers[0]->is_closed && server.peers[1]->is_closed; });
}

}  // namespace
}  // namespace host::webhook
