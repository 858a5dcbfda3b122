// Stores webhooks, and the deliveries that wait for their receivers (the outbox). Every function
// blocks. Only one thread at a time may use the store. Once a function has returned, its changes
// survive the end of the process.
//
// A delivery is one event for one webhook. When the receiver has accepted a delivery, the store
// removes the delivery. If the host has tried long enough to deliver an event, the delivery becomes
// a dead letter. A dead letter stays until it is replayed or too old, or until the webhook has too
// many dead letters.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::store {

// WebhookCovers says for which calls a webhook gets events. The database stores the values of
// WebhookCovers as numbers.
enum class WebhookCovers : std::uint8_t {
  Named,      // calls of its principal, if the session or request lists the webhook
  Principal,  // all calls of its principal
  All,        // calls of all principals
};

struct WebhookRecord {
  std::string id;
  std::string principal;  // the owner of the webhook
  // If `agent` is set, the webhook was registered with a key of this agent, and covers only calls
  // of this agent. If `agent` is empty, the webhook covers all calls.
  std::string agent;
  std::string url;
  std::string description;
  std::uint32_t events = 0;  // one bit for each type, see webhook/event.h
  WebhookCovers covers = WebhookCovers::Principal;
  // The keys that sign the events, as bytes. The store encrypts `secret`.
  std::string secret;
  struct OldSecret {
    std::string secret;
    WallTime until{};

    bool operator==(const OldSecret&) const = default;
  };
  std::vector<OldSecret> old_secrets;  // replaced keys; each also signs until its own `until`
  bool enabled = true;
  // The reason why the host disabled the webhook. `reason` is empty if the webhook is enabled, or
  // if its owner disabled it.
  std::string reason;
  std::string made_by;  // who made it: "rest:anna", "cli", "config"
  WallTime created{};
  WallTime changed{};
  // The members from `waiting` on are the webhook's counters and the times of its last success and
  // failure. Of the webhook's counters and times, change() changes only `dropped`.
  std::uint64_t waiting = 0;
  std::uint64_t dead = 0;
  std::uint64_t delivered = 0;
  std::uint64_t dropped = 0;  // events that were lost, because too many waited
  WallTime last_success{};    // {}: none yet
  WallTime last_failure{};    // {}: none yet
  std::string failure;        // the reason of the last failed attempt

  bool operator==(const WebhookRecord&) const = default;
};

// A WebhookEvent is an event that the host sends to webhooks. queue() finds the webhooks that
// receive the event.
struct WebhookEvent {
  std::string id;          // unguessable; receivers detect duplicates with it
  std::uint32_t type = 0;  // one bit, see webhook/event.h
  std::string principal;   // the principal whose call the event is about
  std::string agent;       // the call's agent; empty: none
  bool of_host = false;    // true: the event is about the host, not about a principal's call
  std::vector<std::string> webhooks;  // the webhooks that the call's session or request lists
  std::string body;                   // JSON, sent unchanged
  WallTime at{};
};

struct WebhookDelivery {
  std::string webhook;
  std::string event;
  std::uint32_t type = 0;
  std::string body;
  WallTime at{};
  bool dead = false;
  std::uint32_t attempts = 0;
  // `since` is the time when the delivery was queued or replayed. If the host attempted no delivery
  // to the webhook for a long time (WebhookBounds::rest), `since` is the time of the first attempt
  // after that pause. The host attempts the delivery for a limited time after `since`.
  WallTime since{};
  WallTime due{};       // time of the next attempt; if dead: when it became a dead letter
  std::string failure;  // the reason why the last attempt failed
};

// The outcome of one attempt to deliver an event.
struct WebhookOutcome {
  std::string webhook;
  std::string event;
  // The value of WebhookDelivery::attempts when the host took the delivery. The store ignores the
  // outcome if the delivery has another number of attempts now, because a host has taken the
  // delivery again.
  std::uint32_t attempts = 0;
  enum class Then : std::uint8_t {
    Delivered,
    Again,  // the host attempts the delivery again at `due`
    Back,   // the host made no attempt: like Again, but `attempts` decreases by 1
    Dead,
  } then = Then::Delivered;
  WallTime due{};
  std::string failure;
};

