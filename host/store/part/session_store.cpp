#include "store/part/session_store.h"

#include <chrono>
#include <utility>

#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

#define TP_SESSION_COLUMNS                                                                 \
  "id, principal, agent, version, mode, working_dirs, groups, providers, context, tools, " \
  "of_client, created, used, todos, webhooks, presets"

using Words = std::optional<std::vector<std::string>>;

constexpr std::chrono::hours kUnusedLeftBehind{24 * 7};

// Empty: unset.
std::string column_of(const Words& words) {
  return words ? json_of(*words) : std::string();
}

Words words_of(std::string_view column) {
  return column.empty() ? Words() : Words(words_in(column));
}

SessionRecord session_of(const Statement& row) {
  SessionRecord session;
  session.id = row.text(0);
  session.principal = row.text(1);
  session.agent = row.text(2);
  session.version = row.number(3);
  session.mode = row.text(4);
  session.working_dirs = words_of(row.text(5));
  session.groups = words_of(row.text(6));
  session.providers = words_of(row.text(7));
  session.context = row.text(8);
  session.tools = row.text(9);
  session.of_client = row.number(10) != 0;
  session.created = time_of(row.number(11));
  session.used = time_of(row.number(12));
  session.todos = row.text(13);
  session.webhooks = words_of(row.text(14));
  session.presets = row.text(15);
  return session;
}

class SqliteSessionStore final : public SessionStore {
 public:
  SqliteSessionStore(Sqlite& database, const Clock& clock) : database_(database), clock_(clock) {}

  Result<bool> add(const SessionRecord& session) override {
    const Lists lists(session);
    HOST_TRY_ASSIGN(
        Statement add,
        database_.prepare("INSERT OR IGNORE INTO session (" TP_SESSION_COLUMNS
                          ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, "
                          "?14, ?15, ?16)"));
    add.bind(session.id).bind(session.principal).bind(session.agent).bind(session.version);
    bind_settings(add, session, lists);
    add.bind(std::uint64_t{session.of_client});
    add.bind(milliseconds_of(session.created)).bind(milliseconds_of(session.used));
    HOST_TRY(add.bind(session.todos).bind(lists.webhooks).bind(session.presets).run());
    return database_.changes() == 1;
  }

  Result<bool> change(const SessionRecord& session, std::uint64_t expected) override {
    const Lists lists(session);
    HOST_TRY_ASSIGN(
        Statement change,
        database_.prepare("UPDATE session SET version = ?1, mode = ?2, working_dirs = ?3, "
                          "groups = ?4, providers = ?5, context = ?6, tools = ?7, used = ?8, "
                          "todos = ?9, webhooks = ?10, presets = ?11 WHERE id = ?12 AND "
                          "version = ?13"));
    change.bind(session.version);
    bind_settings(change, session, lists);
    change.bind(milliseconds_of(session.used)).bind(session.todos).bind(lists.webhooks);
    change.bind(session.presets);
    change.bind(session.id).bind(expected);
    HOST_TRY(change.run());
    return database_.changes() == 1;
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

  Result<std::optional<SessionRecord>> find(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement row,
                    database_.prepare("SELECT " TP_SESSION_COLUMNS " FROM session WHERE id = ?1"));
    row.bind(id);
    HOST_TRY_ASSIGN(const bool found, row.step());
    return found ? std::optional(session_of(row)) : std::nullopt;
  }

  Result<std::vector<SessionRecord>> list() override {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare("SELECT " TP_SESSION_COLUMNS
                                                      " FROM session ORDER BY used, id"));
    std::vector<SessionRecord> sessions;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return sessions;
      sessions.push_back(session_of(rows));
    }
  }

  Result<std::vector<SessionVersion>> versions() override {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare("SELECT id, version FROM session"));
    std::vector<SessionVersion> versions;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return versions;
      versions.push_back({std::string(rows.text(0)), rows.number(1)});
    }
  }

  // The context of a session can also be missing because another host could not store it. The
  // session lives in that host, which stores its use.
  Result<void> forget_left_behind() override {
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM session WHERE of_client = 1 AND used < ?1 "
                                      "AND NOT EXISTS (SELECT 1 FROM client_context WHERE "
                                      "client_context.id = session.id)"));
    return forget.bind(milliseconds_of(clock_.wall() - kUnusedLeftBehind)).run();
  }

  Result<std::optional<WallTime>> remove_unused(std::string_view id, WallTime since) override {
    HOST_TRY_ASSIGN(Statement remove,
                    database_.prepare("DELETE FROM session WHERE id = ?1 AND used < ?2"));
    HOST_TRY(remove.bind(id).bind(milliseconds_of(since)).run());
    HOST_TRY_ASSIGN(Statement ask, database_.prepare("SELECT used FROM session WHERE id = ?1"));
    HOST_TRY_ASSIGN(const bool there, ask.bind(id).step());
    if (!there) return std::optional<WallTime>();
    return std::optional<WallTime>(time_of(ask.number(0)));
  }

  Result<void> forget_unused_since(WallTime then) override {
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM session WHERE of_client = 0 AND used < ?1"));
    return forget.bind(milliseconds_of(then)).run();
  }

  Result<bool> changed_by_others() override { return seen_.changed(database_); }

 private:
  // Column texts, which must outlive the statement that binds them.
  struct Lists {
    explicit Lists(const SessionRecord& session)
        : working_dirs(column_of(session.working_dirs)),
          groups(column_of(session.groups)),
          providers(column_of(session.providers)),
          webhooks(column_of(session.webhooks)) {}
    const std::string working_dirs;
    const std::string groups;
    const std::string providers;
    const std::string webhooks;
  };

  static void bind_settings(Statement& statement, const SessionRecord& session,
                            const Lists& lists) {
    statement.bind(session.mode).bind(lists.working_dirs).bind(lists.groups);
    statement.bind(lists.providers).bind(session.context).bind(session.tools);
  }

  Sqlite& database_;
  const Clock& clock_;
  SeenVersion seen_;
};

#undef TP_SESSION_COLUMNS

}  // namespace

std::unique_ptr<SessionStore> sessions_in(Sqlite& database, const Clock& clock) {
  return std::make_unique<SqliteSessionStore>(database, clock);
}

}  // namespace host::store
