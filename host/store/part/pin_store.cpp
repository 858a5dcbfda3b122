#include "store/part/pin_store.h"

#include <unistd.h>

#include <utility>

#include "base/process/process.h"
#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

constexpr const char* kAll =
    "SELECT upstream, tool, accepted, held, offered, changed, given_by FROM upstream_pin "
    "ORDER BY upstream, tool";
constexpr const char* kOfOne =
    "SELECT upstream, tool, accepted, held, offered, changed, given_by FROM upstream_pin "
    "WHERE upstream = ?1 ORDER BY tool";

constexpr const char* kHeld =
    "SELECT upstream, tool, coalesce(accepted, ''), waits.held, 1, max(waits.changed), "
    "coalesce(given_by, '') FROM upstream_held AS waits LEFT JOIN upstream_pin USING (upstream, "
    "tool) WHERE coalesce(accepted, '') <> waits.held GROUP BY upstream, tool, waits.held "
    "ORDER BY upstream, tool";
// An upstream can offer each host another definition, and hosts can end without a word.
#define TP_MOST_HELD "8"

class SqlitePinStore final : public PinStore {
 public:
  explicit SqlitePinStore(Sqlite& database) : database_(database) {}

  Result<std::vector<PinRecord>> held() override {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare(kHeld));
    return read(rows);
  }

  Result<std::vector<PinRecord>> list() override {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare(kAll));
    return read(rows);
  }

  Result<void> put(const std::vector<PinRecord>& records) override {
    return put_all(records, true);
  }

  Result<void> put_accepted(const std::vector<PinRecord>& records) override {
    return put_all(records, false);
  }

  Result<std::vector<PinRecord>> put_first(std::string_view upstream,
                                           const std::vector<PinRecord>& records) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(std::vector<PinRecord> stored, of(upstream));
    if (stored.empty()) {
      HOST_TRY(put(records));
      HOST_TRY_ASSIGN(stored, of(upstream));
    }
    HOST_TRY(transaction.commit());
    return stored;
  }

  Result<void> forget(std::string_view upstream) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM upstream_pin WHERE upstream = ?1"));
    HOST_TRY(forget.bind(upstream).run());
    HOST_TRY_ASSIGN(Statement release,
                    database_.prepare("DELETE FROM upstream_held WHERE upstream = ?1"));
    HOST_TRY(release.bind(upstream).run());
    return transaction.commit();
  }

 private:
  Result<std::vector<PinRecord>> of(std::string_view upstream) {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare(kOfOne));
    rows.bind(upstream);
    return read(rows);
  }

  static Result<std::vector<PinRecord>> read(Statement& rows) {
    std::vector<PinRecord> records;
    for (;;) {
      HOST_TRY_ASSIGN(const bool more, rows.step());
      if (!more) return records;
      PinRecord record;
      record.upstream = rows.text(0);
      record.tool = rows.text(1);
      record.accepted = rows.text(2);
      record.held = rows.text(3);
      record.offered = rows.number(4) != 0;
      record.changed = time_of(rows.number(5));
      record.by = rows.text(6);
      records.push_back(std::move(record));
    }
  }

  Result<void> put_all(const std::vector<PinRecord>& records, bool releases_own) {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(bool some_held, holds_some());
    for (const PinRecord& record : records) {
      if (some_held) HOST_TRY(release(record, releases_own));
      if (is_empty(record)) {
        HOST_TRY(remove(record));
        continue;
      }
      HOST_TRY_ASSIGN(Statement put,
                      database_.prepare("INSERT INTO upstream_pin (upstream, tool, accepted, held, "
                                        "offered, changed, given_by) "
                                        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) "
                                        "ON CONFLICT (upstream, tool) DO UPDATE SET "
                                        "accepted = ?3, held = ?4, offered = ?5, changed = ?6, "
                                        "given_by = ?7 WHERE accepted <> ?4 OR ?4 = ''"));
      put.bind(record.upstream).bind(record.tool).bind(record.accepted).bind(record.held);
      put.bind(std::uint64_t{record.offered ? 1u : 0u}).bind(milliseconds_of(record.changed));
      HOST_TRY(put.bind(record.by).run());
      const bool is_held = database_.changes() == 1 && !record.held.empty() && record.offered;
      if (is_held) HOST_TRY(hold(record));
      some_held = some_held || is_held;
    }
    return transaction.commit();
  }

  static bool is_empty(const PinRecord& record) {
    return !record.tool.empty() && !record.offered && record.accepted.empty() &&
           record.held.empty();
  }

  Result<bool> holds_some() {
    HOST_TRY_ASSIGN(Statement ask, database_.prepare("SELECT 1 FROM upstream_held LIMIT 1"));
    return ask.step();
  }

  // An accepted definition waits at no host. What a process has held that does not run any more is
  // removed, too.
  Result<void> release(const PinRecord& record, bool releases_own) {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT pid, process, held FROM upstream_held "
                                      "WHERE upstream = ?1 AND tool = ?2"));
    rows.bind(record.upstream).bind(record.tool);
    std::vector<std::pair<std::uint64_t, std::string>> over;
    for (;;) {
      HOST_TRY_ASSIGN(const bool more, rows.step());
      if (!more) break;
      const std::uint64_t pid = rows.number(0);
      std::string process(rows.text(1));
      const bool is_own = pid == pid_ && process == process_;
      if (rows.text(2) == record.accepted ||
          (is_own ? releases_own : has_ended(static_cast<pid_t>(pid), process)))
        over.emplace_back(pid, std::move(process));
    }
    for (const auto& [pid, process] : over) {
      HOST_TRY_ASSIGN(Statement gone,
                      database_.prepare("DELETE FROM upstream_held WHERE upstream = ?1 AND "
                                        "tool = ?2 AND pid = ?3 AND process = ?4"));
      HOST_TRY(gone.bind(record.upstream).bind(record.tool).bind(pid).bind(process).run());
    }
    return {};
  }

  Result<void> hold(const PinRecord& record) {
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("INSERT OR REPLACE INTO upstream_held (upstream, tool, pid, process, "
                          "held, changed) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
    put.bind(record.upstream).bind(record.tool).bind(pid_).bind(process_).bind(record.held);
    HOST_TRY(put.bind(milliseconds_of(record.changed)).run());
    HOST_TRY_ASSIGN(
        Statement trim,
        database_.prepare("DELETE FROM upstream_held WHERE upstream = ?1 AND tool = ?2 AND "
                          "(pid, process) NOT IN (SELECT pid, process FROM upstream_held WHERE "
                          "upstream = ?1 AND tool = ?2 ORDER BY changed DESC LIMIT " TP_MOST_HELD
                          ")"));
    return trim.bind(record.upstream).bind(record.tool).run();
  }

  Result<void> remove(const PinRecord& record) {
    HOST_TRY_ASSIGN(
        Statement remove,
        database_.prepare("DELETE FROM upstream_pin WHERE upstream = ?1 AND tool = ?2"));
    return remove.bind(record.upstream).bind(record.tool).run();
  }

  Sqlite& database_;
  const std::uint64_t pid_ = static_cast<std::uint64_t>(::getpid());
  const std::string process_ = mark_of_process(::getpid());
};

#undef TP_MOST_HELD

}  // namespace

std::unique_ptr<PinStore> pins_in(Sqlite& database) {
  return std::make_unique<SqlitePinStore>(database);
}

}  // namespace host::store
