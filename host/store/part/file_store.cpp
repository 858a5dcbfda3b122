#include "store/part/file_store.h"

#include <algorithm>
#include <utility>

#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

#define TP_FILE_COLUMNS \
  "id, principal, name, content_type, bytes, sha256, created, expires, url_until"

constexpr const char* kSealed = "signing key of files";

FileRecord file_of(const Statement& row) {
  FileRecord record;
  record.id = row.text(0);
  record.principal = row.text(1);
  record.name = row.text(2);
  record.content_type = row.text(3);
  record.bytes = row.number(4);
  record.digest = digest_of(row.blob(5));
  record.created = time_of(row.number(6));
  record.expires = time_of(row.number(7));
  if (row.number(8) > 0) record.url_expires = time_of(row.number(8));
  return record;
}

class SqliteFileStore final : public FileStore {
 public:
  SqliteFileStore(Sqlite& database, SecretBox& box) : database_(database), box_(box) {}

  Result<Added> add(const FileRecord& record, const FileQuota& quota) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(const bool taken, is_taken(record.id));
    if (taken) return Added::Exists;
    HOST_TRY_ASSIGN(const FileUsage used, usage(record.principal));
    if (used.files + 1 > quota.files || used.bytes + record.bytes > quota.bytes ||
        used.of_all + record.bytes > quota.of_all) {
      return Added::Full;
    }
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT INTO file (" TP_FILE_COLUMNS
                                      ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"));
    put.bind(record.id).bind(record.principal).bind(record.name).bind(record.content_type);
    put.bind(record.bytes).bind_blob(bytes_of(record.digest));
    put.bind(milliseconds_of(record.created)).bind(milliseconds_of(record.expires));
    const bool has_url = record.url_expires != WallTime{};
    put.bind(has_url ? milliseconds_of(record.url_expires) : std::uint64_t{0});
    HOST_TRY(put.run());
    HOST_TRY(transaction.commit());
    return Added::Yes;
  }

  Result<std::optional<FileRecord>> find(std::string_view principal, std::string_view id) override {
    HOST_TRY_ASSIGN(
        Statement ask,
        database_.prepare("SELECT " TP_FILE_COLUMNS " FROM file WHERE id = ?1 AND principal = ?2"));
    HOST_TRY_ASSIGN(const bool there, ask.bind(id).bind(principal).step());
    if (!there) return std::optional<FileRecord>();
    return std::optional<FileRecord>(file_of(ask));
  }

