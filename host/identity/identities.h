// Who may come in, as this host knows it: the keyring, kept as the store has it. The command line
// writes to the store from another process; that is seen within a second. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "identity/keyring.h"
#include "identity/scopes.h"
#include "store/desk.h"

namespace host::identity {

// A login that was just made; `secret` is told this once.
struct Login {
  std::string secret;
  Principal principal;
};

class Identities : public std::enable_shared_from_this<Identities> {
 public:
  // Reads the store, which blocks: before anything is served.
  static Result<std::shared_ptr<Identities>> open(boost::asio::any_io_executor io,
                                                  std::shared_ptr<store::Desk> desk,
                                                  const Clock& clock,
                                                  std::chrono::milliseconds login_lasts);

  const Keyring& keyring() const { return keyring_; }

  // `listener` runs for each principal that lost a key: some of its calls may have nothing left to
  // go on by, see Keyring::lets_call(). Once, before watch().
  void on_loss(std::function<void(const std::string& principal)> listener) {
    on_loss_ = std::move(listener);
  }

  // `listener` runs for each principal one of whose logins ended by log_out().
  void on_logout(std::function<void(const std::string& principal)> listener) {
    on_logout_ = std::move(listener);
  }

  // From here on what other processes change is seen. Until stop().
  void watch();
  void stop();

  // Denied: the link was used, has expired or never was.
  boost::asio::awaitable<Result<Login>> log_in_by_link(std::string link);
  boost::asio::awaitable<Result<Login>> log_in_by_key(std::string key);
  boost::asio::awaitable<Result<void>> log_out(std::string secret);
  // A one-time link for the operator, who may do everything.
  boost::asio::awaitable<Result<std::string>> make_link(std::chrono::milliseconds lasts);

 private:
  struct Records;
  struct Keep;  // for make_shared alone

 public:
  Identities(Keep, boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk,
             const Clock& clock, std::chrono::milliseconds login_lasts);

 private:
  static Result<Records> read(store::KeyStore& keys);
  boost::asio::awaitable<void> follow();

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<store::Desk> desk_;
  const Clock& clock_;
  const std::chrono::milliseconds login_lasts_;
  Keyring keyring_;
  std::function<void(const std::string& principal)> on_loss_;
  std::function<void(const std::string& principal)> on_logout_;
  boost::asio::steady_timer pause_;
  bool stopping_ = false;
};

// The principal of whoever has the host's own link.
inline constexpr const char* kOperator = "operator";

}  // namespace host::identity
