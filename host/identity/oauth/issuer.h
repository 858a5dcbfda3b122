// Follows the keys of one authorization server: finds where they are, reads them, and again at an
// interval, sooner where a token names a key that is not known. Where they cannot be had, those
// that were known go on to hold. I/O thread only, and nothing here blocks it.
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
    std::string jwks_url;  // empty: as the issuer's metadata says
    std::chrono::milliseconds refresh{0};
  };
  struct Answer {
    int status = 0;
    std::string body;
  };
  // GET of a URL; `done` comes once, never before this returns.
  using Fetch = std::function<void(std::string url, std::shared_ptr<Cancel> cancel,
                                   std::function<void(Result<Answer>)> done)>;
  using OnKeys = std::function<void(KeySet keys)>;

  // `on_keys` runs when keys were read and differ from those before.
  Issuer(boost::asio::any_io_executor io, Settings settings, const Clock& clock, Fetch fetch,
         OnKeys on_keys);

  // Follows from here on, until stop().
  void start();
  void stop();

  // Ends when the first try after start() has ended, well or not, and no later than that.
  boost::asio::awaitable<void> wait_for_first_try(std::chrono::milliseconds no_longer_than);
  // One try. Start() makes them by itself.
  boost::asio::awaitable<Result<void>> refresh();

  // Wants keys that are not known, at most once in ten seconds, so that nobody can have the issuer
  // flooded through this host. After what time they can be there; nothing where the issuer has
  // told all that it has a moment ago.
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
  boost::asio::steady_timer first_try_;  // cancelled when that has ended
  std::shared_ptr<Cancel> cancel_ = std::make_shared<Cancel>();
  Sha256 known_{};  // of the text that the keys were read from
  std::size_t keys_ = 0;
  SteadyTime last_wish_{};
  bool trying_ = false;  // or about to
  bool tried_ = false;
  bool reached_ = false;  // by the last try
  bool stopping_ = false;
};

}  // namespace host::identity