// A WebhookRoom is the number of deliveries that the host can attempt for a webhook now.
struct WebhookRoom {
  std::string webhook;
  std::uint32_t most = 0;
};

struct WebhookTaken {
  std::vector<WebhookDelivery> deliveries;
  struct Next {
    std::string webhook;
    std::optional<WallTime> due;  // when the earliest waiting delivery is due; nullopt: none waits
  };
  std::vector<Next> next;  // one for each WebhookRoom
};

struct WebhookBounds {
  std::uint32_t per_principal = 16;
  std::uint32_t all = 1'000;
  std::uint32_t waiting = 100'000;  // limit of one principal's waiting deliveries
  std::uint32_t dead = 1'000;       // limit of a webhook's dead letters; the oldest are removed
  std::chrono::milliseconds keep{std::chrono::hours(24 * 30)};  // how long dead letters stay
  // If no attempt for a webhook has ended during the time `rest`, its deliveries are treated as if
  // they were queued now.
  std::chrono::milliseconds rest{std::chrono::hours(24)};
  // If events are lost because a limit is reached, the store calls `on_loss` on the store's thread.
  // `limit` is the name of the limit's setting in config.toml, and `events` is the number of lost
  // events. The function `on_loss` can be null.
  std::function<void(const char* limit, std::uint64_t events)> on_loss = {};
};

class WebhookStore {
 public:
  virtual ~WebhookStore() = default;

  enum class Added : std::uint8_t { Yes, Exists, Full };
  virtual Result<Added> add(const WebhookRecord& record) = 0;
  // Changes a webhook. Returns nullopt if there is no such webhook. `act` changes a copy of the
  // webhook's record, which is stored if `act` returns no Error. If `act` disables the webhook with
  // a reason, the webhook's deliveries become dead letters.
  virtual Result<std::optional<WebhookRecord>> change(
      std::string_view id, const std::function<Result<void>(WebhookRecord&)>& act) = 0;
  // Removes a webhook and its deliveries, or returns false if no webhook has this id.
  virtual Result<bool> remove(std::string_view id) = 0;
  virtual Result<std::optional<WebhookRecord>> find(std::string_view id) = 0;
  // Lists the webhooks, the oldest first. list() omits a webhook whose secret cannot be read, and
  // the host logs that.
  virtual Result<std::vector<WebhookRecord>> list() = 0;
  // Returns true if a different process has written to the database since the last call.
  virtual Result<bool> changed_by_others() = 0;

  // Queues each event for the enabled webhooks that cover the event. Returns the number of new
  // deliveries.
  virtual Result<std::uint64_t> queue(const std::vector<WebhookEvent>& events) = 0;
  // take() stores the outcomes of attempts. take() then takes the earliest deliveries that are due,
  // at most WebhookRoom::most for each webhook in `rooms`. The store adds 1 to the `attempts` of
  // each taken delivery, and makes the delivery due again at `until`. `taker` is the address of
  // this host.
  virtual Result<WebhookTaken> take(const std::vector<WebhookOutcome>& ended,
                                    const std::vector<WebhookRoom>& rooms, std::string_view taker,
                                    WallTime now, WallTime until) = 0;
  // Finds the deliveries that an earlier host at the address `taker` had taken, and makes them due
  // at `now`. The function release() also removes dead letters that are too old.
  virtual Result<void> release(std::string_view taker, WallTime now) = 0;

  // Lists deliveries of a webhook, ordered by WebhookDelivery::due, the latest first. `before` is
  // the event after which the list continues. If `before` is empty, the list begins with the latest
  // delivery.
  virtual Result<std::vector<WebhookDelivery>> deliveries(std::string_view webhook, bool dead,
                                                          std::string_view before,
                                                          std::uint32_t most) = 0;
  // Turns dead letters of the webhook into deliveries that are due at `now`. `events` contains the
  // ids of the events to send again. If `events` is empty, the function sends all dead letters
  // again. Returns the number of dead letters that became deliveries.
  virtual Result<std::uint64_t> replay(std::string_view webhook,
                                       const std::vector<std::string>& events, WallTime now) = 0;
};

}  // namespace host::store