  Result<std::vector<FileRecord>> list(std::string_view principal, std::string_view before,
                                       std::uint32_t most) override {
    if (!before.empty()) {
      HOST_TRY_ASSIGN(const auto last, find(principal, before));
      if (!last) return gone_before("file");
    }
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT " TP_FILE_COLUMNS
                          " FROM file WHERE principal = ?1 AND (?2 = '' OR (created, id) < (SELECT "
                          "created, id FROM file WHERE id = ?2 AND principal = ?1)) "
                          "ORDER BY created DESC, id DESC LIMIT ?3"));
    rows.bind(principal).bind(before).bind(std::uint64_t{most});
    std::vector<FileRecord> records;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return records;
      records.push_back(file_of(rows));
    }
  }

  Result<bool> remove(std::string_view principal, std::string_view id) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(Statement keep,
                    database_.prepare(
                        "INSERT OR REPLACE INTO removed_file (id, url_until) SELECT id, url_until "
                        "FROM file WHERE id = ?1 AND principal = ?2 AND url_until > 0"));
    HOST_TRY(keep.bind(id).bind(principal).run());
    HOST_TRY_ASSIGN(Statement drop,
                    database_.prepare("DELETE FROM file WHERE id = ?1 AND principal = ?2"));
    HOST_TRY(drop.bind(id).bind(principal).run());
    const bool removed = database_.changes() == 1;
    HOST_TRY(transaction.commit());
    return removed;
  }

  Result<bool> is_taken(std::string_view id) override {
    HOST_TRY_ASSIGN(
        Statement ask,
        database_.prepare("SELECT 1 FROM file WHERE id = ?1 UNION ALL SELECT 1 FROM removed_file "
                          "WHERE id = ?1"));
    return ask.bind(id).step();
  }

  Result<FileUsage> usage(std::string_view principal) override {
    FileUsage used;
    HOST_TRY_ASSIGN(Statement own, database_.prepare("SELECT COUNT(*), COALESCE(SUM(bytes), 0) "
                                                     "FROM file WHERE principal = ?1"));
    HOST_TRY(own.bind(principal).step());
    used.files = own.number(0);
    used.bytes = own.number(1);
    HOST_TRY_ASSIGN(Statement all, database_.prepare("SELECT COALESCE(SUM(bytes), 0) FROM file"));
    HOST_TRY(all.step());
    used.of_all = all.number(0);
    return used;
  }

  Result<std::vector<std::string>> forget_expired(WallTime now) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM removed_file WHERE url_until <= ?1"));
    HOST_TRY(forget.bind(milliseconds_of(now)).run());
    HOST_TRY_ASSIGN(Statement keep,
                    database_.prepare(
                        "INSERT OR REPLACE INTO removed_file (id, url_until) SELECT id, url_until "
                        "FROM file WHERE expires <= ?1 AND url_until > ?1"));
    HOST_TRY(keep.bind(milliseconds_of(now)).run());
    HOST_TRY_ASSIGN(std::vector<std::string> ids, drop_expired(now));
    HOST_TRY(transaction.commit());
    return ids;
  }

  Result<std::vector<std::string>> unknown_of(const std::vector<std::string>& ids,
                                              WallTime now) override {
    std::vector<std::string> unknown;
    for (const std::string& id : ids) {
      HOST_TRY_ASSIGN(Statement ask,
                      database_.prepare("SELECT 1 FROM file WHERE id = ?1 AND expires > ?2"));
      HOST_TRY_ASSIGN(const bool known, ask.bind(id).bind(milliseconds_of(now)).step());
      if (!known) unknown.push_back(id);
    }
    return unknown;
  }

  Result<SealKey> signing_key() override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    const auto known = read_key();
    if (known && *known) return **known;
    SealKey made{};
    random_bytes(made);
    HOST_TRY_ASSIGN(const SecretBox::Sealed sealed,
                    box_.seal({reinterpret_cast<const char*>(made.data()), made.size()}, kSealed));
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("INSERT OR REPLACE INTO signing_key (purpose, secret, seal_key) "
                          "VALUES ('files', ?1, ?2)"));
    HOST_TRY(put.bind_blob(sealed.bytes).bind(sealed.key).run());
    HOST_TRY(transaction.commit());
    return made;
  }

 private:
  Result<std::vector<std::string>> drop_expired(WallTime now) {
    HOST_TRY_ASSIGN(Statement drop,
                    database_.prepare("DELETE FROM file WHERE expires <= ?1 RETURNING id"));
    drop.bind(milliseconds_of(now));
    std::vector<std::string> ids;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, drop.step());
      if (!row) return ids;
      ids.emplace_back(drop.text(0));
    }
  }

  Result<std::optional<SealKey>> read_key() {
    HOST_TRY_ASSIGN(Statement ask, database_.prepare("SELECT secret, seal_key FROM signing_key "
                                                     "WHERE purpose = 'files'"));
    HOST_TRY_ASSIGN(const bool there, ask.step());
    if (!there) return std::optional<SealKey>();
    HOST_TRY_ASSIGN(std::string secret,
                    box_.unseal({std::string(ask.text(1)), std::string(ask.blob(0))}, kSealed));
    SealKey key{};
    std::copy_n(secret.begin(), std::min(secret.size(), key.size()), key.begin());
    wipe(secret);
    return std::optional<SealKey>(key);
  }

  Sqlite& database_;
  SecretBox& box_;
};

#undef TP_FILE_COLUMNS

}  // namespace

std::unique_ptr<FileStore> files_in(Sqlite& database, SecretBox& box) {
  return std::make_unique<SqliteFileStore>(database, box);
}

}  // namespace host::store
