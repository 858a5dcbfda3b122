#include "store/part/key_store.h"

#include <algorithm>
#include <utility>

#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

// In columns 0 is never.
std::optional<WallTime> some_time(std::uint64_t milliseconds) {
  return milliseconds == 0 ? std::nullopt : std::optional(time_of(milliseconds));
}

std::uint64_t milliseconds_of(const std::optional<WallTime>& time) {
  return time ? store::milliseconds_of(*time) : 0;
}

std::string named(std::string_view id) {
  return "key \"" + std::string(id.substr(0, 80)) + "\"";
}

Error no_key(std::string_view id) {
  return {ErrorKind::NotFound, "there is no " + named(id) + ": `toolpost key list` names them"};
}

KeyRecord key_of(const Statement& row) {
  KeyRecord key;
  key.id = row.text(0);
  key.principal = row.text(1);
  key.scopes = static_cast<std::uint32_t>(row.number(2));
  key.secret = digest_of(row.blob(3));
  key.created = time_of(row.number(4));
  key.revoked = row.number(5) != 0;
  key.agent = row.text(6);
  key.expires = some_time(row.number(7));
  key.used = some_time(row.number(8));
  key.successor = row.text(9);
  return key;
}

LoginRecord login_of(const Statement& row) {
  LoginRecord login;
  login.id = row.text(0);
  login.secret = digest_of(row.blob(1));
  login.page_secret = digest_of(row.blob(2));
  login.principal = row.text(3);
  login.scopes = static_cast<std::uint32_t>(row.number(4));
  login.key = row.text(5);
  login.created = time_of(row.number(6));
  login.expires = time_of(row.number(7));
  return login;
}

class SqliteKeyStore final : public KeyStore {
 public:
  SqliteKeyStore(Sqlite& database, const Clock& clock) : database_(database), clock_(clock) {}

