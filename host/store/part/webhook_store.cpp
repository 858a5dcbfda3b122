#include "store/part/webhook_store.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/log.h"
#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

#define TP_WEBHOOK_COLUMNS                                                                        \
  "id, principal, url, description, events, covers, secret, old_secret, seal_key, old_until, "    \
  "enabled, reason, made_by, created, changed, waiting, dead, delivered, dropped, last_success, " \
  "last_failure, failure, agent"
#define TP_DELIVERY_COLUMNS "webhook, event, type, body, at, state, attempts, since, due, failure"
// Of all webhooks of the same principal.
#define TP_WAITING_OF_OWNER \
  "(SELECT SUM(each.waiting) FROM webhook AS each WHERE each.principal = webhook.principal)"

// A secret that was sealed for one webhook opens nothing for another.
std::string seal_purpose(std::string_view id) {
  return "webhook\n" + std::string(id);
}

WallTime time_if(std::uint64_t milliseconds) {
  return milliseconds == 0 ? WallTime{} : time_of(milliseconds);
}

std::uint64_t stored_time(WallTime time) {
  return time == WallTime{} ? 0 : milliseconds_of(time);
}

Result<std::string> open_secret(const Statement& row, int column, SecretBox& box) {
  if (row.blob(column).empty()) return std::string();
  return box.unseal({std::string(row.text(8)), std::string(row.blob(column))},
                    seal_purpose(row.text(0)));
}

Result<WebhookRecord> webhook_of(const Statement& row, SecretBox& box) {
  WebhookRecord record;
  record.id = row.text(0);
  record.principal = row.text(1);
  record.url = row.text(2);
  record.description = row.text(3);
  record.events = static_cast<std::uint32_t>(row.number(4));
  record.covers = static_cast<WebhookCovers>(std::min<std::uint64_t>(row.number(5), 2));
  HOST_TRY_ASSIGN(record.secret, open_secret(row, 6, box));
  HOST_TRY_ASSIGN(record.old_secret, open_secret(row, 7, box));
  record.old_until = time_if(row.number(9));
  record.enabled = row.number(10) != 0;
  record.reason = row.text(11);
  record.made_by = row.text(12);
  record.created = time_of(row.number(13));
  record.changed = time_of(row.number(14));
  record.waiting = row.number(15);
  record.dead = row.number(16);
  record.delivered = row.number(17);
  record.dropped = row.number(18);
  record.last_success = time_if(row.number(19));
  record.last_failure = time_if(row.number(20));
  record.failure = row.text(21);
  record.agent = row.text(22);
  return record;
}

WebhookDelivery delivery_of(const Statement& row) {
  WebhookDelivery delivery;
  delivery.webhook = row.text(0);
  delivery.event = row.text(1);
  delivery.type = static_cast<std::uint32_t>(row.number(2));
  delivery.body = row.text(3);
  delivery.at = time_of(row.number(4));
  delivery.dead = row.number(5) != 0;
  delivery.attempts = static_cast<std::uint32_t>(row.number(6));
  delivery.since = time_of(row.number(7));
  delivery.due = time_of(row.number(8));
  delivery.failure = row.text(9);
  return delivery;
}

// Both return the state of a delivery, if the attempt is the last.
constexpr const char* kAskState =
    "SELECT state FROM webhook_delivery WHERE webhook = ?1 AND event = ?2 AND attempts = ?3";
constexpr const char* kDropEnded =
    "DELETE FROM webhook_delivery WHERE webhook = ?1 AND event = ?2 AND attempts = ?3 RETURNING "
    "state";

class SqliteWebhookStore final : public WebhookStore {
 public:
  SqliteWebhookStore(Sqlite& database, SecretBox& box, const Clock& clock,
                     const WebhookBounds& bounds)
      : database_(database), box_(box), clock_(clock), bounds_(bounds) {}

