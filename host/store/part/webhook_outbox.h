// The deliveries of webhooks, as rows of the database: see webhook_store.h. The row of a
// webhook contains the numbers of its deliveries. Each function that writes is called within a
// transaction of the caller.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/part/webhook_store.h"
#include "store/sqlite/sqlite.h"

namespace host::store {

class WebhookOutbox {
 public:
  WebhookOutbox(Sqlite& database, const Clock& clock, const WebhookBounds& bounds)
      : database_(database), clock_(clock), bounds_(bounds) {}

  // Each of the functions below does the same as the function of WebhookStore with the same name.
  Result<std::uint64_t> queue(const std::vector<WebhookEvent>& events);
  Result<std::vector<WebhookDelivery>> deliveries(std::string_view webhook, bool dead,
                                                  std::string_view before, std::uint32_t most);
  Result<std::uint64_t> replay(std::string_view webhook, const std::vector<std::string>& events,
                               WallTime now);

  // Stores the outcomes of attempts to deliver events.
  Result<void> settle(const std::vector<WebhookOutcome>& ended, WallTime now);
  // Takes the deliveries of one webhook that are due, and appends the deliveries to `into`. Returns
  // the time at which the webhook's next delivery is due, or nullopt if no delivery waits.
  Result<std::optional<WallTime>> take(const WebhookRoom& room, std::string_view taker,
                                       WallTime now, WallTime until,
                                       std::vector<WebhookDelivery>& into);
  // Makes all deliveries that the host at `taker` had taken due at `now`.
  Result<void> release(std::string_view taker, WallTime now);

  // Turns the waiting deliveries of a webhook into dead letters, and returns how many there were.
  // The caller must add the new dead letters to the webhook's counters.
  Result<std::uint64_t> bury(std::string_view webhook);
  // Removes the webhook's dead letters that are too old. If the webhook has too many dead letters,
  // the function also removes the oldest ones.
  Result<void> forget_dead(const std::string& webhook);
  // Removes all deliveries of a webhook.
  Result<void> remove(std::string_view webhook);

 private:
  // For each webhook, the number of deliveries that this transaction has inserted but not yet added
  // to the webhook's counter `waiting`.
  using Uncounted = std::map<std::string, std::uint64_t>;
  // The numbers of attempts for one webhook, by their outcome.
  struct Tally {
    std::uint64_t delivered = 0;
    std::uint64_t revived = 0;  // number of dead letters that were delivered after all
    std::uint64_t died = 0;
    std::uint64_t failed = 0;
    std::string failure;
  };

  Result<std::vector<std::string>> receivers_of(const WebhookEvent& event);
  Result<bool> insert(const std::string& webhook, const WebhookEvent& event, Uncounted& uncounted);
  Result<bool> insert_into_room(const std::string& webhook, const WebhookEvent& event,
                                std::uint64_t uncounted);
  Result<void> count_waiting(Uncounted& uncounted);
  Result<void> settle_one(const WebhookOutcome& outcome, WallTime now,
                          std::map<std::string, Tally>& tallies);
  Result<std::optional<bool>> was_dead_by(const char* sql, const WebhookOutcome& outcome);
  Result<void> keep(const WebhookOutcome& outcome, WallTime now, bool was_dead);
  Result<void> count(const std::string& webhook, const Tally& tally, WallTime now);
  Result<void> begin_anew_after_rest(const std::string& webhook, WallTime now);
  Result<void> take_due(const WebhookRoom& room, std::string_view taker, WallTime now,
                        WallTime until, std::vector<WebhookDelivery>& into);
  Result<void> read_due(const WebhookRoom& room, WallTime now, std::vector<WebhookDelivery>& into);
  void tell_loss(const char* limit, std::uint64_t events) const;

  Sqlite& database_;
  const Clock& clock_;
  const WebhookBounds bounds_;
};

}  // namespace host::store
