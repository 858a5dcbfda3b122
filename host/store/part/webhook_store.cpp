#include "store/part/webhook_store.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/log.h"
#include "base/text/encoding.h"
#include "store/part/sqlite_parts.h"
#include "store/part/webhook_outbox.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

#define TP_WEBHOOK_COLUMNS                                                                        \
  "id, principal, url, description, events, covers, secret, old_secret, seal_key, old_until, "    \
  "enabled, reason, made_by, created, changed, waiting, dead, delivered, dropped, last_success, " \
  "last_failure, failure, agent, old_secrets"

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

// One line for each: until when it signs, and its bytes in base64.
std::string text_of(const std::vector<WebhookRecord::OldSecret>& secrets) {
  std::string text;
  for (const auto& one : secrets)
    text += std::to_string(milliseconds_of(one.until)) + " " + base64(one.secret) + "\n";
  return text;
}

std::vector<WebhookRecord::OldSecret> old_secrets_in(const std::string& text) {
  std::vector<WebhookRecord::OldSecret> secrets;
  std::istringstream lines(text);
  std::uint64_t until = 0;
  std::string encoded;
  while (lines >> until >> encoded) {
    if (auto secret = from_base64(encoded)) secrets.push_back({*std::move(secret), time_of(until)});
  }
  return secrets;
}

// Hosts before the list wrote one replaced secret, in columns of its own.
Result<std::vector<WebhookRecord::OldSecret>> open_old_secrets(const Statement& row,
                                                               SecretBox& box) {
  HOST_TRY_ASSIGN(const std::string list, open_secret(row, 23, box));
  std::vector<WebhookRecord::OldSecret> secrets = old_secrets_in(list);
  HOST_TRY_ASSIGN(std::string only, open_secret(row, 7, box));
  if (!only.empty()) secrets.push_back({std::move(only), time_if(row.number(9))});
  return secrets;
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
  HOST_TRY_ASSIGN(record.old_secrets, open_old_secrets(row, box));
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

class SqliteWebhookStore final : public WebhookStore {
 public:
  SqliteWebhookStore(Sqlite& database, SecretBox& box, const Clock& clock,
                     const WebhookBounds& bounds)
      : database_(database), box_(box), bounds_(bounds), outbox_(database, clock, bounds) {}

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
      HOST_TRY_ASSIGN(const std::uint64_t buried, outbox_.bury(id));
      record->dead += buried;
      record->waiting = 0;
    }
    HOST_TRY(put(*record));
    HOST_TRY(outbox_.forget_dead(std::string(id)));
    HOST_TRY(transaction.commit());
    return find(id);
  }

  Result<bool> remove(std::string_view id) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY(outbox_.remove(id));
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
    HOST_TRY_ASSIGN(const std::uint64_t made, outbox_.queue(events));
    HOST_TRY(transaction.commit());
    return made;
  }

  Result<WebhookTaken> take(const std::vector<WebhookOutcome>& ended,
                            const std::vector<WebhookRoom>& rooms, std::string_view taker,
                            WallTime now, WallTime until) override {
    // If power is lost, what was delivered is delivered once more, as after a kill of the host.
    HOST_TRY_ASSIGN(Transaction transaction,
                    Transaction::begin(database_, Transaction::Sync::Later));
    HOST_TRY(outbox_.settle(ended, now));
    WebhookTaken taken;
    for (const WebhookRoom& room : rooms) {
      HOST_TRY_ASSIGN(const std::optional<WallTime> due,
                      outbox_.take(room, taker, now, until, taken.deliveries));
      taken.next.push_back({room.webhook, due});
    }
    HOST_TRY(transaction.commit());
    return taken;
  }

  Result<void> release(std::string_view taker, WallTime now) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(const std::vector<WebhookRecord> all, list());
    for (const WebhookRecord& one : all) HOST_TRY(outbox_.forget_dead(one.id));
    HOST_TRY(outbox_.release(taker, now));
    return transaction.commit();
  }

  Result<std::vector<WebhookDelivery>> deliveries(std::string_view webhook, bool dead,
                                                  std::string_view before,
                                                  std::uint32_t most) override {
    return outbox_.deliveries(webhook, dead, before, most);
  }

  Result<std::uint64_t> replay(std::string_view webhook, const std::vector<std::string>& events,
                               WallTime now) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(const std::uint64_t count, outbox_.replay(webhook, events, now));
    HOST_TRY(transaction.commit());
    return count;
  }

  // With what it had, sealed anew.
  Result<void> put(const WebhookRecord& record) {
    HOST_TRY_ASSIGN(const SecretBox::Sealed secret,
                    box_.seal(record.secret, seal_purpose(record.id)));
    SecretBox::Sealed old;
    if (!record.old_secrets.empty()) {
      HOST_TRY_ASSIGN(old, box_.seal(text_of(record.old_secrets), seal_purpose(record.id)));
    }
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("INSERT OR REPLACE INTO webhook (" TP_WEBHOOK_COLUMNS
                          ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
                          "?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)"));
    put.bind(record.id).bind(record.principal).bind(record.url).bind(record.description);
    put.bind(std::uint64_t{record.events}).bind(static_cast<std::uint64_t>(record.covers));
    put.bind_blob(secret.bytes).bind_blob({}).bind(secret.key);
    put.bind(std::uint64_t{0}).bind(std::uint64_t{record.enabled ? 1u : 0u});
    put.bind(record.reason).bind(record.made_by).bind(milliseconds_of(record.created));
    put.bind(milliseconds_of(record.changed)).bind(record.waiting).bind(record.dead);
    put.bind(record.delivered).bind(record.dropped).bind(stored_time(record.last_success));
    put.bind(stored_time(record.last_failure)).bind(record.failure);
    return put.bind(record.agent).bind_blob(old.bytes).run();
  }

 private:
  Sqlite& database_;
  SecretBox& box_;
  const WebhookBounds bounds_;
  WebhookOutbox outbox_;
  SeenVersion seen_;
};

#undef TP_WEBHOOK_COLUMNS

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
