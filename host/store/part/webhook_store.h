// Webhooks, and the deliveries that wait for their receivers (the outbox). Every call blocks; one
// thread at a time. A change survives the process once its call has returned.
//
// A delivery is one event for one webhook. It is removed once the receiver has accepted it. If the
// time for attempts has passed, it becomes a dead letter. A dead letter stays until it is replayed,
// is too old, or is removed because there are too many.
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

// The calls about which a webhook gets events. The database has these numbers.
enum class WebhookCovers : std::uint8_t {
  Named,      // calls of its principal, if the session or request names the webhook
  Principal,  // all calls of its principal
  All,        // calls of all principals
};

struct WebhookRecord {
  std::string id;
  std::string principal;  // its owner
  std::string agent;      // only calls as this agent, by whose key it was made; empty: all
  std::string url;
  std::string description;
  std::uint32_t events = 0;  // one bit for each type, see webhook/event.h
  WebhookCovers covers = WebhookCovers::Principal;
  // Keys of the signatures, as bytes. The store seals them.
  std::string secret;
  std::string old_secret;  // also signs until `old_until`; empty: none
  WallTime old_until{};
  bool enabled = true;
  std::string reason;   // why the host disabled it; empty: its owner did, or it is enabled
  std::string made_by;  // "rest:anna", "cli", "config"
  WallTime created{};
  WallTime changed{};
  // About deliveries. change() does not change these members.
  std::uint64_t waiting = 0;
  std::uint64_t dead = 0;
  std::uint64_t delivered = 0;
  std::uint64_t dropped = 0;  // events that were lost, because too many waited
  WallTime last_success{};    // {}: none yet
  WallTime last_failure{};    // {}: none yet
  std::string failure;        // of the last attempt that failed
};

// An event for webhooks. queue() finds the webhooks that receive it.
struct WebhookEvent {
  std::string id;                     // unguessable; receivers detect duplicates with it
  std::uint32_t type = 0;             // one bit
  std::string principal;              // whose call it is about
  std::string agent;                  // of the call; empty: none
  bool of_host = false;               // about the host: no principal's
  std::vector<std::string> webhooks;  // ids that the call's session and request name
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
  // The time when it was queued or replayed. The time for attempts begins here.
  WallTime since{};
  WallTime due{};       // of the next attempt; dead letter: when it became one
  std::string failure;  // of the last attempt
};

// The end of one attempt.
struct WebhookOutcome {
  std::string webhook;
  std::string event;
  std::uint32_t attempts = 0;  // as when it was taken; ignored if it was taken again since
  enum class Then : std::uint8_t {
    Delivered,
    Again,  // at `due`
    Back,   // it was not attempted: as Again, with one attempt less
    Dead,
  } then = Then::Delivered;
  WallTime due{};
  std::string failure;
};

// How many deliveries of a webhook the host can attempt now.
struct WebhookRoom {
  std::string webhook;
  std::uint32_t most = 0;
};

struct WebhookTaken {
  std::vector<WebhookDelivery> deliveries;
  struct Next {
    std::string webhook;
    std::optional<WallTime> due;  // of the earliest waiting delivery; nullopt: none waits
  };
  std::vector<Next> next;  // one for each WebhookRoom
};

struct WebhookBounds {
  std::uint32_t per_principal = 16;
  std::uint32_t all = 1'000;
  std::uint32_t waiting = 100'000;  // deliveries of all webhooks of one principal
  std::uint32_t dead = 1'000;       // dead letters of one webhook; the oldest are removed
  std::chrono::milliseconds keep{std::chrono::hours(24 * 30)};  // dead letters
};

class WebhookStore {
 public:
  virtual ~WebhookStore() = default;

  enum class Added : std::uint8_t { Yes, Exists, Full };
  virtual Result<Added> add(const WebhookRecord& record) = 0;
  // Nothing: there is no such webhook. `act` changes a copy, which is stored if it returns no
  // error. Deliveries of a webhook that `act` disables with a reason become dead letters.
  virtual Result<std::optional<WebhookRecord>> change(
      std::string_view id, const std::function<Result<void>(WebhookRecord&)>& act) = 0;
  // Also removes its deliveries. False: there is no such webhook.
  virtual Result<bool> remove(std::string_view id) = 0;
  virtual Result<std::optional<WebhookRecord>> find(std::string_view id) = 0;
  // The oldest first. One whose secret cannot be read is left out, and logged.
  virtual Result<std::vector<WebhookRecord>> list() = 0;
  // True if a different process has written since the last call of this function.
  virtual Result<bool> changed_by_others() = 0;

  // Queues each event for the enabled webhooks that cover it. Returns the number of new deliveries.
  virtual Result<std::uint64_t> queue(const std::vector<WebhookEvent>& events) = 0;
  // Stores the ends of attempts, and takes deliveries that are due: the earliest of each webhook in
  // `rooms`. The attempts of a taken delivery increase by one, and it is not due again before
  // `until`. `taker`: the address of this host.
  virtual Result<WebhookTaken> take(const std::vector<WebhookOutcome>& ended,
                                    const std::vector<WebhookRoom>& rooms, std::string_view taker,
                                    WallTime now, WallTime until) = 0;
  // What an earlier host at this address had taken is due now. Removes dead letters that are too
  // old.
  virtual Result<void> release(std::string_view taker, WallTime now) = 0;

  // Deliveries of a webhook, newest first. `before`: the event after which the list continues.
  // Empty: from the newest.
  virtual Result<std::vector<WebhookDelivery>> deliveries(std::string_view webhook, bool dead,
                                                          std::string_view before,
                                                          std::uint32_t most) = 0;
  // Makes dead letters wait again, due now. `events`: their events; empty: all dead letters of the
  // webhook. Returns their number.
  virtual Result<std::uint64_t> replay(std::string_view webhook,
                                       const std::vector<std::string>& events, WallTime now) = 0;
};

}  // namespace host::store
