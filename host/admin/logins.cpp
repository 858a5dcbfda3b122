#include "admin/logins.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "identity/scopes.h"
#include "json/object_text.h"
#include "transport/http/json_answer.h"

namespace host::admin {
namespace {

using boost::asio::awaitable;
using identity::Scope;
using identity::Scopes;
using identity::Visitor;
using identity::Way;
using store::LoginRecord;
using transport::HttpExchange;

constexpr std::string_view kPath = "/v1/logins";
constexpr std::size_t kMostListed = 1000;

// By a key, a token or a login: who shows nothing has no logins, and a model has an agent's key.
bool is_somebody(const Visitor& visitor) {
  return visitor.way != Way::Anonymous && visitor.agent.empty();
}

bool sees(const Visitor& visitor, const LoginRecord& login) {
  const Scopes own = visitor.principal.scopes;
  if (own.has(Scope::Admin)) return true;
  return login.principal == visitor.principal.name && (login.scopes | own.bits()) == own.bits();
}

std::string as_json(const LoginRecord& login, const Visitor& visitor) {
  std::string out = "{";
  json::add_text(out, "id", login.id);
  json::add_text(out, "principal", login.principal);
  json::add_text(out, "scopes", to_text(Scopes(login.scopes)));
  if (!login.key.empty()) json::add_text(out, "key", login.key);
  json::add_text(out, "created", to_rfc3339(login.created));
  json::add_text(out, "expires", to_rfc3339(login.expires));
  json::add_bool(out, "this", login.id == visitor.login);
  return out + "}";
}

}  // namespace

bool Logins::serves(std::string_view path) {
  return path == kPath || (path.starts_with(kPath) && path[kPath.size()] == '/');
}

awaitable<void> Logins::handle(HttpExchange& exchange) {
  const transport::HttpRequest& http = exchange.request();
  auto found = authenticator_.identify(http);
  if (auto* const refusal = std::get_if<transport::HttpRefusal>(&found))
    co_return transport::answer_refusal(exchange, *refusal);
  const Visitor visitor = std::get<Visitor>(std::move(found));
  if (!identities_ || !is_somebody(visitor)) {
    co_return transport::answer_error(exchange, transport::Problem::Unauthorized,
                                      "this needs a login to the page, or a key");
  }
  const std::string_view method = http.method();
  const bool one = http.path() != kPath;
  if (method == "DELETE" && one) {
    co_await end_one(exchange, visitor, std::string(http.path().substr(kPath.size() + 1)));
  } else if (method == "DELETE") {
    co_await end_all(exchange, visitor);
  } else if ((method == "GET" || method == "HEAD") && !one) {
    list(exchange, visitor);
  } else {
    transport::answer_wrong_method(exchange, one ? "DELETE" : "GET, DELETE");
  }
}

void Logins::list(HttpExchange& exchange, const Visitor& visitor) const {
  std::string out = "[";
  std::size_t listed = 0;
  bool more = false;
  for (const LoginRecord& login : identities_->keyring().logins()) {
    if (!sees(visitor, login)) continue;
    more = listed == kMostListed;
    if (more) break;
    out += (listed++ ? "," : "") + as_json(login, visitor);
  }
  std::string answer = "{\"logins\":" + out + "]";
  json::add_bool(answer, "more", more);
  transport::answer_json(exchange, 200, answer + "}");
}

awaitable<void> Logins::end_one(HttpExchange& exchange, const Visitor& visitor, std::string id) {
  const auto logins = identities_->keyring().logins();
  const auto at = std::find_if(logins.begin(), logins.end(), [&](const LoginRecord& login) {
    return login.id == id && sees(visitor, login);
  });
  if (at == logins.end())
    co_return transport::answer_error(exchange, transport::Problem::NotFound,
                                      "there is no such login");
  const auto done = co_await identities_->end_login(id);
  if (!done) co_return transport::answer_error(exchange, done.error());
  audit_.note(store::AuditEvent::Logout, {{"principal", at->principal},
                                          {"login", id},
                                          {"by", visitor.principal.name},
                                          {"address", exchange.request().remote()}});
  exchange.respond(204, {}, {});
}

// "Log out everywhere": this login too. Those with more rights stay, because a model can have a key
// of its person that may less; the answer says how many they are.
awaitable<void> Logins::end_all(HttpExchange& exchange, const Visitor& visitor) {
  const std::string principal = visitor.principal.name;
  const auto ended = co_await identities_->end_logins(principal, visitor.principal.scopes);
  if (!ended) co_return transport::answer_error(exchange, ended.error());
  audit_.note(store::AuditEvent::Logout, {{"principal", principal},
                                          {"login", "all"},
                                          {"by", principal},
                                          {"address", exchange.request().remote()}});
  const auto logins = identities_->keyring().logins();
  const auto left = std::count_if(logins.begin(), logins.end(), [&](const LoginRecord& login) {
    return login.principal == principal;
  });
  transport::answer_json(
      exchange, 200,
      "{\"ended\":" + std::to_string(*ended) + ",\"left\":" + std::to_string(left) + "}");
}

}  // namespace host::admin
