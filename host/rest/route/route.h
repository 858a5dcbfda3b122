// Each subject of the REST interface, such as skills, has one class for its routes. The class lists
// the routes in routes(), and has a member function for each route, which answers the requests. Api
// (api.h) joins the tables of all subjects at compile time.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "identity/authenticator.h"
#include "identity/scopes.h"
#include "rest/route/services.h"
#include "transport/http/http.h"

namespace host::rest {

using boost::asio::awaitable;
using identity::Scope;

// The struct Asked is an HTTP request with its sender.
struct Asked {
  transport::HttpExchange& exchange;
  const identity::Visitor& visitor;
  std::vector<std::string> ids;  // the segments that the `*` of the route's path matched

  const std::string& id() const { return ids.front(); }
  const transport::HttpRequest& http() const { return exchange.request(); }
};

// Returns the name of the sender for the audit and records: "page:anna", "rest:anna".
inline std::string way_of(const Asked& asked) {
  const bool page = asked.visitor.way == identity::Way::Login;
  return (page ? "page:" : "rest:") + asked.visitor.principal.name;
}

// Routes that return lists or event streams call answers_head() after they have checked the
// request, so that a HEAD request does not read the list. answers_head() answers a HEAD request
// without a body and a length, and returns true. answers_head() returns false for a GET request.
inline bool answers_head(const Asked& asked, std::string_view type = "application/json") {
  if (asked.http().method() != "HEAD") return false;
  asked.exchange.respond(200, {}, type, {{"Cache-Control", "no-store"}});
  return true;
}

// Says whether a request to the route can have query parameters or a body. If a request has query
// parameters or a body that its route does not take, Api refuses the request.
enum class Takes {
  Nothing,
  Query,  // the route checks the names of the parameters itself
  Body,   // the route checks the members itself
};

template <class Subject>
struct Route {
  std::string_view path;  // the path; a segment `*` stands for any id
  std::string_view method;
  Scope scope;
  // The request object stays valid until the response to the request is complete.
  awaitable<void> (Subject::*answer)(const Asked&);
  identity::Scopes instead = {};  // a client with one of these scopes is accepted too
  Takes takes = Takes::Nothing;
};

}  // namespace host::rest