  Result<void> add_key(const KeyRecord& key) override {
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("INSERT INTO api_key (id, principal, scopes, secret, created, revoked, "
                          "agent, expires) VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7)"));
    put.bind(key.id).bind(key.principal).bind(std::uint64_t{key.scopes});
    put.bind_blob(bytes_of(key.secret)).bind(store::milliseconds_of(key.created));
    return put.bind(key.agent).bind(milliseconds_of(key.expires)).run();
  }

  Result<std::vector<KeyRecord>> keys() override {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT id, principal, scopes, secret, created, revoked, "
                                      "agent, expires, used, successor FROM api_key "
                                      "ORDER BY created DESC, id"));
    std::vector<KeyRecord> keys;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return keys;
      keys.push_back(key_of(rows));
    }
  }

  Result<bool> revoke(std::string_view id) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(const auto key, key_by(id));
    if (!key) return no_key(id);
    bool changed = false;
    {
      HOST_TRY_ASSIGN(
          Statement put,
          database_.prepare("UPDATE api_key SET revoked = 1 WHERE id = ?1 AND revoked = 0"));
      HOST_TRY(put.bind(id).run());
      changed = database_.changes() == 1;
    }
    {
      HOST_TRY_ASSIGN(Statement end, database_.prepare("DELETE FROM page_login WHERE key = ?1"));
      HOST_TRY(end.bind(id).run());
    }
    HOST_TRY(transaction.commit());
    return changed;
  }

  Result<Rotation> rotate(std::string_view id, const KeyRecord& fresh, WallTime until) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(const auto old, key_by(id));
    if (!old) return no_key(id);
    if (!old->is_valid_at(clock_.wall())) {
      return Error{ErrorKind::InvalidArgument, named(id) + " is revoked or has expired: make a " +
                                                   "key with `toolpost key new`"};
    }
    if (!old->successor.empty()) {
      return Error{ErrorKind::InvalidArgument,
                   named(id) + " was rotated before: rotate " + old->successor + ", its successor"};
    }
    KeyRecord made = fresh;
    made.principal = old->principal;
    made.scopes = old->scopes;
    made.agent = old->agent;
    if (!made.expires && old->expires) made.expires = made.created + (*old->expires - old->created);
    HOST_TRY(add_key(made));
    const WallTime end = old->expires ? std::min(*old->expires, until) : until;
    {
      HOST_TRY_ASSIGN(
          Statement put,
          database_.prepare("UPDATE api_key SET expires = ?2, successor = ?3 WHERE id = ?1"));
      put.bind(id).bind(store::milliseconds_of(end)).bind(made.id);
      HOST_TRY(put.run());
    }
    HOST_TRY(transaction.commit());
    return Rotation{std::move(made), end};
  }

  Result<void> add_link(const LinkRecord& link) override {
    HOST_TRY(forget_expired());
    HOST_TRY_ASSIGN(Statement put, database_.prepare("INSERT INTO login_link (secret, principal, "
                                                     "scopes, expires) VALUES (?1, ?2, ?3, ?4)"));
    put.bind_blob(bytes_of(link.secret)).bind(link.principal).bind(std::uint64_t{link.scopes});
    return put.bind(store::milliseconds_of(link.expires)).run();
  }

  Result<std::optional<LoginRecord>> log_in_by_link(const Sha256& link, const LoginRecord& fresh,
                                                    std::size_t most) override {
    // Strangers guess links: what is none takes no right to write.
    HOST_TRY_ASSIGN(const auto seen, rights_of_link(link));
    if (!seen) return std::optional<LoginRecord>();
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(const auto rights, rights_of_link(link));
    if (!rights) return std::optional<LoginRecord>();
    {
      HOST_TRY_ASSIGN(Statement use, database_.prepare("DELETE FROM login_link WHERE secret = ?1"));
      HOST_TRY(use.bind_blob(bytes_of(link)).run());
    }
    LoginRecord login = fresh;
    login.key.clear();
    login.principal = rights->principal;
    login.scopes = rights->scopes;
    return add_login(std::move(transaction), std::move(login), most);
  }

  Result<std::optional<LoginRecord>> log_in_by_key(std::string_view key, const Sha256& secret,
                                                   const LoginRecord& fresh,
                                                   std::size_t most) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(const auto found, key_by(key));
    const bool good = found && found->secret == secret && found->is_valid_at(clock_.wall());
    if (!good) return std::optional<LoginRecord>();
    LoginRecord login = fresh;
    login.key = found->id;
    login.principal = found->principal;
    login.scopes = found->scopes;
    if (found->expires) login.expires = std::min(login.expires, *found->expires);
    return add_login(std::move(transaction), std::move(login), most);
  }

  Result<bool> end_login(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement end, database_.prepare("DELETE FROM page_login WHERE id = ?1"));
    HOST_TRY(end.bind(id).run());
    return database_.changes() == 1;
  }

  Result<std::size_t> end_logins(std::string_view principal, std::uint32_t scopes) override {
    HOST_TRY_ASSIGN(Statement end,
                    database_.prepare("DELETE FROM page_login WHERE principal = ?1 AND "
                                      "(scopes | ?2) = ?2"));
    HOST_TRY(end.bind(principal).bind(std::uint64_t{scopes}).run());
    return static_cast<std::size_t>(database_.changes());
  }

  Result<std::vector<LoginRecord>> logins() override {
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT id, secret, page_secret, principal, scopes, key, created, "
                          "expires FROM page_login WHERE expires > ?1 AND (key = '' OR EXISTS "
                          "(SELECT 1 FROM api_key WHERE api_key.id = page_login.key AND "
                          "revoked = 0 AND (api_key.expires = 0 OR api_key.expires > ?1))) "
                          "ORDER BY created DESC, id"));
    rows.bind(store::milliseconds_of(clock_.wall()));
    std::vector<LoginRecord> logins;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return logins;
      logins.push_back(login_of(rows));
    }
  }

  Result<void> tidy(const std::map<std::string, WallTime>& uses) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY(forget_expired());
    for (const auto& [id, time] : uses) {
      HOST_TRY_ASSIGN(
          Statement put,
          database_.prepare("UPDATE api_key SET used = ?2 WHERE id = ?1 AND used < ?2"));
      HOST_TRY(put.bind(id).bind(store::milliseconds_of(time)).run());
    }
    return transaction.commit();
  }

  Result<bool> changed_by_others() override { return seen_.changed(database_); }

 private:
  struct Rights {
    std::string principal;
    std::uint32_t scopes = 0;
  };

  Result<std::optional<KeyRecord>> key_by(std::string_view id) {
    HOST_TRY_ASSIGN(Statement ask,
                    database_.prepare("SELECT id, principal, scopes, secret, created, revoked, "
                                      "agent, expires, used, successor FROM api_key "
                                      "WHERE id = ?1"));
    HOST_TRY_ASSIGN(const bool there, ask.bind(id).step());
    return there ? std::optional(key_of(ask)) : std::nullopt;
  }

  Result<std::optional<Rights>> rights_of_link(const Sha256& link) {
    HOST_TRY_ASSIGN(Statement ask, database_.prepare("SELECT principal, scopes FROM login_link "
                                                     "WHERE secret = ?1 AND expires > ?2"));
    ask.bind_blob(bytes_of(link)).bind(store::milliseconds_of(clock_.wall()));
    HOST_TRY_ASSIGN(const bool there, ask.step());
    if (!there) return std::optional<Rights>();
    return std::optional(
        Rights{std::string(ask.text(0)), static_cast<std::uint32_t>(ask.number(1))});
  }

  Result<std::optional<LoginRecord>> add_login(Transaction transaction, LoginRecord login,
                                               std::size_t most) {
    HOST_TRY(forget_expired());
    {
      // The bound counts the one that is added.
      HOST_TRY_ASSIGN(Statement end,
                      database_.prepare("DELETE FROM page_login WHERE id IN (SELECT id FROM "
                                        "page_login WHERE key = ?1 AND principal = ?2 "
                                        "ORDER BY created DESC, id LIMIT -1 OFFSET ?3)"));
      end.bind(login.key).bind(login.principal);
      HOST_TRY(end.bind(std::uint64_t{most - 1}).run());
    }
    {
      HOST_TRY_ASSIGN(Statement put,
                      database_.prepare("INSERT INTO page_login (id, secret, page_secret, "
                                        "principal, scopes, key, created, expires) "
                                        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"));
      put.bind(login.id).bind_blob(bytes_of(login.secret)).bind_blob(bytes_of(login.page_secret));
      put.bind(login.principal).bind(std::uint64_t{login.scopes}).bind(login.key);
      put.bind(store::milliseconds_of(login.created)).bind(store::milliseconds_of(login.expires));
      HOST_TRY(put.run());
    }
    HOST_TRY(transaction.commit());
    return std::optional<LoginRecord>(std::move(login));
  }

  Result<void> forget_expired() {
    for (const char* const sql : {"DELETE FROM login_link WHERE expires <= ?1",
                                  "DELETE FROM page_login WHERE expires <= ?1"}) {
      HOST_TRY_ASSIGN(Statement forget, database_.prepare(sql));
      HOST_TRY(forget.bind(store::milliseconds_of(clock_.wall())).run());
    }
    return {};
  }

  Sqlite& database_;
  const Clock& clock_;
  SeenVersion seen_;
};

}  // namespace

std::unique_ptr<KeyStore> keys_in(Sqlite& database, const Clock& clock) {
  return std::make_unique<SqliteKeyStore>(database, clock);
}

}  // namespace host::store
