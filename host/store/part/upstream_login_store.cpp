#include "store/part/upstream_login_store.h"

#include <utility>
#include <vector>

#include "base/seal.h"
#include "store/part/sqlite_parts.h"

namespace host::store {
namespace {

// A login that was sealed for one upstream opens nothing for another.
std::string about_login(std::string_view upstream) {
  return "upstream login\n" + std::string(upstream);
}

class SqliteUpstreamLoginStore final : public UpstreamLoginStore {
 public:
  SqliteUpstreamLoginStore(Sqlite& database, SecretBox& box) : database_(database), box_(box) {}

  Result<void> put(std::string_view upstream, std::string_view login) override {
    HOST_TRY_ASSIGN(const SecretBox::Sealed sealed, box_.seal(login, about_login(upstream)));
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT OR REPLACE INTO upstream_login "
                                      "(upstream, secret, seal_key) VALUES (?1, ?2, ?3)"));
    return put.bind(upstream).bind_blob(sealed.bytes).bind(sealed.key).run();
  }

  Result<std::optional<std::string>> find(std::string_view upstream) override {
    HOST_TRY_ASSIGN(
        Statement ask,
        database_.prepare("SELECT secret, seal_key FROM upstream_login WHERE upstream = ?1"));
    HOST_TRY_ASSIGN(const bool there, ask.bind(upstream).step());
    if (!there) return std::optional<std::string>();
    const SecretBox::Sealed sealed{std::string(ask.text(1)), std::string(ask.blob(0))};
    HOST_TRY_ASSIGN(std::string login, box_.unseal(sealed, about_login(upstream)));
    return std::optional<std::string>(std::move(login));
  }

 private:
  Sqlite& database_;
  SecretBox& box_;
};

Result<std::vector<std::string>> sealed_with_other_keys(Sqlite& database, const std::string& key) {
  HOST_TRY_ASSIGN(Statement rows,
                  database.prepare("SELECT upstream FROM upstream_login WHERE seal_key <> ?1"));
  rows.bind(key);
  std::vector<std::string> out;
  for (;;) {
    HOST_TRY_ASSIGN(const bool row, rows.step());
    if (!row) return out;
    out.emplace_back(rows.text(0));
  }
}

}  // namespace

std::unique_ptr<UpstreamLoginStore> upstream_logins_in(Sqlite& database, SecretBox& box) {
  return std::make_unique<SqliteUpstreamLoginStore>(database, box);
}

Result<void> seal_upstream_logins(Sqlite& database, SecretBox& box) {
  HOST_TRY_ASSIGN(const std::string key, box.current());
  HOST_TRY_ASSIGN(const std::vector<std::string> outdated, sealed_with_other_keys(database, key));
  if (outdated.empty()) return {};
  SqliteUpstreamLoginStore logins(database, box);
  HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database));
  for (const std::string& upstream : outdated) {
    HOST_TRY_ASSIGN(std::optional<std::string> login, logins.find(upstream));
    if (!login) continue;  // meanwhile
    HOST_TRY(logins.put(upstream, *login));
    wipe(*login);
  }
  return transaction.commit();
}

}  // namespace host::store
