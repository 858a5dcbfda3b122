#include "store/part/pin_store.h"

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

class SqlitePinStore final : public PinStore {
 public:
  explicit SqlitePinStore(Sqlite& database) : database_(database) {}

  Result<std::vector<PinRecord>> list() override {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare(kAll));
    return read(rows);
  }

  Result<void> put(const std::vector<PinRecord>& records) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    for (const PinRecord& record : records) {
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
    }
    return transaction.commit();
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
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM upstream_pin WHERE upstream = ?1"));
    return forget.bind(upstream).run();
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

  static bool is_empty(const PinRecord& record) {
    return !record.tool.empty() && !record.offered && record.accepted.empty() &&
           record.held.empty();
  }

  Result<void> remove(const PinRecord& record) {
    HOST_TRY_ASSIGN(
        Statement remove,
        database_.prepare("DELETE FROM upstream_pin WHERE upstream = ?1 AND tool = ?2"));
    return remove.bind(record.upstream).bind(record.tool).run();
  }

  Sqlite& database_;
};

}  // namespace

std::unique_ptr<PinStore> pins_in(Sqlite& database) {
  return std::make_unique<SqlitePinStore>(database);
}

}  // namespace host::store
