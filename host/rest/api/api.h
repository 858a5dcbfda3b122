// Serves the REST interface at /v1, and at its alias /api/v1. The host has already authenticated
// the sender of each request, and checked the scope that the table of routes requires. The
// functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string_view>

#include "identity/authenticator.h"
#include "identity/scopes.h"
#include "rest/route/services.h"
#include "transport/http/http.h"

namespace host::rest {

class Api {
 public:
  explicit Api(Services services);
  ~Api();

  // Returns the scope that an HTTP request needs. The request's method and path determine the
  // scope. If the path is known but the method is not, returns the highest scope that a method of
  // the path needs. Returns nullopt for an unknown path.
  static std::optional<identity::Scope> scope_of(std::string_view method, std::string_view path);
  // Returns the scopes that the host accepts in place of the scope that scope_of() returns. The set
  // is empty if the host accepts only the scope of scope_of(), or if the path or method is unknown.
  static identity::Scopes instead_of(std::string_view method, std::string_view path);
  // Returns true if the path is below /v1 or /api/v1. Below /v1 and /api/v1, errors for unknown
  // paths are problem documents too, like all errors of REST.
  static bool is_below(std::string_view path);
  // Returns the id of the session in the path of a session's route. Returns an empty text if the
  // path is not a session's route.
  static std::string_view session_in(std::string_view path);
  boost::asio::awaitable<void> handle(transport::HttpExchange& exchange,
                                      const identity::Visitor& visitor);

  Events& events() { return *services_.events; }

 private:
  struct All;

  const Services services_;
  const std::unique_ptr<All> all_;
};

}  // namespace host::rest
