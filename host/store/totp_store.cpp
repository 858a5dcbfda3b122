#include "store/totp_store.h"

#include <utility>

#include "store/columns.h"
#include "store/sqlite_parts.h"

namespace host::store {
namespace {

#define TP_TOTP_COLUMNS                                                                        \
  "principal, secret, confirmed, enrolled, last_step, failures, failing_since, locked_until, " \
  "recovery"

TotpRecord totp_of(const Statement& row) {
  TotpRecord record;
  record.principal = row.text(0);
  record.secret = row.blob(1);
  record.confirmed = row.number(2) != 0;
  record.enrolled = time_of(row.number(3));
  record.last_step = row.number(4);
  record.failures = static_cast<std::uint32_t>(row.number(5));
  record.failing_since = time_of(row.number(6));
  record.locked_until = time_of(row.number(7));
  std::string_view digests = row.blob(8);
  for (; digests.size() >= Sha256().size(); digests.remove_prefix(Sha256().size())) {
    record.recovery.push_back(digest_of(digests));
  }
  return record;
}

class SqliteTotpStore final : public TotpStore {
 public:
  explicit SqliteTotpStore(Sqlite& database) : database_(database) {}

  Result<void> put(const TotpRecord& record) override {
    std::string recovery;
    for (const Sha256& digest : record.recovery) recovery += bytes_of(digest);
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT OR REPLACE INTO totp (" TP_TOTP_COLUMNS
                                      ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"));
    put.bind(record.principal).bind_blob(record.secret);
    put.bind(std::uint64_t{record.confirmed ? 1u : 0u}).bind(milliseconds_of(record.enrolled));
    put.bind(record.last_step).bind(std::uint64_t{record.failures});
    put.bind(milliseconds_of(record.failing_since)).bind(milliseconds_of(record.locked_until));
    return put.bind_blob(recovery).run();
  }

  Result<bool> remove(std::string_view principal) override {
    HOST_TRY_ASSIGN(Statement forget, database_.prepare("DELETE FROM totp WHERE principal = ?1"));
    HOST_TRY(forget.bind(principal).run());
    return database_.changes() == 1;
  }

  Result<std::optional<TotpRecord>> find(std::string_view principal) override {
    HOST_TRY_ASSIGN(Statement ask,
                    database_.prepare("SELECT " TP_TOTP_COLUMNS " FROM totp WHERE principal = ?1"));
    HOST_TRY_ASSIGN(const bool there, ask.bind(principal).step());
    if (!there) return std::optional<TotpRecord>();
    return std::optional<TotpRecord>(totp_of(ask));
  }

  Result<std::vector<TotpRecord>> list() override {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT " TP_TOTP_COLUMNS " FROM totp ORDER BY principal"));
    std::vector<TotpRecord> records;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return records;
      records.push_back(totp_of(rows));
    }
  }

  Result<bool> change(std::string_view principal,
                      const std::function<void(TotpRecord&)>& act) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(std::optional<TotpRecord> record, find(principal));
    if (!record) return false;
    act(*record);
    HOST_TRY(put(*record));
    HOST_TRY(transaction.commit());
    return true;
  }

 private:
  Sqlite& database_;
};

#undef TP_TOTP_COLUMNS

}  // namespace

std::unique_ptr<TotpStore> codes_in(Sqlite& database) {
  return std::make_unique<SqliteTotpStore>(database);
}

}  // namespace host::store
