#include "store/part/idempotency_store.h"

#include <utility>

#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

using State = IdempotencyMeeting::State;

class SqliteIdempotencyStore final : public IdempotencyStore {
 public:
  SqliteIdempotencyStore(Sqlite& database, const Clock& clock, const IdempotencyBounds& bounds)
      : database_(database), clock_(clock), bounds_(bounds) {}

  Result<IdempotencyMeeting> meet(const IdempotencyKey& key, const Sha256& arguments,
                                  std::string_view holder) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY(forget_old());
    HOST_TRY_ASSIGN(IdempotencyMeeting met, look(key, arguments));
    if (met.state != State::Claimed) return met;
    HOST_TRY_ASSIGN(const bool full, is_full(key.principal));
    if (full) return IdempotencyMeeting{State::Full};
    HOST_TRY(claim(key, arguments, holder));
    HOST_TRY(transaction.commit());
    return met;
  }

  Result<void> keep(const IdempotencyKey& key, std::string_view holder,
                    const tool::CallResult& result) override {
    const std::uint64_t size =
        result.content.size() + result.structured.size() + result.meta.size();
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("UPDATE idempotency SET lease = 0, ended = ?1, bytes = ?2, "
                                      "is_error = ?3, content = ?4, structured = ?5, meta = ?6 "
                                      "WHERE principal = ?7 AND tool = ?8 AND key = ?9 "
                                      "AND holder = ?10 AND lease > 0"));
    put.bind(milliseconds_of(clock_.wall())).bind(size).bind(std::uint64_t{result.is_error});
    put.bind(result.content).bind(result.structured).bind(result.meta);
    return put.bind(key.principal).bind(key.tool).bind(key.key).bind(holder).run();
  }

  Result<void> give_up(const IdempotencyKey& key, std::string_view holder) override {
    HOST_TRY_ASSIGN(Statement drop,
                    database_.prepare("DELETE FROM idempotency WHERE principal = ?1 AND tool = ?2 "
                                      "AND key = ?3 AND holder = ?4 AND lease > 0"));
    return drop.bind(key.principal).bind(key.tool).bind(key.key).bind(holder).run();
  }

  Result<void> renew(std::string_view holder) override {
    const std::uint64_t until = milliseconds_of(clock_.wall() + bounds_.lease);
    HOST_TRY_ASSIGN(Statement renew, database_.prepare("UPDATE idempotency SET lease = ?1 "
                                                       "WHERE holder = ?2 AND lease > 0"));
    return renew.bind(until).bind(holder).run();
  }

 private:
  // Answers that were kept long enough, and claims of hosts that are gone.
  Result<void> forget_old() {
    const std::uint64_t oldest = milliseconds_of(clock_.wall() - bounds_.keep);
    const std::uint64_t now = milliseconds_of(clock_.wall());
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM idempotency WHERE lease = 0 AND ended <= ?1"));
    HOST_TRY(forget.bind(oldest).run());
    HOST_TRY_ASSIGN(Statement lost,
                    database_.prepare("DELETE FROM idempotency WHERE lease > 0 AND lease <= ?1"));
    return lost.bind(now).run();
  }

  Result<IdempotencyMeeting> look(const IdempotencyKey& key, const Sha256& arguments) {
    HOST_TRY_ASSIGN(
        Statement row,
        database_.prepare("SELECT arguments, lease, is_error, content, structured, meta "
                          "FROM idempotency WHERE principal = ?1 AND tool = ?2 AND key = ?3"));
    row.bind(key.principal).bind(key.tool).bind(key.key);
    HOST_TRY_ASSIGN(const bool there, row.step());
    if (!there) return IdempotencyMeeting{State::Claimed};
    if (row.blob(0) != bytes_of(arguments)) return IdempotencyMeeting{State::Clash};
    if (row.number(1) > 0) return IdempotencyMeeting{State::Running};
    IdempotencyMeeting met{State::Kept};
    met.result.is_error = row.number(2) != 0;
    met.result.content = row.text(3);
    met.result.structured = row.text(4);
    met.result.meta = row.text(5);
    return met;
  }

  Result<bool> is_full(const std::string& principal) {
    HOST_TRY_ASSIGN(Statement count, database_.prepare("SELECT COUNT(*), COALESCE(SUM(bytes), 0) "
                                                       "FROM idempotency WHERE principal = ?1"));
    count.bind(principal);
    HOST_TRY(count.step());
    return count.number(0) >= bounds_.keys || count.number(1) >= bounds_.bytes;
  }

  Result<void> claim(const IdempotencyKey& key, const Sha256& arguments, std::string_view holder) {
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT INTO idempotency (principal, tool, key, arguments, "
                                      "holder, lease) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
    put.bind(key.principal).bind(key.tool).bind(key.key).bind_blob(bytes_of(arguments));
    return put.bind(holder).bind(milliseconds_of(clock_.wall() + bounds_.lease)).run();
  }

  Sqlite& database_;
  const Clock& clock_;
  const IdempotencyBounds bounds_;
};

}  // namespace

std::unique_ptr<IdempotencyStore> idempotency_in(Sqlite& database, const Clock& clock,
                                                 const IdempotencyBounds& bounds) {
  return std::make_unique<SqliteIdempotencyStore>(database, clock, bounds);
}

}  // namespace host::store
