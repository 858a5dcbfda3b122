// Keeps this host's keyring (the valid keys and logins, in memory) in sync with the store. Commands
// write to the store from a separate process, and the host notices their changes within a second.
// The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "identity/keyring.h"
#include "identity/scopes.h"
#include "identity/tries.h"
#include "store/desk.h"

namespace host::identity {

// A Login contains the data of a new login to the console. The host shows the secrets of a login
// only once.
struct Login {
  std::string cookie;
  std::string page_secret;
  Principal principal;
};

// The struct LoginRules contains the settings in [auth] of config.toml for logins to the console.
struct LoginRules {
  std::chrono::milliseconds lasts{};
  std::uint32_t most_per_key = 0;
  std::uint32_t most_per_minute = 0;  // logins with one key
};

class Identities : public std::enable_shared_from_this<Identities> {
 public:
  // Reads the store. open() blocks, so call open() before the host accepts clients.
  static Result<std::shared_ptr<Identities>> open(boost::asio::any_io_executor io,
                                                  std::shared_ptr<store::Desk> desk,
                                                  const Clock& clock, LoginRules rules);

  const Keyring& keyring() const { return keyring_; }

  // Sets a function that is called for each key that has expired. Set the listener once, before
  // watch().
  void on_expiry(std::function<void(const store::KeyRecord& key)> listener) {
    on_expiry_ = std::move(listener);
  }
  // Sets a function that is called for each principal that lost a key. After the loss of a key, the
  // principal's running calls may have no valid key left, see Keyring::lets_call(). Set the
  // listener once, before watch().
  void on_loss(std::function<void(const std::string& principal)> listener) {
    on_loss_ = std::move(listener);
  }
  // Sets a function that is called when logins to the console were made or have ended. Set the
  // listener once, before watch().
  void on_logins(std::function<void()> listener) { on_logins_ = std::move(listener); }

  // Watches for changes that other processes make, and for expiry, until stop(). stop() stores the
  // remaining changes.
  void watch();
  void stop();

  // Records that the key was used now.
  void note_use(const std::string& key) { uses_.insert_or_assign(key, clock_.wall()); }
  // Stores when keys were last used, and deletes expired entries. watch() calls tidy() once a
  // minute.
  boost::asio::awaitable<Result<void>> tidy();

  // Counts an attempt to log in with this key. If there were too many logins, returns how long the
  // client must wait. Otherwise returns nullopt.
  std::optional<std::chrono::seconds> too_soon_for(std::string_view key);
  // log_in_by_link() and log_in_by_key() make a login to the console. The Error Denied means that
  // the link was used, has expired or never existed, or that the key is not valid or belongs to an
  // agent.
  boost::asio::awaitable<Result<Login>> log_in_by_link(std::string link);
  boost::asio::awaitable<Result<Login>> log_in_by_key(std::string key);
  // Returns false if the login does not exist.
  boost::asio::awaitable<Result<bool>> end_login(std::string id);
  // Ends the principal's logins whose scopes are all in `scopes`. Returns the number of ended
  // logins.
  boost::asio::awaitable<Result<std::size_t>> end_logins(std::string principal, Scopes scopes);
  // Makes a one-time login link for the operator, with all scopes.
  boost::asio::awaitable<Result<std::string>> make_link(std::chrono::milliseconds lasts);

 private:
  struct Records;
  struct Keep;  // only for make_shared

 public:
  Identities(Keep, boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk,
             const Clock& clock, LoginRules rules);

 private:
  static Result<Records> read(store::KeyStore& keys);
  enum class Reads { Always, IfMade };
  // Changes the store, and then reads the keyring from the store. With Reads::IfMade, change()
  // reads the keyring only if `act` returned a T that converts to true.
  template <class T>
  boost::asio::awaitable<Result<T>> change(std::function<Result<T>(store::KeyStore&)> act,
                                           Reads reads = Reads::Always);
  void take(const Records& records);
  // `keys` contains the current keys, including expired keys.
  void tell_changes(const Keyring& before, const std::vector<store::KeyRecord>& keys) const;
  store::LoginRecord record_of(const Login& login) const;
  boost::asio::awaitable<void> follow();
  boost::asio::awaitable<void> look();

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<store::Desk> desk_;
  const Clock& clock_;
  const LoginRules rules_;
  Keyring keyring_;
  Tries logins_made_;                     // by key
  std::map<std::string, WallTime> uses_;  // times of use that are not stored yet, by key id
  bool stale_ = false;                    // the keyring is older than the store
  std::function<void(const store::KeyRecord& key)> on_expiry_;
  std::function<void(const std::string& principal)> on_loss_;
  std::function<void()> on_logins_;
  boost::asio::steady_timer pause_;
  bool stopping_ = false;
};

}  // namespace host::identity
