// Makes the parts that check the tokens of an authorization server, and the metadata for clients.
// Call the functions of this header on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

#include "base/result.h"
#include "config/config.h"
#include "identity/oauth/issuer.h"
#include "identity/oauth/protected_resource.h"
#include "identity/oauth/token_check.h"
#include "outbound/gate.h"

namespace host::app {

class OAuth {
 public:
  // Returns null if `oauth.issuer` is empty. Without an issuer, the host accepts no token.
  static std::unique_ptr<OAuth> create(boost::asio::any_io_executor io,
                                       const config::Config& config);

  identity::TokenCheck& check() { return check_; }
  const identity::ProtectedResource& resource() const { return resource_; }

  // Fetches the issuer's keys regularly until stop().
  void start() { issuer_->start(); }
  void stop() { issuer_->stop(); }
  // Waits for the first keys of the issuer, so that the host can check the tokens of the first
  // clients. The wait for the keys ends after a few seconds, even if the issuer has not answered.
  boost::asio::awaitable<void> wait_for_keys();
  // Reads the issuer's keys once and returns the number of usable keys.
  boost::asio::awaitable<Result<std::size_t>> count_keys();

 private:
  OAuth(boost::asio::any_io_executor io, const config::Config& config);
  void fetch(std::string url, std::shared_ptr<Cancel> cancel,
             std::function<void(Result<identity::Issuer::Answer>)> done);

  outbound::Gate gate_;  // separate, so that plugins' requests cannot delay those to the issuer
  identity::ProtectedResource resource_;
  std::shared_ptr<identity::Issuer> issuer_;
  std::size_t keys_ = 0;
  identity::TokenCheck check_;
};

}  // namespace host::app