  Result<Added> add(const WebhookRecord& record) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(const std::optional<WebhookRecord> known, find(record.id));
    if (known) return Added::Exists;
    HOST_TRY_ASSIGN(Statement count, database_.prepare("SELECT COUNT(*), COALESCE(SUM(principal = "
                                                       "?1), 0) FROM webhook"));
    HOST_TRY(count.bind(record.principal).step());
    if (count.number(0) >= bounds_.all || count.number(1) >= bounds_.per_principal)
      return Added::Full;
    HOST_TRY(put(record));
    HOST_TRY(transaction.commit());
    return Added::Yes;
  }

  Result<std::optional<WebhookRecord>> change(
      std::string_view id, const std::function<Result<void>(WebhookRecord&)>& act) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(std::optional<WebhookRecord> record, find(id));
    if (!record) return record;
    const bool was_enabled = record->enabled;
    HOST_TRY(act(*record));
    if (was_enabled && !record->enabled && !record->reason.empty() && record->waiting > 0) {
      HOST_TRY_ASSIGN(Statement bury,
                      database_.prepare("UPDATE webhook_delivery SET state = 1, taker = '', due = "
                                        "?2 WHERE webhook = ?1 AND state = 0"));
      HOST_TRY(bury.bind(id).bind(milliseconds_of(clock_.wall())).run());
      record->dead += database_.changes();
      record->waiting = 0;
    }
    HOST_TRY(put(*record));
    HOST_TRY(forget_dead(std::string(id)));
    HOST_TRY(transaction.commit());
    return find(id);
  }

  Result<bool> remove(std::string_view id) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("DELETE FROM webhook_delivery WHERE webhook = ?1"));
    HOST_TRY(rows.bind(id).run());
    HOST_TRY_ASSIGN(Statement drop, database_.prepare("DELETE FROM webhook WHERE id = ?1"));
    HOST_TRY(drop.bind(id).run());
    const bool removed = database_.changes() == 1;
    HOST_TRY(transaction.commit());
    return removed;
  }

  Result<std::optional<WebhookRecord>> find(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement ask,
                    database_.prepare("SELECT " TP_WEBHOOK_COLUMNS " FROM webhook WHERE id = ?1"));
    HOST_TRY_ASSIGN(const bool there, ask.bind(id).step());
    if (!there) return std::optional<WebhookRecord>();
    HOST_TRY_ASSIGN(WebhookRecord record, webhook_of(ask, box_));
    return std::optional<WebhookRecord>(std::move(record));
  }

  Result<std::vector<WebhookRecord>> list() override {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare("SELECT " TP_WEBHOOK_COLUMNS
                                                      " FROM webhook ORDER BY created, id"));
    std::vector<WebhookRecord> records;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return records;
      auto record = webhook_of(rows, box_);
      if (record) {
        records.push_back(*std::move(record));
      } else {
        log::error("store", "a webhook cannot be read, so it gets no events",
                   {{"webhook", std::string(rows.text(0))}, {"reason", record.error().message}});
      }
    }
  }

  Result<bool> changed_by_others() override { return seen_.changed(database_); }

  Result<std::uint64_t> queue(const std::vector<WebhookEvent>& events) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    std::uint64_t made = 0;
    Uncounted uncounted;
    const WebhookEvent* last = nullptr;
    std::vector<std::string> receivers;
    for (const WebhookEvent& event : events) {
      if (!last || !have_same_receivers(*last, event)) {
        HOST_TRY_ASSIGN(receivers, receivers_of(event));
      }
      last = &event;
      for (const std::string& webhook : receivers) {
        HOST_TRY_ASSIGN(const bool inserted, insert(webhook, event, uncounted));
        if (!inserted) continue;
        ++made;
        ++uncounted[webhook];
      }
    }
    HOST_TRY(count_waiting(uncounted));
    HOST_TRY(transaction.commit());
    return made;
  }

  Result<WebhookTaken> take(const std::vector<WebhookOutcome>& ended,
                            const std::vector<WebhookRoom>& rooms, std::string_view taker,
                            WallTime now, WallTime until) override {
    // If power is lost, what was delivered is delivered once more, as after a kill of the host.
    HOST_TRY_ASSIGN(Transaction transaction,
                    Transaction::begin(database_, Transaction::Sync::Later));
    HOST_TRY(settle(ended, now));
    WebhookTaken taken;
    for (const WebhookRoom& room : rooms) {
      HOST_TRY(begin_anew_after_rest(room.webhook, now));
      HOST_TRY(take_of(room, taker, now, until, taken.deliveries));
      HOST_TRY_ASSIGN(Statement next,
                      database_.prepare("SELECT due FROM webhook_delivery WHERE webhook = ?1 AND "
                                        "state = 0 ORDER BY due LIMIT 1"));
      HOST_TRY_ASSIGN(const bool waits, next.bind(room.webhook).step());
      taken.next.push_back(
          {room.webhook, waits ? std::optional(time_of(next.number(0))) : std::nullopt});
    }
    HOST_TRY(transaction.commit());
    return taken;
  }

  Result<void> release(std::string_view taker, WallTime now) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(const std::vector<WebhookRecord> all, list());
    for (const WebhookRecord& one : all) HOST_TRY(forget_dead(one.id));
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("UPDATE webhook_delivery SET taker = '', due = ?2 WHERE "
                                      "taker <> '' AND taker = ?1"));
    HOST_TRY(put.bind(taker).bind(milliseconds_of(now)).run());
    return transaction.commit();
  }

  Result<std::vector<WebhookDelivery>> deliveries(std::string_view webhook, bool dead,
                                                  std::string_view before,
                                                  std::uint32_t most) override {
    if (!before.empty()) {
      HOST_TRY_ASSIGN(Statement last,
                      database_.prepare("SELECT 1 FROM webhook_delivery WHERE webhook = ?1 AND "
                                        "event = ?2 AND state = ?3"));
      last.bind(webhook).bind(before).bind(std::uint64_t{dead ? 1u : 0u});
      HOST_TRY_ASSIGN(const bool there, last.step());
      if (!there) return gone_before("delivery");
    }
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT " TP_DELIVERY_COLUMNS
                          " FROM webhook_delivery WHERE webhook = ?1 AND state = ?2 AND (?3 = '' "
                          "OR (due, event) < (SELECT due, event FROM webhook_delivery WHERE "
                          "webhook = ?1 AND event = ?3)) ORDER BY due DESC, event DESC LIMIT ?4"));
    rows.bind(webhook).bind(std::uint64_t{dead ? 1u : 0u}).bind(before);
    rows.bind(std::uint64_t{most});
    std::vector<WebhookDelivery> found;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return found;
      found.push_back(delivery_of(rows));
    }
  }

  Result<std::uint64_t> replay(std::string_view webhook, const std::vector<std::string>& events,
                               WallTime now) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    const std::string ids = json_of(events);
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("UPDATE webhook_delivery SET state = 0, attempts = 0, since = ?3, due = "
                          "?3, taker = '' WHERE webhook = ?1 AND state = 1 AND (?2 = '[]' OR "
                          "event IN (SELECT value FROM json_each(?2)))"));
    HOST_TRY(put.bind(webhook).bind(ids).bind(milliseconds_of(now)).run());
    const std::uint64_t count = database_.changes();
    HOST_TRY_ASSIGN(Statement move,
                    database_.prepare("UPDATE webhook SET waiting = waiting + ?2, dead = dead - ?2 "
                                      "WHERE id = ?1"));
    HOST_TRY(move.bind(webhook).bind(count).run());
    HOST_TRY(transaction.commit());
    return count;
  }

  // With what it had, sealed anew.
  Result<void> put(const WebhookRecord& record) {
    HOST_TRY_ASSIGN(const SecretBox::Sealed secret,
                    box_.seal(record.secret, seal_purpose(record.id)));
    SecretBox::Sealed old;
    if (!record.old_secret.empty()) {
      HOST_TRY_ASSIGN(old, box_.seal(record.old_secret, seal_purpose(record.id)));
    }
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("INSERT OR REPLACE INTO webhook (" TP_WEBHOOK_COLUMNS
                          ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
                          "?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)"));
    put.bind(record.id).bind(record.principal).bind(record.url).bind(record.description);
    put.bind(std::uint64_t{record.events}).bind(static_cast<std::uint64_t>(record.covers));
    put.bind_blob(secret.bytes).bind_blob(old.bytes).bind(secret.key);
    put.bind(stored_time(record.old_until)).bind(std::uint64_t{record.enabled ? 1u : 0u});
    put.bind(record.reason).bind(record.made_by).bind(milliseconds_of(record.created));
    put.bind(milliseconds_of(record.changed)).bind(record.waiting).bind(record.dead);
    put.bind(record.delivered).bind(record.dropped).bind(stored_time(record.last_success));
    put.bind(stored_time(record.last_failure)).bind(record.failure);
    return put.bind(record.agent).run();
  }

 private:
  // Deliveries that were inserted in this transaction and are not in `waiting` yet, by webhook.
  using Uncounted = std::map<std::string, std::uint64_t>;
  // What attempts did to one webhook.
  struct Tally {
    std::uint64_t delivered = 0;
    std::uint64_t revived = 0;  // delivered, although they were dead letters
    std::uint64_t died = 0;
    std::uint64_t failed = 0;
    std::string failure;
  };

  Result<std::vector<std::string>> receivers_of(const WebhookEvent& event) {
    if (event.of_host) {
      HOST_TRY_ASSIGN(Statement rows, database_.prepare("SELECT id FROM webhook WHERE enabled = 1 "
                                                        "AND events & ?1 <> 0"));
      return ids_in(rows.bind(std::uint64_t{event.type}));
    }
    const std::string named = json_of(event.webhooks);
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT id FROM webhook WHERE principal = ?2 AND enabled = 1 AND events "
                          "& ?1 <> 0 AND (agent = '' OR agent = ?3) AND (covers <> 0 OR id IN "
                          "(SELECT value FROM json_each(?4))) UNION ALL SELECT id FROM webhook "
                          "WHERE covers = 2 AND principal <> ?2 AND enabled = 1 AND events & ?1 <> "
                          "0 AND (agent = '' OR agent = ?3)"));
    rows.bind(std::uint64_t{event.type}).bind(event.principal).bind(event.agent).bind(named);
    return ids_in(rows);
  }

  static Result<std::vector<std::string>> ids_in(Statement& rows) {
    std::vector<std::string> ids;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return ids;
      ids.emplace_back(rows.text(0));
    }
  }

  static bool have_same_receivers(const WebhookEvent& one, const WebhookEvent& other) {
    return one.type == other.type && one.of_host == other.of_host &&
           one.principal == other.principal && one.agent == other.agent &&
           one.webhooks == other.webhooks;
  }

  // False: too many wait, or it waits already. Deliveries of other principals that are not counted
  // yet need no room, so they are counted before an event is dropped.
  Result<bool> insert(const std::string& webhook, const WebhookEvent& event, Uncounted& uncounted) {
    std::uint64_t others = 0;
    for (const auto& [id, count] : uncounted) others += count;
    HOST_TRY_ASSIGN(bool inserted, insert_into_room(webhook, event, others));
    if (!inserted && others > 0) {
      HOST_TRY(count_waiting(uncounted));
      HOST_TRY_ASSIGN(inserted, insert_into_room(webhook, event, 0));
    }
    if (inserted) return true;
    HOST_TRY_ASSIGN(
        Statement drop,
        database_.prepare(
            "UPDATE webhook SET dropped = dropped + 1 WHERE id = ?1 AND " TP_WAITING_OF_OWNER
            " >= ?2"));
    HOST_TRY(drop.bind(webhook).bind(std::uint64_t{bounds_.waiting}).run());
    tell_loss("limits.webhook_waiting", database_.changes());
    return false;
  }

  Result<bool> insert_into_room(const std::string& webhook, const WebhookEvent& event,
                                std::uint64_t uncounted) {
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("INSERT OR IGNORE INTO webhook_delivery (" TP_DELIVERY_COLUMNS
                          ", taker) SELECT ?1, ?2, ?3, ?4, ?5, 0, 0, ?6, ?6, '', '' FROM webhook "
                          "WHERE id = ?1 AND (SELECT SUM(other.waiting) FROM webhook AS "
                          "other WHERE other.principal = webhook.principal) < ?7"));
    put.bind(webhook).bind(event.id).bind(std::uint64_t{event.type}).bind(event.body);
    put.bind(milliseconds_of(event.at)).bind(milliseconds_of(clock_.wall()));
    const std::uint64_t room =
        bounds_.waiting - std::min<std::uint64_t>(bounds_.waiting, uncounted);
    HOST_TRY(put.bind(room).run());
    return database_.changes() == 1;
  }

  Result<void> count_waiting(Uncounted& uncounted) {
    for (const auto& [webhook, made] : std::exchange(uncounted, {})) {
      HOST_TRY_ASSIGN(Statement count,
                      database_.prepare("UPDATE webhook SET waiting = waiting + ?2 WHERE id = ?1"));
      HOST_TRY(count.bind(webhook).bind(made).run());
    }
    return {};
  }

  Result<void> settle(const std::vector<WebhookOutcome>& ended, WallTime now) {
    std::map<std::string, Tally> tallies;
    for (const WebhookOutcome& outcome : ended) HOST_TRY(settle_one(outcome, now, tallies));
    for (const auto& [webhook, tally] : tallies) {
      HOST_TRY(count(webhook, tally, now));
      if (tally.died > 0) HOST_TRY(forget_dead(webhook));
    }
    return {};
  }

  // A delivery may have become a dead letter meanwhile, because its webhook was disabled.
  Result<void> settle_one(const WebhookOutcome& outcome, WallTime now,
                          std::map<std::string, Tally>& tallies) {
    const bool is_over = outcome.then == WebhookOutcome::Then::Delivered;
    HOST_TRY_ASSIGN(const std::optional<bool> was_dead,
                    was_dead_by(is_over ? kDropEnded : kAskState, outcome));
    if (!was_dead) return {};  // a different host has taken it, or it is gone
    Tally& tally = tallies[outcome.webhook];
    if (is_over) {
      ++(*was_dead ? tally.revived : tally.delivered);
      return {};
    }
    if (outcome.then != WebhookOutcome::Then::Back) {
      ++tally.failed;
      tally.failure = outcome.failure;
    }
    if (outcome.then == WebhookOutcome::Then::Dead && !*was_dead) ++tally.died;
    return keep(outcome, now, *was_dead);
  }

  // Executes kAskState or kDropEnded. nullopt: it has a later attempt, or is gone.
  Result<std::optional<bool>> was_dead_by(const char* sql, const WebhookOutcome& outcome) {
    HOST_TRY_ASSIGN(Statement ask, database_.prepare(sql));
    ask.bind(outcome.webhook).bind(outcome.event).bind(std::uint64_t{outcome.attempts});
    HOST_TRY_ASSIGN(const bool there, ask.step());
    return there ? std::optional<bool>(ask.number(0) != 0) : std::nullopt;
  }

  Result<void> keep(const WebhookOutcome& outcome, WallTime now, bool was_dead) {
    const bool dies = was_dead || outcome.then == WebhookOutcome::Then::Dead;
    const bool back = outcome.then == WebhookOutcome::Then::Back;
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("UPDATE webhook_delivery SET state = ?3, due = ?4, failure = "
                                      "CASE WHEN ?6 THEN failure ELSE ?5 END, attempts = attempts "
                                      "- ?6, taker = '' WHERE webhook = ?1 AND event = ?2"));
    put.bind(outcome.webhook).bind(outcome.event).bind(std::uint64_t{dies ? 1u : 0u});
    put.bind(milliseconds_of(dies ? now : outcome.due)).bind(outcome.failure);
    return put.bind(std::uint64_t{back ? 1u : 0u}).run();
  }

  Result<void> count(const std::string& webhook, const Tally& tally, WallTime now) {
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("UPDATE webhook SET waiting = waiting - ?2 - ?3, delivered = delivered + "
                          "?2 + ?7, dead = dead + ?3 - ?7, last_success = CASE WHEN ?2 + ?7 > 0 "
                          "THEN ?4 ELSE last_success END, last_failure = CASE WHEN ?5 > 0 THEN ?4 "
                          "ELSE last_failure END, failure = CASE WHEN ?5 > 0 THEN ?6 ELSE failure "
                          "END WHERE id = ?1"));
    put.bind(webhook).bind(tally.delivered).bind(tally.died).bind(milliseconds_of(now));
    return put.bind(tally.failed).bind(tally.failure).bind(tally.revived).run();
  }

  // Dead letters that are too old, and the oldest of too many.
  Result<void> forget_dead(const std::string& webhook) {
    const std::uint64_t oldest = milliseconds_of(clock_.wall() - bounds_.keep);
    HOST_TRY_ASSIGN(Statement old, database_.prepare("DELETE FROM webhook_delivery WHERE webhook = "
                                                     "?1 AND state = 1 AND due < ?2"));
    HOST_TRY(old.bind(webhook).bind(oldest).run());
    std::uint64_t gone = database_.changes();
    HOST_TRY_ASSIGN(
        Statement most,
        database_.prepare("DELETE FROM webhook_delivery WHERE rowid IN (SELECT rowid FROM "
                          "webhook_delivery WHERE webhook = ?1 AND state = 1 ORDER BY due DESC, at "
                          "DESC, event DESC LIMIT -1 OFFSET ?2)"));
    HOST_TRY(most.bind(webhook).bind(std::uint64_t{bounds_.dead}).run());
    tell_loss("limits.webhook_dead", database_.changes());
    gone += database_.changes();
    if (gone == 0) return {};
    HOST_TRY_ASSIGN(Statement count,
                    database_.prepare("UPDATE webhook SET dead = dead - ?2 WHERE id = ?1"));
    return count.bind(webhook).bind(gone).run();
  }

  void tell_loss(const char* limit, std::uint64_t events) const {
    if (events > 0 && bounds_.on_loss) bounds_.on_loss(limit, events);
  }

  // A time without attempts says nothing about the receiver, so it makes no delivery a dead letter.
  Result<void> begin_anew_after_rest(const std::string& webhook, WallTime now) {
    const std::uint64_t rested_since = milliseconds_of(now - bounds_.rest);
    HOST_TRY_ASSIGN(Statement ask,
                    database_.prepare("SELECT 1 FROM webhook WHERE id = ?1 AND MAX(last_success, "
                                      "last_failure) < ?2"));
    HOST_TRY_ASSIGN(const bool rested, ask.bind(webhook).bind(rested_since).step());
    if (!rested) return {};
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("UPDATE webhook_delivery SET attempts = 0, since = ?2 WHERE "
                                      "webhook = ?1 AND state = 0 AND since < ?3 AND (taker = '' "
                                      "OR due <= ?2)"));
    return put.bind(webhook).bind(milliseconds_of(now)).bind(rested_since).run();
  }

  Result<void> take_of(const WebhookRoom& room, std::string_view taker, WallTime now,
                       WallTime until, std::vector<WebhookDelivery>& into) {
    const std::size_t first = into.size();
    HOST_TRY(read_due(room, now, into));
    for (std::size_t i = first; i < into.size(); ++i) {
      WebhookDelivery& one = into[i];
      HOST_TRY_ASSIGN(
          Statement put,
          database_.prepare("UPDATE webhook_delivery SET attempts = attempts + 1, due = "
                            "?3, taker = ?4 WHERE webhook = ?1 AND event = ?2"));
      put.bind(one.webhook).bind(one.event).bind(milliseconds_of(until));
      HOST_TRY(put.bind(taker).run());
      ++one.attempts;
    }
    return {};
  }

  Result<void> read_due(const WebhookRoom& room, WallTime now, std::vector<WebhookDelivery>& into) {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT " TP_DELIVERY_COLUMNS
                                      " FROM webhook_delivery WHERE webhook = ?1 AND state = 0 AND "
                                      "due <= ?2 ORDER BY due LIMIT ?3"));
    rows.bind(room.webhook).bind(milliseconds_of(now)).bind(std::uint64_t{room.most});
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return {};
      into.push_back(delivery_of(rows));
    }
  }

  Sqlite& database_;
  SecretBox& box_;
  const Clock& clock_;
  const WebhookBounds bounds_;
  SeenVersion seen_;
};

#undef TP_WEBHOOK_COLUMNS
#undef TP_DELIVERY_COLUMNS
#undef TP_WAITING_OF_OWNER

}  // namespace

std::unique_ptr<WebhookStore> webhooks_in(Sqlite& database, SecretBox& box, const Clock& clock,
                                          const WebhookBounds& bounds) {
  return std::make_unique<SqliteWebhookStore>(database, box, clock, bounds);
}

Result<void> seal_webhooks(Sqlite& database, SecretBox& box) {
  HOST_TRY_ASSIGN(const std::string key, box.current());
  std::uint64_t outdated = 0;
  {
    HOST_TRY_ASSIGN(Statement ask,
                    database.prepare("SELECT count(*) FROM webhook WHERE seal_key <> ?1"));
    HOST_TRY(ask.bind(key).step());
    outdated = ask.number(0);
  }
  if (outdated == 0) return {};
  SqliteWebhookStore webhooks(database, box, system_clock(), {});
  HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database));
  HOST_TRY_ASSIGN(const std::vector<WebhookRecord> records, webhooks.list());
  for (const WebhookRecord& record : records) HOST_TRY(webhooks.put(record));
  return transaction.commit();
}

}  // namespace host::store
