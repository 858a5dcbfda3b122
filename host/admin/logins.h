// Serves /v1/logins: GET lists the logins to the console, and DELETE ends logins. DELETE
// /v1/logins/ID ends one login. Callers with the scope `admin` see all logins. Without the scope
// `admin`, a caller sees only the logins of its own principal, and no login with a scope that the
// caller lacks. Call the functions of this header on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>

#include "identity/authenticator.h"
#include "identity/identities.h"
#include "store/audit/audit.h"
#include "transport/http/http.h"

namespace host::admin {

class Logins {
 public:
  // `identities` is null if the host has no store, and so no logins. Objects that are passed by
  // reference must outlive the Logins object.
  Logins(std::shared_ptr<identity::Identities> identities, identity::Authenticator& authenticator,
         store::Audit& audit)
      : identities_(std::move(identities)), authenticator_(authenticator), audit_(audit) {}

  static bool serves(std::string_view path);
  boost::asio::awaitable<void> handle(transport::HttpExchange& exchange);

 private:
  void list(transport::HttpExchange& exchange, const identity::Visitor& visitor) const;
  boost::asio::awaitable<void> end_one(transport::HttpExchange& exchange,
                                       const identity::Visitor& visitor, std::string id);
  boost::asio::awaitable<void> end_all(transport::HttpExchange& exchange,
                                       const identity::Visitor& visitor);

  const std::shared_ptr<identity::Identities> identities_;
  identity::Authenticator& authenticator_;
  store::Audit& audit_;
};

}  // namespace host::admin
