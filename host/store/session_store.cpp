#include "store/session_store.h"

#include <utility>

#include "store/columns.h"
#include "store/sqlite_parts.h"

namespace host::store {
namespace {

#define TP_SESSION_COLUMNS \
  "id, principal, agent, owner, version, abilities, log_level, followed, created, used"

SessionRecord session_of(const Statement& row) {
  SessionRecord session;
  session.id = row.text(0);
  session.principal = row.text(1);
  session.agent = row.text(2);
  session.owner = row.text(3);
  session.version = row.text(4);
  session.abilities = static_cast<std::uint32_t>(row.number(5));
  session.log_level = static_cast<int>(row.number(6));
  session.followed = words_in(row.text(7));
  session.created = time_of(row.number(8));
  session.used = time_of(row.number(9));
  return session;
}

class SqliteSessionStore final : public SessionStore {
 public:
  explicit SqliteSessionStore(Sqlite& database) : database_(database) {}

  Result<void> put(const SessionRecord& session) override {
    const std::string followed = json_of(session.followed);
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT OR REPLACE INTO session (" TP_SESSION_COLUMNS
                                      ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"));
    put.bind(session.id).bind(session.principal).bind(session.agent).bind(session.owner);
    put.bind(session.version).bind(std::uint64_t{session.abilities});
    put.bind(static_cast<std::uint64_t>(session.log_level)).bind(followed);
    return put.bind(milliseconds_of(session.created)).bind(milliseconds_of(session.used)).run();
  }

  Result<void> used(const std::vector<SessionUse>& uses) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    for (const SessionUse& use : uses) {
      HOST_TRY_ASSIGN(Statement put,
                      database_.prepare("UPDATE session SET used = ?1 WHERE id = ?2"));
      HOST_TRY(put.bind(milliseconds_of(use.used)).bind(use.id).run());
    }
    return transaction.commit();
  }

  Result<bool> remove(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement forget, database_.prepare("DELETE FROM session WHERE id = ?1"));
    HOST_TRY(forget.bind(id).run());
    return database_.changes() == 1;
  }

  Result<std::vector<SessionRecord>> list(std::string_view owner) override {
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT " TP_SESSION_COLUMNS
                          " FROM session WHERE ?1 = '' OR owner = ?1 ORDER BY used, id"));
    rows.bind(owner);
    std::vector<SessionRecord> sessions;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return sessions;
      sessions.push_back(session_of(rows));
    }
  }

  Result<void> forget_unused_since(WallTime then) override {
    HOST_TRY_ASSIGN(Statement forget, database_.prepare("DELETE FROM session WHERE used < ?1"));
    return forget.bind(milliseconds_of(then)).run();
  }

  Result<bool> changed_by_others() override { return seen_.changed(database_); }

 private:
  Sqlite& database_;
  SeenVersion seen_;
};

#undef TP_SESSION_COLUMNS

}  // namespace

std::unique_ptr<SessionStore> sessions_in(Sqlite& database) {
  return std::make_unique<SqliteSessionStore>(database);
}

}  // namespace host::store
