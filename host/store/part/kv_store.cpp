#include "store/part/kv_store.h"

#include <algorithm>
#include <utility>

#include "store/part/sqlite_parts.h"

namespace host::store {
namespace {

struct Row {
  std::uint64_t version = kNoVersion;
  std::uint64_t bytes = 0;
};
struct Usage {
  std::uint64_t bytes = 0;
  std::uint64_t keys = 0;
  std::uint64_t last_version = 0;
};

// The first key that does not begin with `prefix`; empty: every key does, or may.
std::string after_prefix(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

class SqliteKvStore final : public KvStore {
 public:
  SqliteKvStore(Sqlite& database, const Clock& clock) : database_(database), clock_(clock) {}

  Result<KvValue> get(const KvSpace& space, std::string_view key) override {
    HOST_TRY_ASSIGN(Statement find,
                    database_.prepare("SELECT version, value FROM kv "
                                      "WHERE plugin = ?1 AND session = ?2 AND key = ?3"));
    find.bind(space.plugin).bind(space.session).bind_blob(key);
    HOST_TRY_ASSIGN(const bool there, find.step());
    if (!there) return KvValue{};
    return KvValue{find.number(0), std::string(find.blob(1))};
  }

  Result<KvWrite> set(const KvSpace& space, std::string_view key, std::string_view bytes,
                      std::uint64_t expected, const KvQuota& quota) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(const Row row, find_row(space, key));
    if (expected != kAnyVersion && expected != row.version) {
      return KvWrite{KvWrite::Outcome::Conflict, row.version};
    }
    HOST_TRY_ASSIGN(Usage usage, usage_of(space.plugin));
    usage.bytes += key.size() + bytes.size() - row.bytes;
    usage.keys += row.version == kNoVersion ? 1 : 0;
    // What makes it smaller is let through, also where the quota was lowered.
    const bool grows = row.version == kNoVersion || key.size() + bytes.size() > row.bytes;
    if (grows && (usage.bytes > quota.bytes || usage.keys > quota.keys)) {
      return KvWrite{KvWrite::Outcome::Full, row.version};
    }
    ++usage.last_version;
    HOST_TRY(put_row(space, key, bytes, usage.last_version));
    HOST_TRY(put_usage(space.plugin, usage));
    HOST_TRY(transaction.commit());
    return KvWrite{KvWrite::Outcome::Done, usage.last_version};
  }

  Result<KvWrite> remove(const KvSpace& space, std::string_view key,
                         std::uint64_t expected) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(const Row row, find_row(space, key));
    if (expected != kAnyVersion && expected != row.version) {
      return KvWrite{KvWrite::Outcome::Conflict, row.version};
    }
    if (row.version == kNoVersion) return KvWrite{};
    {
      HOST_TRY_ASSIGN(Statement erase,
                      database_.prepare("DELETE FROM kv "
                                        "WHERE plugin = ?1 AND session = ?2 AND key = ?3"));
      HOST_TRY(erase.bind(space.plugin).bind(space.session).bind_blob(key).run());
    }
    HOST_TRY_ASSIGN(Usage usage, usage_of(space.plugin));
    usage.bytes -= row.bytes;
    --usage.keys;
    HOST_TRY(put_usage(space.plugin, usage));
    HOST_TRY(transaction.commit());
    return KvWrite{KvWrite::Outcome::Done, row.version};
  }

  Result<KvPage> list(const KvSpace& space, std::string_view prefix, std::string_view after,
                      std::uint32_t limit) override {
    const std::string end = after_prefix(prefix);
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT key, version, length(value) FROM kv "
                                      "WHERE plugin = ?1 AND session = ?2 AND key >= ?3 "
                                      "AND key > ?4 AND (?5 = x'' OR key < ?5) "
                                      "ORDER BY key LIMIT ?6"));
    rows.bind(space.plugin).bind(space.session).bind_blob(prefix).bind_blob(after).bind_blob(end);
    rows.bind(std::uint64_t{limit} + 1);
    KvPage page;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return page;
      if (page.keys.size() == limit) {
        page.more = true;
        return page;
      }
      page.keys.push_back({std::string(rows.blob(0)), rows.number(1), rows.number(2)});
    }
  }

  Result<std::uint64_t> forget_sessions(WallTime then) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    std::uint64_t forgotten = 0;
    {
      HOST_TRY_ASSIGN(
          Statement erase,
          database_.prepare(
              "DELETE FROM kv WHERE session <> '' AND session IN (SELECT session "
              "FROM kv WHERE session <> '' GROUP BY session HAVING max(written) < ?1)"));
      HOST_TRY(erase.bind(seconds(then)).run());
      forgotten = database_.changes();
    }
    if (forgotten > 0) {
      HOST_TRY(
          database_.run("UPDATE kv_usage SET "
                        "keys = (SELECT count(*) FROM kv WHERE kv.plugin = kv_usage.plugin), "
                        "bytes = (SELECT coalesce(sum(length(key) + length(value)), 0) FROM kv "
                        "WHERE kv.plugin = kv_usage.plugin)"));
    }
    HOST_TRY(transaction.commit());
    return forgotten;
  }

 private:
  static std::uint64_t seconds(WallTime time) {
    const auto since = std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch());
    return static_cast<std::uint64_t>(std::max<std::int64_t>(since.count(), 0));
  }

  Result<Row> find_row(const KvSpace& space, std::string_view key) {
    HOST_TRY_ASSIGN(Statement find,
                    database_.prepare("SELECT version, length(key) + length(value) FROM kv "
                                      "WHERE plugin = ?1 AND session = ?2 AND key = ?3"));
    find.bind(space.plugin).bind(space.session).bind_blob(key);
    HOST_TRY_ASSIGN(const bool there, find.step());
    return there ? Row{find.number(0), find.number(1)} : Row{};
  }

  Result<void> put_row(const KvSpace& space, std::string_view key, std::string_view bytes,
                       std::uint64_t version) {
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT OR REPLACE INTO kv VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
    put.bind(space.plugin).bind(space.session).bind_blob(key).bind_blob(bytes);
    return put.bind(version).bind(seconds(clock_.wall())).run();
  }

  Result<Usage> usage_of(const std::string& plugin) {
    HOST_TRY_ASSIGN(Statement find,
                    database_.prepare("SELECT bytes, keys, last_version FROM kv_usage "
                                      "WHERE plugin = ?1"));
    find.bind(plugin);
    HOST_TRY_ASSIGN(const bool there, find.step());
    return there ? Usage{find.number(0), find.number(1), find.number(2)} : Usage{};
  }

  Result<void> put_usage(const std::string& plugin, const Usage& usage) {
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT OR REPLACE INTO kv_usage VALUES (?1, ?2, ?3, ?4)"));
    return put.bind(plugin).bind(usage.bytes).bind(usage.keys).bind(usage.last_version).run();
  }

  Sqlite& database_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<KvStore> kv_in(Sqlite& database, const Clock& clock) {
  return std::make_unique<SqliteKvStore>(database, clock);
}

}  // namespace host::store
