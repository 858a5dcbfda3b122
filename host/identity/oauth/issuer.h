// Fetches the signing keys of one authorization server. The Issuer finds the URL of the keys, and
// reads the keys at an interval, or earlier if a token names an unknown key. If fetching fails, the
// known keys stay valid. The functions of Issuer are called on the I/O thread, and none of them
// blocks.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/result.h"
#include "identity/oauth/key_set.h"

namespace host::identity {

class Issuer : public std::enable_shared_from_this<Issuer> {
 public:
  struct Settings {
    std::string issuer;
    std::string jwks_url;  // empty: the URL in the issuer's metadata
    std::chrono::milliseconds refresh{0};
  };
  struct Answer {
    int status = 0;
    std::string body;
  };
  // Sends a GET request to `url`. The function Fetch calls `done` once, and never before Fetch has
  // returned.
  using Fetch = std::function<void(std::string url, std::shared_ptr<Cancel> cancel,
                                   std::function<void(Result<Answer>)> done)>;
  using OnKeys = std::function<void(KeySet keys)>;

  // The Issuer calls `on_keys` when it has read keys that differ from the previous keys.
  Issuer(boost::asio::any_io_executor io, Settings settings, const Clock& clock, Fetch fetch,
         OnKeys on_keys);

  // Fetches the keys at the interval `refresh` until stop().
  void start();
  void stop();

  // Returns when the first fetch after start() has ended, successful or not, or after the given
  // time.
  boost::asio::awaitable<void> wait_for_first_try(std::chrono::milliseconds no_longer_than);
  // Fetches the keys once. After start(), callers need not call refresh().
  boost::asio::awaitable<Result<void>> refresh();

  // Fetches the keys because a token names an unknown key. The Issuer fetches the keys at most once
  // in ten seconds, so that clients cannot flood the authorization server through this host.
  // Returns how long it can take until the Issuer has fetched the new keys. Returns nullopt if the
  // Issuer read the keys a moment ago and so does not fetch them again.
  std::optional<std::chrono::seconds> look_again();

 private:
  boost::asio::awaitable<void> follow();
  void broke_off();
  boost::asio::awaitable<void> pause(std::chrono::milliseconds length);
  boost::asio::awaitable<Result<std::string>> read_keys();
  boost::asio::awaitable<Result<std::string>> find_jwks_url();
  boost::asio::awaitable<Result<Answer>> get(std::string url);
  Result<void> take(const std::string& text);

  const boost::asio::any_io_executor io_;
  const Settings settings_;
  const Clock& clock_;
  const Fetch fetch_;
  const OnKeys on_keys_;
  boost::asio::steady_timer pause_;
  boost::asio::steady_timer first_try_;  // cancelled when the first fetch has ended
  std::shared_ptr<Cancel> cancel_ = std::make_shared<Cancel>();
  Sha256 known_{};  // digest of the text of the keys
  std::size_t keys_ = 0;
  SteadyTime last_wish_{};
  bool trying_ = false;  // a fetch is in progress, or about to begin
  bool tried_ = false;
  bool reached_ = false;  // the last fetch was successful
  bool stopping_ = false;
};

}  // namespace host::identity
