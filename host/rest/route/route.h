// The routes of one subject are one class: it lists them in routes(), and answers each by a member
// function. Api (api.h) joins the tables of all subjects when it is compiled.
//
//   class SkillRoutes {
//    public:
//     explicit SkillRoutes(const Services& services) : services_(services) {}
//     static constexpr auto routes() {
//       return std::array{Route{"/v1/skills", "GET", Scope::Call, &SkillRoutes::list}};
//     }
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

// A request and its sender.
struct Asked {
  transport::HttpExchange& exchange;
  const identity::Visitor& visitor;
  std::vector<std::string> ids;  // one for each `*` of the route's path, in order

  const std::string& id() const { return ids.front(); }
  const transport::HttpRequest& http() const { return exchange.request(); }
};

// Who sent a request, for records: "page:anna", "rest:anna".
inline std::string way_of(const Asked& asked) {
  const bool page = asked.visitor.way == identity::Way::Login;
  return (page ? "page:" : "rest:") + asked.visitor.principal.name;
}

// For lists, once the request is known to be valid: a HEAD is answered at once, and without a
// length, because nothing is read for it. False: it is a GET.
inline bool answers_head(const Asked& asked) {
  if (asked.http().method() != "HEAD") return false;
  asked.exchange.respond(200, {}, "application/json", {{"Cache-Control", "no-store"}});
  return true;
}

template <class Subject>
struct Route {
  std::string_view path;  // a segment `*` is an id
  std::string_view method;
  Scope scope;
  // The request stays valid until the answer has ended.
  awaitable<void> (Subject::*answer)(const Asked&);
  identity::Scopes instead = {};  // each of these scopes is also enough
};

}  // namespace host::rest
