#include "store/part/client_context_store.h"

#include <utility>

#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

#define TP_CLIENT_CONTEXT_COLUMNS \
  "id, principal, agent, owner, version, abilities, log_level, followed, created, used, session"

ClientContextRecord context_of(const Statement& row) {
  ClientContextRecord context;
  context.id = row.text(0);
  context.principal = row.text(1);
  context.agent = row.text(2);
  context.owner = row.text(3);
  context.version = row.text(4);
  context.abilities = static_cast<std::uint32_t>(row.number(5));
  context.log_level = static_cast<int>(row.number(6));
  context.followed = words_in(row.text(7));
  context.created = time_of(row.number(8));
  context.used = time_of(row.number(9));
  context.session = row.text(10);
  return context;
}

class SqliteClientContextStore final : public ClientContextStore {
 public:
  explicit SqliteClientContextStore(Sqlite& database) : database_(database) {}

  Result<void> put(const ClientContextRecord& context) override {
    const std::string followed = json_of(context.followed);
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("INSERT OR REPLACE INTO client_context (" TP_CLIENT_CONTEXT_COLUMNS
                          ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"));
    put.bind(context.id).bind(context.principal).bind(context.agent).bind(context.owner);
    put.bind(context.version).bind(std::uint64_t{context.abilities});
    put.bind(static_cast<std::uint64_t>(context.log_level)).bind(followed);
    put.bind(milliseconds_of(context.created)).bind(milliseconds_of(context.used));
    return put.bind(context.session).run();
  }

  Result<void> used(const std::vector<ClientContextUse>& uses) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    for (const ClientContextUse& use : uses) {
      HOST_TRY_ASSIGN(Statement put,
                      database_.prepare("UPDATE client_context SET used = ?1 WHERE id = ?2"));
      HOST_TRY(put.bind(milliseconds_of(use.used)).bind(use.id).run());
    }
    return transaction.commit();
  }

  Result<bool> remove(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM client_context WHERE id = ?1"));
    HOST_TRY(forget.bind(id).run());
    return database_.changes() == 1;
  }

  Result<std::vector<ClientContextRecord>> list(std::string_view owner) override {
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT " TP_CLIENT_CONTEXT_COLUMNS
                          " FROM client_context WHERE ?1 = '' OR owner = ?1 ORDER BY used, id"));
    rows.bind(owner);
    std::vector<ClientContextRecord> contexts;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return contexts;
      contexts.push_back(context_of(rows));
    }
  }

  Result<void> forget_unused_since(WallTime then) override {
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM client_context WHERE used < ?1"));
    return forget.bind(milliseconds_of(then)).run();
  }

  Result<bool> changed_by_others() override { return seen_.changed(database_); }

 private:
  Sqlite& database_;
  SeenVersion seen_;
};

#undef TP_CLIENT_CONTEXT_COLUMNS

}  // namespace

std::unique_ptr<ClientContextStore> client_contexts_in(Sqlite& database) {
  return std::make_unique<SqliteClientContextStore>(database);
}

}  // namespace host::store
