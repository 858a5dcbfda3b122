#include "store/key_store.h"

#include <utility>

#include "store/columns.h"
#include "store/sqlite_parts.h"

namespace host::store {
namespace {

KeyRecord key_of(const Statement& row) {
  KeyRecord key;
  key.id = row.text(0);
  key.principal = row.text(1);
  key.scopes = static_cast<std::uint32_t>(row.number(2));
  key.secret = digest_of(row.blob(3));
  key.created = time_of(row.number(4));
  key.revoked = row.number(5) != 0;
  key.agent = row.text(6);
  return key;
}

LoginRecord login_of(const Statement& row) {
  LoginRecord login;
  login.secret = digest_of(row.blob(0));
  login.principal = row.text(1);
  login.scopes = static_cast<std::uint32_t>(row.number(2));
  login.key = row.text(3);
  login.expires = time_of(row.number(4));
  return login;
}

class SqliteKeyStore final : public KeyStore {
 public:
  SqliteKeyStore(Sqlite& database, const Clock& clock) : database_(database), clock_(clock) {}

  Result<void> add_key(const KeyRecord& key) override {
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("INSERT INTO api_key (id, principal, scopes, secret, "
                          "created, revoked, agent) VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)"));
    put.bind(key.id).bind(key.principal).bind(std::uint64_t{key.scopes});
    put.bind_blob(bytes_of(key.secret)).bind(milliseconds_of(key.created));
    return put.bind(key.agent).run();
  }

  Result<std::vector<KeyRecord>> keys() override {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT id, principal, scopes, secret, created, revoked, "
                                      "agent FROM api_key ORDER BY created DESC, id"));
    std::vector<KeyRecord> keys;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return keys;
      keys.push_back(key_of(rows));
    }
  }

  Result<bool> revoke(std::string_view id) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    bool there = false;
    {
      HOST_TRY_ASSIGN(Statement ask, database_.prepare("SELECT 1 FROM api_key WHERE id = ?1"));
      HOST_TRY_ASSIGN(there, ask.bind(id).step());
    }
    if (!there)
      return Error{ErrorKind::NotFound, "there is no key \"" + std::string(id.substr(0, 80)) +
                                            "\": `toolpost key list` names them"};
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

  Result<void> add_link(const LinkRecord& link) override {
    HOST_TRY(forget_expired());
    HOST_TRY_ASSIGN(Statement put, database_.prepare("INSERT INTO login_link (secret, principal, "
                                                     "scopes, expires) VALUES (?1, ?2, ?3, ?4)"));
    put.bind_blob(bytes_of(link.secret)).bind(link.principal).bind(std::uint64_t{link.scopes});
    return put.bind(milliseconds_of(link.expires)).run();
  }

  Result<std::optional<LoginRecord>> use_link(const Sha256& secret,
                                              const LoginRecord& fresh) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY(forget_expired());
    LoginRecord login = fresh;
    {
      HOST_TRY_ASSIGN(
          Statement ask,
          database_.prepare("SELECT principal, scopes FROM login_link WHERE secret = ?1"));
      HOST_TRY_ASSIGN(const bool there, ask.bind_blob(bytes_of(secret)).step());
      if (!there) return std::optional<LoginRecord>();
      login.principal = ask.text(0);
      login.scopes = static_cast<std::uint32_t>(ask.number(1));
    }
    {
      HOST_TRY_ASSIGN(Statement use, database_.prepare("DELETE FROM login_link WHERE secret = ?1"));
      HOST_TRY(use.bind_blob(bytes_of(secret)).run());
    }
    HOST_TRY(add_login(login));
    HOST_TRY(transaction.commit());
    return std::optional<LoginRecord>(std::move(login));
  }

  Result<void> add_login(const LoginRecord& login) override {
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT INTO page_login (secret, principal, scopes, key, "
                                      "expires) VALUES (?1, ?2, ?3, ?4, ?5)"));
    put.bind_blob(bytes_of(login.secret)).bind(login.principal).bind(std::uint64_t{login.scopes});
    return put.bind(login.key).bind(milliseconds_of(login.expires)).run();
  }

  Result<void> end_login(const Sha256& secret) override {
    HOST_TRY_ASSIGN(Statement end, database_.prepare("DELETE FROM page_login WHERE secret = ?1"));
    return end.bind_blob(bytes_of(secret)).run();
  }

  Result<std::vector<LoginRecord>> logins() override {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT secret, principal, scopes, key, expires FROM "
                                      "page_login WHERE expires > ?1"));
    rows.bind(milliseconds_of(clock_.wall()));
    std::vector<LoginRecord> logins;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return logins;
      logins.push_back(login_of(rows));
    }
  }

  Result<bool> changed_by_others() override { return seen_.changed(database_); }

 private:
  Result<void> forget_expired() {
    for (const char* const sql : {"DELETE FROM login_link WHERE expires <= ?1",
                                  "DELETE FROM page_login WHERE expires <= ?1"}) {
      HOST_TRY_ASSIGN(Statement forget, database_.prepare(sql));
      HOST_TRY(forget.bind(milliseconds_of(clock_.wall())).run());
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
