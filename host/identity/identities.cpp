#include "identity/identities.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>
#include <vector>

#include "base/log.h"
#include "base/process/spawn.h"
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

constexpr milliseconds kLookEvery{500};  // for changes by other processes
constexpr int kTidyEvery = 120;          // number of looks

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
                                                     const Clock& clock, LoginRules rules) {
  Desk::Act<Records> first = [](Store& store) -> Result<Records> {
    HOST_TRY(store.keys().changed_by_others());
    return read(store.keys());
  };
  HOST_TRY_ASSIGN(const Records records, desk->ask_and_wait<Records>(std::move(first)));
  auto made = std::make_shared<Identities>(Keep(), std::move(io), std::move(desk), clock, rules);
  made->keyring_.set(records.keys, records.logins);
  return made;
}

Identities::Identities(Keep, asio::any_io_executor io, std::shared_ptr<store::Desk> desk,
                       const Clock& clock, LoginRules rules)
    : io_(std::move(io)),
      desk_(std::move(desk)),
      clock_(clock),
      rules_(rules),
      keyring_(clock),
      logins_made_(clock, rules.most_per_minute),
      pause_(io_) {}

void Identities::watch() {
  spawn(io_, {"identity", "follows the keys that others change"}, follow(),
        [self = weak_from_this()](const Result<void>& ended) {
          // A key that was revoked by another process must not stay valid here. watch() pauses
          // first.
          if (const auto alive = self.lock(); alive && !ended) alive->watch();
        });
}

void Identities::stop() {
  stopping_ = true;
  pause_.cancel();
  if (uses_.empty()) return;
  desk_->tell([uses = std::exchange(uses_, {})](Store& store) { (void)store.keys().tidy(uses); });
}

void Identities::take(const Records& records) {
  const Keyring before = keyring_;
  keyring_.set(records.keys, records.logins);
  tell_changes(before, records.keys);
}

void Identities::tell_changes(const Keyring& before,
                              const std::vector<store::KeyRecord>& keys) const {
  if (on_expiry_) {
    for (const store::KeyRecord& key : before.expired_of(keys)) on_expiry_(key);
  }
  if (on_loss_) {
    for (const std::string& principal : keyring_.losers(before)) on_loss_(principal);
  }
  if (on_logins_ && !keyring_.has_same_logins(before)) on_logins_();
}

awaitable<void> Identities::follow() {
  const auto self = shared_from_this();
  for (int looks = 1; !stopping_; ++looks) {
    pause_.expires_after(kLookEvery);
    boost::system::error_code ignored;
    co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (stopping_) break;
    co_await look();
    if (looks % kTidyEvery != 0 || stopping_) continue;
    const auto tidied = co_await tidy();
    if (!tidied)
      log::error("identity", "uses of keys and expired logins could not be stored",
                 {{"error", tidied.error().message}});
  }
}

awaitable<void> Identities::look() {
  // A failed read is repeated, because the store reports a change only once.
  Desk::Act<std::optional<Records>> ask =
      [stale = stale_](Store& store) -> Result<std::optional<Records>> {
    HOST_TRY_ASSIGN(const bool changed, store.keys().changed_by_others());
    if (!changed && !stale) return std::optional<Records>();
    HOST_TRY_ASSIGN(Records records, read(store.keys()));
    return std::optional<Records>(std::move(records));
  };
  const auto fresh = co_await desk_->ask<std::optional<Records>>(std::move(ask));
  if (!fresh) {
    stale_ = true;
    log::error("identity", "keys could not be read: those that were known stay valid",
               {{"error", fresh.error().message}});
  } else if (*fresh) {
    stale_ = false;
    take(**fresh);
  }
  if (!keyring_.has_expired()) co_return;
  const Keyring before = keyring_;
  keyring_.forget_expired();
  tell_changes(before, before.keys());
}

awaitable<Result<void>> Identities::tidy() {
  auto uses = std::exchange(uses_, {});
  Desk::Act<bool> act = [uses](Store& store) -> Result<bool> {
    HOST_TRY(store.keys().tidy(uses));
    return true;
  };
  const auto done = co_await desk_->ask<bool>(std::move(act));
  if (done) co_return Result<void>();
  uses_.merge(std::move(uses));  // uses that were recorded meanwhile are later
  co_return done.error();
}

