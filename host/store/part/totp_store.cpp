#include "store/part/totp_store.h"

#include <utility>

#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

#define TP_TOTP_COLUMNS                                                                        \
  "principal, secret, confirmed, enrolled, last_step, failures, failing_since, locked_until, " \
  "recovery, seal_key"

// A seed that was sealed for one principal opens nothing for another.
std::string about(std::string_view principal) {
  return "totp\n" + std::string(principal);
}

Result<std::string> open_seed(const Statement& row, SecretBox& box) {
  if (row.text(9).empty()) return std::string(row.blob(1));
  return box.unseal({std::string(row.text(9)), std::string(row.blob(1))}, about(row.text(0)));
}

Result<TotpRecord> totp_of(const Statement& row, SecretBox& box) {
  TotpRecord record;
  record.principal = row.text(0);
  HOST_TRY_ASSIGN(record.secret, open_seed(row, box));
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
  SqliteTotpStore(Sqlite& database, SecretBox& box) : database_(database), box_(box) {}

  Result<void> put(const TotpRecord& record) override {
    HOST_TRY_ASSIGN(const SecretBox::Sealed sealed,
                    box_.seal(record.secret, about(record.principal)));
    std::string recovery;
    for (const Sha256& digest : record.recovery) recovery += bytes_of(digest);
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT OR REPLACE INTO totp (" TP_TOTP_COLUMNS
                                      ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"));
    put.bind(record.principal).bind_blob(sealed.bytes);
    put.bind(std::uint64_t{record.confirmed ? 1u : 0u}).bind(milliseconds_of(record.enrolled));
    put.bind(record.last_step).bind(std::uint64_t{record.failures});
    put.bind(milliseconds_of(record.failing_since)).bind(milliseconds_of(record.locked_until));
    return put.bind_blob(recovery).bind(sealed.key).run();
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
    HOST_TRY_ASSIGN(TotpRecord record, totp_of(ask, box_));
    return std::optional<TotpRecord>(std::move(record));
  }

  Result<std::vector<TotpRecord>> list() override {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT " TP_TOTP_COLUMNS " FROM totp ORDER BY principal"));
    std::vector<TotpRecord> records;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return records;
      HOST_TRY_ASSIGN(TotpRecord record, totp_of(rows, box_));
      records.push_back(std::move(record));
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
  SecretBox& box_;
};

#undef TP_TOTP_COLUMNS

constexpr const char* kOutdated = "SELECT count(*) FROM totp WHERE seal_key <> ?1";

Result<std::uint64_t> outdated(Sqlite& database, const std::string& key) {
  HOST_TRY_ASSIGN(Statement ask, database.prepare(kOutdated));
  HOST_TRY(ask.bind(key).step());
  return ask.number(0);
}

}  // namespace

std::unique_ptr<TotpStore> codes_in(Sqlite& database, SecretBox& box) {
  return std::make_unique<SqliteTotpStore>(database, box);
}

Result<void> seal_codes(Sqlite& database, SecretBox& box) {
  HOST_TRY_ASSIGN(const std::string key, box.current());
  SqliteTotpStore codes(database, box);
  HOST_TRY_ASSIGN(const std::vector<TotpRecord> seen, codes.list());  // all keys are there
  if (seen.empty()) return {};
  HOST_TRY_ASSIGN(const std::uint64_t some, outdated(database, key));
  if (some == 0 && !key.empty()) return {};
  HOST_TRY(database.run("PRAGMA secure_delete = ON"));
  HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database));
  HOST_TRY_ASSIGN(const std::vector<TotpRecord> records, codes.list());
  for (const TotpRecord& record : records) HOST_TRY(codes.put(record));
  HOST_TRY(transaction.commit());
  // The log has the old pages until it is written back.
  return database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace host::store
