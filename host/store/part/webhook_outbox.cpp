#include "store/part/webhook_outbox.h"

#include <algorithm>
#include <utility>

#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

#define TP_DELIVERY_COLUMNS "webhook, event, type, body, at, state, attempts, since, due, failure"
// Of all webhooks of the same principal.
#define TP_WAITING_OF_OWNER \
  "(SELECT SUM(each.waiting) FROM webhook AS each WHERE each.principal = webhook.principal)"

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

Result<std::vector<std::string>> ids_in(Statement& rows) {
  std::vector<std::string> ids;
  for (;;) {
    HOST_TRY_ASSIGN(const bool row, rows.step());
    if (!row) return ids;
    ids.emplace_back(rows.text(0));
  }
}

bool have_same_receivers(const WebhookEvent& one, const WebhookEvent& other) {
  return one.type == other.type && one.of_host == other.of_host &&
         one.principal == other.principal && one.agent == other.agent &&
         one.webhooks == other.webhooks;
}

}  // namespace

Result<std::uint64_t> WebhookOutbox::queue(const std::vector<WebhookEvent>& events) {
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
  return made;
}

Result<std::vector<WebhookDelivery>> WebhookOutbox::deliveries(std::string_view webhook, bool dead,
                                                               std::string_view before,
                                                               std::uint32_t most) {
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

Result<std::uint64_t> WebhookOutbox::replay(std::string_view webhook,
                                            const std::vector<std::string>& events, WallTime now) {
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
  return count;
}

Result<std::vector<std::string>> WebhookOutbox::receivers_of(const WebhookEvent& event) {
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

// False: too many wait, or it waits already. Deliveries of other principals that are not counted
// yet need no room, so they are counted before an event is dropped.
Result<bool> WebhookOutbox::insert(const std::string& webhook, const WebhookEvent& event,
                                   Uncounted& uncounted) {
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

Result<bool> WebhookOutbox::insert_into_room(const std::string& webhook, const WebhookEvent& event,
                                             std::uint64_t uncounted) {
  HOST_TRY_ASSIGN(
      Statement put,
      database_.prepare("INSERT OR IGNORE INTO webhook_delivery (" TP_DELIVERY_COLUMNS
                        ", taker) SELECT ?1, ?2, ?3, ?4, ?5, 0, 0, ?6, ?6, '', '' FROM webhook "
                        "WHERE id = ?1 AND (SELECT SUM(other.waiting) FROM webhook AS "
                        "other WHERE other.principal = webhook.principal) < ?7"));
  put.bind(webhook).bind(event.id).bind(std::uint64_t{event.type}).bind(event.body);
  put.bind(milliseconds_of(event.at)).bind(milliseconds_of(clock_.wall()));
  const std::uint64_t room = bounds_.waiting - std::min<std::uint64_t>(bounds_.waiting, uncounted);
  HOST_TRY(put.bind(room).run());
  return database_.changes() == 1;
}

Result<void> WebhookOutbox::count_waiting(Uncounted& uncounted) {
  for (const auto& [webhook, made] : std::exchange(uncounted, {})) {
    HOST_TRY_ASSIGN(Statement count,
                    database_.prepare("UPDATE webhook SET waiting = waiting + ?2 WHERE id = ?1"));
    HOST_TRY(count.bind(webhook).bind(made).run());
  }
  return {};
}

Result<void> WebhookOutbox::settle(const std::vector<WebhookOutcome>& ended, WallTime now) {
  std::map<std::string, Tally> tallies;
  for (const WebhookOutcome& outcome : ended) HOST_TRY(settle_one(outcome, now, tallies));
  for (const auto& [webhook, tally] : tallies) {
    HOST_TRY(count(webhook, tally, now));
    if (tally.died > 0) HOST_TRY(forget_dead(webhook));
  }
  return {};
}

// A delivery may have become a dead letter meanwhile, because its webhook was disabled.
Result<void> WebhookOutbox::settle_one(const WebhookOutcome& outcome, WallTime now,
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
Result<std::optional<bool>> WebhookOutbox::was_dead_by(const char* sql,
                                                       const WebhookOutcome& outcome) {
  HOST_TRY_ASSIGN(Statement ask, database_.prepare(sql));
  ask.bind(outcome.webhook).bind(outcome.event).bind(std::uint64_t{outcome.attempts});
  HOST_TRY_ASSIGN(const bool there, ask.step());
  return there ? std::optional<bool>(ask.number(0) != 0) : std::nullopt;
}

Result<void> WebhookOutbox::keep(const WebhookOutcome& outcome, WallTime now, bool was_dead) {
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

Result<void> WebhookOutbox::count(const std::string& webhook, const Tally& tally, WallTime now) {
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
Result<void> WebhookOutbox::forget_dead(const std::string& webhook) {
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

void WebhookOutbox::tell_loss(const char* limit, std::uint64_t events) const {
  if (events > 0 && bounds_.on_loss) bounds_.on_loss(limit, events);
}

// A time without attempts says nothing about the receiver, so it makes no delivery a dead letter.
Result<void> WebhookOutbox::begin_anew_after_rest(const std::string& webhook, WallTime now) {
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

Result<void> WebhookOutbox::take_due(const WebhookRoom& room, std::string_view taker, WallTime now,
                                     WallTime until, std::vector<WebhookDelivery>& into) {
  const std::size_t first = into.size();
  HOST_TRY(read_due(room, now, into));
  for (std::size_t i = first; i < into.size(); ++i) {
    WebhookDelivery& one = into[i];
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("UPDATE webhook_delivery SET attempts = attempts + 1, due = "
                                      "?3, taker = ?4 WHERE webhook = ?1 AND event = ?2"));
    put.bind(one.webhook).bind(one.event).bind(milliseconds_of(until));
    HOST_TRY(put.bind(taker).run());
    ++one.attempts;
  }
  return {};
}

Result<void> WebhookOutbox::read_due(const WebhookRoom& room, WallTime now,
                                     std::vector<WebhookDelivery>& into) {
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

Result<std::optional<WallTime>> WebhookOutbox::take(const WebhookRoom& room, std::string_view taker,
                                                    WallTime now, WallTime until,
                                                    std::vector<WebhookDelivery>& into) {
  HOST_TRY(begin_anew_after_rest(room.webhook, now));
  HOST_TRY(take_due(room, taker, now, until, into));
  HOST_TRY_ASSIGN(Statement next,
                  database_.prepare("SELECT due FROM webhook_delivery WHERE webhook = ?1 AND "
                                    "state = 0 ORDER BY due LIMIT 1"));
  HOST_TRY_ASSIGN(const bool waits, next.bind(room.webhook).step());
  return waits ? std::optional(time_of(next.number(0))) : std::nullopt;
}

Result<void> WebhookOutbox::release(std::string_view taker, WallTime now) {
  HOST_TRY_ASSIGN(Statement put,
                  database_.prepare("UPDATE webhook_delivery SET taker = '', due = ?2 WHERE "
                                    "taker <> '' AND taker = ?1"));
  return put.bind(taker).bind(milliseconds_of(now)).run();
}

Result<std::uint64_t> WebhookOutbox::bury(std::string_view webhook) {
  HOST_TRY_ASSIGN(Statement put,
                  database_.prepare("UPDATE webhook_delivery SET state = 1, taker = '', due = "
                                    "?2 WHERE webhook = ?1 AND state = 0"));
  HOST_TRY(put.bind(webhook).bind(milliseconds_of(clock_.wall())).run());
  return database_.changes();
}

Result<void> WebhookOutbox::remove(std::string_view webhook) {
  HOST_TRY_ASSIGN(Statement rows,
                  database_.prepare("DELETE FROM webhook_delivery WHERE webhook = ?1"));
  return rows.bind(webhook).run();
}

#undef TP_DELIVERY_COLUMNS
#undef TP_WAITING_OF_OWNER

}  // namespace host::store
