// The webhooks of a host: their owners, their events and their deliveries. I/O thread only.
//
// An event is queued in the store together with the change that it reports, or before the change is
// reported to a client. So it survives a kill of the host. A webhook belongs to a principal. Other
// principals cannot find it, except administrators.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/desk.h"
#include "store/part/webhook_store.h"
#include "webhook/deliveries.h"
#include "webhook/event.h"
#include "webhook/sender.h"

namespace host::webhook {

// The settings that an owner can change. Members that are nullopt are not changed.
struct Wanted {
  std::optional<std::string> url;
  std::optional<std::string> description;
  std::optional<std::uint32_t> events;  // bits of Type
  std::optional<store::WebhookCovers> covers;
  std::optional<bool> enabled;
  std::optional<std::string> secret;              // bytes
  std::chrono::milliseconds old_secret_lasts{0};  // how long the replaced secret also signs
};

// The scopes that a key needs for this webhook: to have its events, and to change it.
identity::Scopes needed_for(const store::WebhookRecord& record);

// Whose webhooks: those that a key of one principal may have, or all.
struct Owner {
  std::string principal;
  std::string agent = {};  // of the key; empty: it is for no certain agent
  identity::Scopes scopes = identity::kEveryScope;
  bool all = false;

  bool owns(const store::WebhookRecord& record) const;
};

class Webhooks : public std::enable_shared_from_this<Webhooks> {
 public:
  struct Settings {
    Deliveries::Settings deliveries;
    Sender::Settings sender;
    std::uint32_t per_principal = 16;  // the store's limit, for messages
    std::function<void(std::string_view limit)> on_refusal = {};
    std::vector<store::WebhookRecord> configured;  // of config.toml
  };

  Webhooks(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk, const Clock& clock,
           Settings settings);

  // Before the host serves. Stores the configured webhooks, and disables those that are configured
  // no more.
  boost::asio::awaitable<Result<void>> start();
  // From then on events are delivered. `address`: of this host.
  void deliver(const std::string& address) { deliveries_->start(address); }
  void stop();
  void admit_by(Deliveries::Admits admits) { deliveries_->admit_by(std::move(admits)); }
  void count_by(Deliveries::Count count) { deliveries_->count_by(std::move(count)); }
  // Called when a webhook was disabled because of its receiver.
  using Disabled = std::function<void(const store::WebhookRecord& record)>;
  void on_disabled(Disabled disabled) { on_disabled_ = std::move(disabled); }
  // Called when the list of webhooks has changed.
  void on_change(std::function<void()> changed) { on_change_ = std::move(changed); }

  // ---- events
  struct About {
    std::string principal;              // empty: the host
    std::string agent;                  // that made the call; empty: none
    std::vector<std::string> webhooks;  // that the call's session and request name
    std::string data;                   // JSON object text
  };
  bool has_any() const { return !records_.empty(); }
  bool wants_any(Type type) const { return (wanted_ & bit(type)) != 0; }
  // Whether some webhook is told of such events. May be out of date by a second if another process
  // registers one.
  bool wants(Type type, const About& about) const;
  // An event that the caller has to queue in the same turn of the loop, in the transaction of what
  // it tells of. nullopt: no webhook wants it.
  std::optional<store::WebhookEvent> make(Type type, About about);
  // Queues an event. Returns once it is stored, together with others.
  boost::asio::awaitable<Result<void>> queue(store::WebhookEvent event);
  // The same, without waiting: it is stored before all that the caller stores later. A failure is
  // logged.
  void tell(Type type, About about);

  // ---- registration
  using Record = store::WebhookRecord;
  // The record has a secret if the caller gives none. InvalidArgument: the URL is not allowed.
  // Unavailable: the principal has too many.
  boost::asio::awaitable<Result<Record>> add(Owner owner, Wanted wanted, std::string made_by);
  using Found = std::optional<Record>;
  boost::asio::awaitable<Result<std::vector<Record>>> list(Owner owner);
  boost::asio::awaitable<Result<Found>> find(Owner owner, std::string id);
  // Denied: it is configured in config.toml.
  boost::asio::awaitable<Result<Found>> change(Owner owner, std::string id, Wanted wanted);
  boost::asio::awaitable<Result<bool>> remove(Owner owner, std::string id);
  // The first of `ids` that is not a webhook of this principal. Empty: all are.
  std::string unknown_of(const std::string& principal, const std::vector<std::string>& ids) const;

  // ---- deliveries
  // Sends one event of type webhook.test now, past the outbox. nullopt: there is no such webhook.
  // Unavailable: an earlier test of its owner has not ended.
  boost::asio::awaitable<Result<std::optional<Answer>>> test(Owner owner, std::string id);
  using FoundDeliveries = std::optional<std::vector<store::WebhookDelivery>>;
  boost::asio::awaitable<Result<FoundDeliveries>> deliveries(Owner owner, std::string id, bool dead,
                                                             std::string before,
                                                             std::uint32_t most);
  // nullopt: there is no such webhook.
  boost::asio::awaitable<Result<std::optional<std::uint64_t>>> replay(
      Owner owner, std::string id, std::vector<std::string> events);

  Result<void> check_url(const std::string& url) const { return sender_.check_url(url); }

 private:
  struct Waiter;

  boost::asio::awaitable<Result<void>> reload();
  boost::asio::awaitable<void> follow_others();
  boost::asio::awaitable<void> disable(std::string id, std::string reason);
  void write();
  void wake(const store::WebhookEvent& event);
  Result<void> check(const Wanted& wanted) const;

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<store::Desk> desk_;
  const Clock& clock_;
  const Settings settings_;
  Sender sender_;
  const std::shared_ptr<Deliveries> deliveries_;
  std::vector<Record> records_;
  std::uint32_t wanted_ = 0;         // types, of all that are enabled
  std::set<std::string> testing_;    // principals
  Disabled on_disabled_;             // null: nobody listens
  std::function<void()> on_change_;  // null: nobody listens
  std::vector<std::shared_ptr<Waiter>> to_write_;
  bool writing_ = false;
  boost::asio::steady_timer look_again_;
  bool stopped_ = false;
  bool is_stale_ = false;  // another process has written, and that was not read yet
};

// Makes these the host's configured webhooks in the store. Those that are configured no more are
// disabled, so that what waits for them can be replayed.
Result<void> configure(store::Store& store, const std::vector<store::WebhookRecord>& records);

// Applies `wanted` to a record.
void apply(const Wanted& wanted, WallTime now, store::WebhookRecord& record);

// A new record with an id and a secret.
store::WebhookRecord new_record(std::string principal, const Wanted& wanted, std::string made_by,
                                WallTime now);

// An event of the type webhook.test.
Message test_message(const store::WebhookRecord& record, WallTime now);

// Records of config.toml have this in `made_by`.
inline constexpr std::string_view kConfigured = "config";
// Whether it is in config.toml, so that it can only be changed there.
bool is_configured(const store::WebhookRecord& record);

}  // namespace host::webhook
