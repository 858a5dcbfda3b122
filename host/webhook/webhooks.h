// Manages the webhooks of a host: their owners, their events and their deliveries. The functions of
// Webhooks are called on the I/O thread.
//
// An event is queued in the store together with the change that the event reports, or before a
// client learns of the change. So the event is not lost if the host is killed. A webhook belongs to
// a principal. Only the webhook's principal and administrators can find the webhook.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/desk.h"
#include "store/part/webhook_store.h"
#include "webhook/deliveries.h"
#include "webhook/event.h"
#include "webhook/held_events.h"
#include "webhook/registration.h"
#include "webhook/sender.h"

namespace host::webhook {

class Webhooks : public std::enable_shared_from_this<Webhooks> {
 public:
  struct Settings {
    Deliveries::Settings deliveries;
    Sender::Settings sender;
    std::uint32_t per_principal = 16;  // the store's limit for one principal; for error messages
    std::uint32_t most_held = 10'000;  // events held in memory while the store cannot take them
    std::function<void(std::string_view limit)> on_refusal = {};
    std::vector<store::WebhookRecord> configured;  // the webhooks in config.toml
    std::string file;                              // the absolute path of config.toml
  };

  Webhooks(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk, const Clock& clock,
           Settings settings);

  // Call start() before the host serves. start() stores the configured webhooks, and disables
  // webhooks that are not configured any more.
  boost::asio::awaitable<Result<void>> start();
  // Starts the delivery of events. `address` is the address of this host.
  void deliver(const std::string& address) { deliveries_->start(address); }
  void stop();
  void admit_by(Deliveries::Admits admits) { deliveries_->admit_by(std::move(admits)); }
  void count_by(Deliveries::Count count) { deliveries_->count_by(std::move(count)); }
  // The function Disabled is called when a receiver's failures, or its answer 410, have disabled a
  // webhook.
  using Disabled = std::function<void(const store::WebhookRecord& record)>;
  void on_disabled(Disabled disabled) { on_disabled_ = std::move(disabled); }
  // The function `changed` is called when the list of webhooks has changed.
  void on_change(std::function<void()> changed) { on_change_ = std::move(changed); }

  // Reads the webhooks that other processes have registered or changed. Events that are made after
  // reload() has returned reach the changed webhooks. Without reload(), the host notices changes by
  // other processes within a second.
  boost::asio::awaitable<Result<void>> reload();

  // ---- events
  struct About {
    std::string principal;              // whose call it is about; empty: it is about the host
    std::string agent;                  // the agent that made the call; empty: no agent
    std::vector<std::string> webhooks;  // ids of webhooks that the session or request lists
    std::string data;                   // JSON object text
  };
  bool has_any() const { return !records_.empty(); }
  bool wants_any(Type type) const { return (wanted_ & bit(type)) != 0; }
  // Returns true if a webhook gets an event with this type and the data in `about`. If another
  // process registers a webhook, the result of wants() can be out of date for a second.
  bool wants(Type type, const About& about) const;
  // Makes an event. The caller must queue the event in the transaction of the change that the event
  // reports, in the same iteration of the event loop. Returns nullopt if no webhook would get the
  // event.
  std::optional<store::WebhookEvent> make(Type type, About about);
  // Makes and queues an event. Call queue() only if wants() returns true. queue() returns when the
  // event is stored. Events queued at nearly the same time are stored in one transaction. While the
  // store cannot take events, queue() returns when the host holds the event in memory.
  boost::asio::awaitable<void> queue(Type type, About about);
  // Makes and queues an event without waiting. The store gets the event before all changes that the
  // caller submits to the store later. If the store does not accept the event, the host keeps the
  // event in memory.
  void tell(Type type, About about);