template <class T>
awaitable<Result<T>> Identities::change(std::function<Result<T>(KeyStore&)> act, Reads reads) {
  struct After {
    T made;
    std::optional<Records> now;
  };
  Desk::Act<After> whole = [act = std::move(act), reads](Store& store) -> Result<After> {
    HOST_TRY_ASSIGN(T made, act(store.keys()));
    if (reads == Reads::IfMade && !made) return After{std::move(made), std::nullopt};
    HOST_TRY_ASSIGN(Records now, read(store.keys()));
    return After{std::move(made), std::move(now)};
  };
  auto after = co_await desk_->ask<After>(std::move(whole));
  if (!after) {
    stale_ = true;  // the store may have changed all the same
    co_return after.error();
  }
  if (after->now) take(*after->now);
  co_return std::move(after->made);
}

std::optional<std::chrono::seconds> Identities::too_soon_for(std::string_view key) {
  const store::KeyRecord* const found = keyring_.find_key(key);
  return found ? logins_made_.count(found->id) : std::nullopt;
}

// Without the principal.
LoginRecord Identities::record_of(const Login& login) const {
  LoginRecord fresh;
  fresh.id = make_login_id();
  fresh.secret = digest_of_secret(login.cookie);
  fresh.page_secret = digest_of_secret(login.page_secret);
  fresh.created = clock_.wall();
  fresh.expires = fresh.created + rules_.lasts;
  return fresh;
}

awaitable<Result<Login>> Identities::log_in_by_link(std::string link) {
  Login made{make_secret(), make_secret(), {}};
  using Made = std::optional<LoginRecord>;
  std::function<Result<Made>(KeyStore&)> act =
      [of_link = digest_of_secret(link), fresh = record_of(made), most = rules_.most_per_key](
          KeyStore& keys) { return keys.log_in_by_link(of_link, fresh, most); };
  // Strangers guess links: a wrong one costs no more than a look at the links.
  HOST_CO_TRY_ASSIGN(const Made login, co_await change<Made>(std::move(act), Reads::IfMade));
  if (!login) co_return no_login();
  made.principal = {login->principal, Scopes(login->scopes)};
  co_return made;
}

// The keyring refuses guesses at once. It may be slightly out of date, so the store decides.
awaitable<Result<Login>> Identities::log_in_by_key(std::string key) {
  const store::KeyRecord* const found = keyring_.find_key(key);
  if (!found) co_return no_login();
  if (!found->agent.empty()) {
    co_return Error{ErrorKind::Denied, "this is the key of an agent, which opens no page"};
  }
  note_use(found->id);
  Login made{make_secret(), make_secret(), {}};
  using Made = std::optional<LoginRecord>;
  std::function<Result<Made>(KeyStore&)> act = [id = found->id, secret = digest_of_secret(key),
                                                fresh = record_of(made),
                                                most = rules_.most_per_key](KeyStore& keys) {
    return keys.log_in_by_key(id, secret, fresh, most);
  };
  HOST_CO_TRY_ASSIGN(const Made login, co_await change<Made>(std::move(act)));
  if (!login) co_return no_login();
  made.principal = {login->principal, Scopes(login->scopes)};
  co_return made;
}

awaitable<Result<bool>> Identities::end_login(std::string id) {
  std::function<Result<bool>(KeyStore&)> act = [id = std::move(id)](KeyStore& keys) {
    return keys.end_login(id);
  };
  auto ended = co_await change<bool>(std::move(act));
  co_return ended;
}

awaitable<Result<std::size_t>> Identities::end_logins(std::string principal, Scopes scopes) {
  std::function<Result<std::size_t>(KeyStore&)> act = [principal = std::move(principal),
                                                       scopes](KeyStore& keys) {
    return keys.end_logins(principal, scopes.bits());
  };
  auto ended = co_await change<std::size_t>(std::move(act));
  co_return ended;
}

awaitable<Result<std::string>> Identities::make_link(milliseconds lasts) {
  Desk::Act<std::string> make = [expires = clock_.wall() + lasts](Store& store) {
    return create_link(store.keys(), kOperator, expires);
  };
  auto made = co_await desk_->ask<std::string>(std::move(make));
  co_return made;
}

}  // namespace host::identity
