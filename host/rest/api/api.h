// The REST interface: /v1, and its alias /api/v1. Callers were already authenticated, with the
// scope in the table of routes. I/O thread only.
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

  // The scope that a request needs, by its method and path. For a known path with an unknown
  // method, the highest scope of its methods. nullopt: the path is not known.
  static std::optional<identity::Scope> scope_of(std::string_view method, std::string_view path);
  // Further scopes, each of which is also enough. Empty: there are none, or the path or method is
  // not known.
  static identity::Scopes instead_of(std::string_view method, std::string_view path);
  // True if the path is below /v1 or /api/v1. Errors of unknown routes there have the form of this
  // interface.
  static bool is_below(std::string_view path);
  boost::asio::awaitable<void> handle(transport::HttpExchange& exchange,
                                      const identity::Visitor& visitor);

  Events& events() { return *services_.events; }

 private:
  struct All;

  const Services services_;
  const std::unique_ptr<All> all_;
};

}  // namespace host::rest