  // ---- registration
  using Record = store::WebhookRecord;
  // Registers a webhook. If `wanted` has no secret, the host makes a secret, and the returned
  // record contains it. The Error InvalidArgument means that the URL is not allowed. The Error
  // Unavailable means that the principal has too many webhooks.
  boost::asio::awaitable<Result<Record>> add(Owner owner, Wanted wanted, std::string made_by);
  using Found = std::optional<Record>;
  boost::asio::awaitable<Result<std::vector<Record>>> list(Owner owner);
  boost::asio::awaitable<Result<Found>> find(Owner owner, std::string id);
  // The functions below change and remove a webhook. The Error Denied means that the webhook is
  // configured in config.toml.
  boost::asio::awaitable<Result<Found>> change(Owner owner, std::string id, Wanted wanted);
  boost::asio::awaitable<Result<bool>> remove(Owner owner, std::string id);
  // Returns the first member of `ids` that is not the id of a webhook of this principal. The
  // returned text is empty if all members are webhooks of this principal.
  std::string unknown_of(const std::string& principal, const std::vector<std::string>& ids) const;

  // ---- deliveries

  // Sends one event of the type webhook.test immediately, without the outbox. Returns nullopt if
  // the webhook does not exist. The Error Unavailable means that an earlier test of the webhook's
  // owner has not ended, or that the host stops.
  boost::asio::awaitable<Result<std::optional<Answer>>> test(Owner owner, std::string id);
  using FoundDeliveries = std::optional<std::vector<store::WebhookDelivery>>;
  boost::asio::awaitable<Result<FoundDeliveries>> deliveries(Owner owner, std::string id, bool dead,
                                                             std::string before,
                                                             std::uint32_t most);
  // Sends dead letters again. Returns the number of dead letters that replay() sends again, or
  // nullopt if the webhook does not exist.
  boost::asio::awaitable<Result<std::optional<std::uint64_t>>> replay(
      Owner owner, std::string id, std::vector<std::string> events);

  Result<void> check_url(const std::string& url) const { return sender_.check_url(url); }

 private:
  struct Waiter;

  boost::asio::awaitable<void> reload_after_change();
  boost::asio::awaitable<void> follow_others();
  boost::asio::awaitable<void> disable(std::string id, std::string url, std::string reason);
  store::WebhookEvent event_of(Type type, About about) const;
  void write_soon();
  void write();
  void hold(const store::WebhookEvent& event, const Error& why);
  void store_held();
  void count_as_dropped(const store::WebhookEvent& event);
  void wake(const store::WebhookEvent& event);
  Result<void> check(const Wanted& wanted) const;

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<store::Desk> desk_;
  const Clock& clock_;
  const Settings settings_;
  Sender sender_;
  const std::shared_ptr<Deliveries> deliveries_;
  std::vector<Record> records_;
  std::uint32_t wanted_ = 0;  // bits of the event types that enabled webhooks get
  struct Test {
    std::uint64_t sending = 0;         // number that Sender::send() returned
    std::function<void(Answer)> done;  // gets the outcome; later calls have no effect
  };
  std::map<std::string, Test> testing_;  // the tests in progress, by principal
  Disabled on_disabled_;                 // null: no listener
  std::function<void()> on_change_;      // null: no listener
  std::vector<std::shared_ptr<Waiter>> to_write_;
  HeldEvents held_;
  // `dropped_` contains the number of lost events that the store has not counted yet, by webhook.
  std::map<std::string, std::uint64_t> dropped_;
  bool storing_held_ = false;
  bool writing_ = false;        // a transaction with events runs or is planned
  SteadyTime next_write_{};     // a time from steady_now(), like crowded_until_
  SteadyTime crowded_until_{};  // until this time, each write waits for next_write_
  boost::asio::steady_timer write_pause_;
  boost::asio::steady_timer look_again_;
  bool stopped_ = false;
  // `is_stale_` is true if the store contains changes that the host has not read yet.
  bool is_stale_ = false;
};

// Returns an event of the type webhook.test.
Message test_message(const store::WebhookRecord& record, WallTime now);

}  // namespace host::webhook
