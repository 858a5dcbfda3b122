#include "identity/identities.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>
#include <vector>

#include "base/log.h"
#include "identity/secret.h"

namespace host::identity {
namespace asio = boost::asio;
namespace {

using asio::awaitable;
using std::chrono::milliseconds;
using store::Desk;
using store::KeyStore;
using store::LoginRecord;
using store::Store;

constexpr milliseconds kLookEvery{500};  // whether another process has changed something

Error no_login() {
  return {ErrorKind::Denied,
          "this link or key does not open the page: `toolpost key link` prints a fresh link"};
}

}  // namespace

struct Identities::Keep {};

struct Identities::Records {
  std::vector<store::KeyRecord> keys;
  std::vector<LoginRecord> logins;
};

Result<Identities::Records> Identities::read(KeyStore& keys) {
  Records records;
  HOST_TRY_ASSIGN(records.keys, keys.keys());
  HOST_TRY_ASSIGN(records.logins, keys.logins());
  return records;
}

Result<std::shared_ptr<Identities>> Identities::open(asio::any_io_executor io,
                                                     std::shared_ptr<store::Desk> desk,
                                                     const Clock& clock, milliseconds login_lasts) {
  Desk::Act<Records> first = [](Store& store) -> Result<Records> {
    HOST_TRY(store.keys().changed_by_others());
    return read(store.keys());
  };
  HOST_TRY_ASSIGN(const Records records, desk->ask_and_wait<Records>(std::move(first)));
  auto made =
      std::make_shared<Identities>(Keep(), std::move(io), std::move(desk), clock, login_lasts);
  made->keyring_.set(records.keys, records.logins);
  return made;
}

Identities::Identities(Keep, asio::any_io_executor io, std::shared_ptr<store::Desk> desk,
                       const Clock& clock, milliseconds login_lasts)
    : io_(std::move(io)),
      desk_(std::move(desk)),
      clock_(clock),
      login_lasts_(login_lasts),
      keyring_(clock),
      pause_(io_) {}

void Identities::watch() {
  asio::co_spawn(io_, follow(), asio::detached);
}

void Identities::stop() {
  stopping_ = true;
  pause_.cancel();
}

awaitable<void> Identities::follow() {
  const auto self = shared_from_this();
  while (!stopping_) {
    pause_.expires_after(kLookEvery);
    boost::system::error_code ignored;
    co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (stopping_) break;
    Desk::Act<std::optional<Records>> look = [](Store& store) -> Result<std::optional<Records>> {
      HOST_TRY_ASSIGN(const bool changed, store.keys().changed_by_others());
      if (!changed) return std::optional<Records>();
      HOST_TRY_ASSIGN(Records records, read(store.keys()));
      return std::optional<Records>(std::move(records));
    };
    const auto fresh = co_await desk_->ask<std::optional<Records>>(std::move(look));
    if (!fresh) {
      log::error("identity", "keys could not be read: those that were known go on to hold",
                 {{"error", fresh.error().message}});
    } else if (*fresh) {
      const Keyring before = keyring_;
      keyring_.set((*fresh)->keys, (*fresh)->logins);
      if (!on_loss_) continue;
      for (const std::string& principal : keyring_.losers(before)) on_loss_(principal);
    }
  }
}

awaitable<Result<Login>> Identities::log_in_by_link(std::string link) {
  Login made;
  made.secret = make_secret();
  LoginRecord fresh;
  fresh.secret = digest_of_secret(made.secret);
  fresh.expires = clock_.wall() + login_lasts_;
  Desk::Act<std::optional<LoginRecord>> use = [of_link = digest_of_secret(link),
                                               fresh](Store& store) {
    return store.keys().use_link(of_link, fresh);
  };
  HOST_CO_TRY_ASSIGN(const auto login,
                     co_await desk_->ask<std::optional<LoginRecord>>(std::move(use)));
  if (!login) co_return no_login();
  keyring_.add(*login);
  made.principal = {login->principal, Scopes(login->scopes)};
  co_return made;
}

awaitable<Result<Login>> Identities::log_in_by_key(std::string key) {
  const store::KeyRecord* const found = keyring_.find_key(key);
  if (!found) co_return no_login();
  if (!found->agent.empty()) {
    co_return Error{ErrorKind::Denied, "this is the key of an agent, which opens no page"};
  }
  Login made;
  made.secret = make_secret();
  made.principal = {found->principal, Scopes(found->scopes)};
  LoginRecord fresh;
  fresh.secret = digest_of_secret(made.secret);
  fresh.principal = found->principal;
  fresh.scopes = found->scopes;
  fresh.key = found->id;
  fresh.expires = clock_.wall() + login_lasts_;
  Desk::Act<bool> add = [fresh](Store& store) -> Result<bool> {
    HOST_TRY(store.keys().add_login(fresh));
    return true;
  };
  HOST_CO_TRY(co_await desk_->ask<bool>(std::move(add)));
  keyring_.add(fresh);
  co_return made;
}

awaitable<Result<void>> Identities::log_out(std::string secret) {
  const Sha256 digest = digest_of_secret(secret);
  const LoginRecord* const login = keyring_.find_login(secret);
  const std::string principal = login ? login->principal : std::string();
  keyring_.end_login(digest);
  Desk::Act<bool> end = [digest](Store& store) -> Result<bool> {
    HOST_TRY(store.keys().end_login(digest));
    return true;
  };
  HOST_CO_TRY(co_await desk_->ask<bool>(std::move(end)));
  keyring_.end_login(digest);  // a reading that began before may have brought it back
  if (!principal.empty() && on_logout_) on_logout_(principal);
  co_return Result<void>();
}

awaitable<Result<std::string>> Identities::make_link(milliseconds lasts) {
  Desk::Act<std::string> make = [expires = clock_.wall() + lasts](Store& store) {
    return create_link(store.keys(), kOperator, expires);
  };
  auto made = co_await desk_->ask<std::string>(std::move(make));
  co_return made;
}

}  // namespace host::identity
