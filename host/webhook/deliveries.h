// Sends the deliveries that wait in the outbox (store/part/webhook_store.h). The functions of
// Deliveries are called on the I/O thread.
//
// Each webhook has its own queue, a Lane. A Lane takes a few deliveries from the outbox at a time
// and attempts them concurrently. In one transaction, the Lane stores the outcomes and takes the
// next deliveries. If a receiver has failed several times in a row, the host makes one attempt at a
// time, with pauses, until an attempt succeeds. So a receiver that does not answer does not delay
// deliveries to other receivers. If the host is killed, the next host attempts unfinished
// deliveries again. So a receiver can get an event twice, with the same id.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/desk.h"
#include "store/part/webhook_store.h"
#include "webhook/backoff.h"
#include "webhook/sender.h"

namespace host::webhook {

class Deliveries : public std::enable_shared_from_this<Deliveries> {
 public:
  struct Settings {
    Retries retries;
    std::chrono::milliseconds timeout{
        std::chrono::seconds(10)};    // time limit of one attempt, as in Sender::Settings
    std::uint32_t per_receiver = 8;   // at most this many attempts for one receiver at a time
    std::uint32_t concurrent = 1024;  // at most this many attempts for all webhooks at a time
  };
  // Disables a webhook whose receiver has failed for too long or has answered 410 Gone. `url` is
  // the receiver that failed: the webhook may have another URL by now.
  using Disable = std::function<void(const std::string& webhook, const std::string& url,
                                     const std::string& reason)>;
  // Returns true if the webhook's owner may still get the webhook's events.
  using Admits = std::function<bool(const store::WebhookRecord& record)>;
  // The Deliveries object calls a Count function with the numbers of accepted and failed attempts
  // that have ended.
  using Count = std::function<void(std::uint64_t accepted, std::uint64_t failed)>;

  // `clock` and `sender` must outlive the Deliveries object.
  Deliveries(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk, const Clock& clock,
             Sender& sender, Settings settings, Disable disable);

  // `taker` is the address of this host.
  void start(std::string taker);
  // Ends the attempts in progress, and puts their deliveries back into the outbox for the next
  // host.
  void stop();
  void admit_by(Admits admits) { admits_ = std::move(admits); }
  void count_by(Count count) { count_ = std::move(count); }

  // Sets the current webhooks.
  void set(const std::vector<store::WebhookRecord>& records);
  // Reports that deliveries can have been queued for the webhooks for which `which` returns true.
  // In the same iteration of the event loop, wake() can be called before the transaction that
  // queues the deliveries is submitted.
  void wake(const std::function<bool(const store::WebhookRecord& record)>& which);

 private:
  struct Lane {
    store::WebhookRecord record;
    std::deque<store::WebhookDelivery> taken;  // deliveries that wait for an attempt
    struct Attempt {
      std::uint32_t number = 0;   // number of the attempt among those of this delivery
      std::uint64_t sending = 0;  // number that Sender::send() returned
      std::string url;
    };
    std::map<std::string, Attempt> attempting;  // by event id
    std::uint32_t failures = 0;                 // number of failures in a row
    SteadyTime paused_until{};                  // no attempt before this time, because of failures
    WallTime look_at{};    // when the next delivery is due; max(): no delivery waits
    bool is_gone = false;  // the webhook was removed

    bool is_failing() const { return failures >= kFailures; }
  };
  // After kFailures failures in a row, the host pauses after each failure of the receiver.
  static constexpr std::uint32_t kFailures = 3;
  using LanePtr = std::shared_ptr<Lane>;

  void look_soon();
  void look_now();
  void look();
  std::vector<store::WebhookRoom> rooms(WallTime now);
  std::uint32_t attempts_allowed(const Lane& lane) const;
  void taken(const Result<store::WebhookTaken>& found);
  void look_later();
  void start_attempts(const LanePtr& lane);
  void attempt(const LanePtr& lane, store::WebhookDelivery delivery);
  void put_back(Lane& lane, const store::WebhookDelivery& delivery);
  void rest(Lane& lane, const Answer& answer);
  void give_back_taken(Lane& lane);
  void end_attempts(Lane& lane);
  bool is_known(Lane& lane, const store::WebhookDelivery& delivery);
  void store_ended();
  void attempted(const LanePtr& lane, const store::WebhookDelivery& delivery, const Answer& answer);
  store::WebhookOutcome failed(Lane& lane, const store::WebhookDelivery& delivery,
                               const Answer& answer);

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<store::Desk> desk_;
  const Clock& clock_;
  Sender& sender_;
  const Settings settings_;
  const Disable disable_;
  Admits admits_;  // null: all owners may get their events
  Count count_;    // null: no counter
  std::string taker_;
  std::map<std::string, LanePtr> lanes_;      // by webhook id
  std::vector<store::WebhookOutcome> ended_;  // outcomes that are not stored yet
  std::uint32_t running_ = 0;
  // `last_looked_` is the last webhook that a query of the outbox included. One query cannot always
  // include all webhooks, so the next query begins after `last_looked_`.
  std::string last_looked_;
  bool started_ = false;
  bool stopped_ = false;
  bool look_posted_ = false;
  bool looking_ = false;
  bool look_again_ = false;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer pace_;
  SteadyTime next_look_{};  // a time from steady_now(), not from clock_
  std::minstd_rand dice_{std::random_device{}()};
};

}  // namespace host::webhook
