#include "admin/page.h"

#include <optional>
#include <utility>
#include <variant>

#include "admin/login_request.h"
#include "base/digest.h"
#include "json/object_text.h"
#include "transport/http/json_answer.h"

namespace host::admin {
namespace {

using boost::asio::awaitable;
using identity::Principal;
using transport::HttpExchange;
using transport::HttpRequest;

constexpr std::string_view kLoginPath = "/v1/login";

// Nothing but what this host serves, no script in the text of a page, nobody's frame.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'";

std::string list_of(identity::Scopes scopes) {
  std::vector<std::string> words;
  for (const identity::Scope scope : {identity::Scope::Call, identity::Scope::Approve,
                                      identity::Scope::Admin, identity::Scope::Context}) {
    if (scopes.has(scope)) words.emplace_back(to_string(scope));
  }
  return json::list_of(words);
}

// `page_secret` empty: it was told before, and nothing tells it again.
std::string as_json(const Principal& principal, std::string_view page_secret = {}) {
  std::string out = "{";
  json::add_text(out, "principal", principal.name);
  json::add_member(out, "scopes", list_of(principal.scopes));
  if (!page_secret.empty()) json::add_text(out, "secret", page_secret);
  return out + "}";
}

std::string cookie(const HttpRequest& http, std::string_view secret,
                   std::chrono::milliseconds lasts) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(lasts).count();
  return identity::login_cookie_name(http) + "=" + std::string(secret) +
         "; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=" + std::to_string(seconds);
}

// Of the routes of logins, only POST /v1/login takes a body, and none takes parameters.
std::optional<Error> fault_of_login_route(const HttpRequest& http) {
  if (http.path() != kLoginPath && !Logins::serves(http.path())) return std::nullopt;
  if (!http.query().empty())
    return Error{ErrorKind::InvalidArgument, "unknown parameter: this route takes none"};
  if (http.method() == "POST" || http.body().empty() || http.body() == "{}") return std::nullopt;
  return Error{ErrorKind::InvalidArgument, "unknown member: this request takes no body"};
}

}  // namespace

Page::Page(std::shared_ptr<identity::Identities> identities, identity::Authenticator& authenticator,
           store::Audit& audit, std::chrono::milliseconds login_lasts, std::filesystem::path folder)
    : identities_(std::move(identities)),
      authenticator_(authenticator),
      audit_(audit),
      login_lasts_(login_lasts),
      logins_(identities_, authenticator, audit),
      files_(std::move(folder)) {}

bool Page::serves(std::string_view path) {
  return path == "/" || path == kLoginPath || Logins::serves(path) || path.starts_with("/page/");
}

awaitable<void> Page::handle(HttpExchange& exchange) {
  const HttpRequest& http = exchange.request();
  const std::string_view method = http.method();
  const bool reads = method == "GET" || method == "HEAD";
  if (const auto fault = fault_of_login_route(http))
    co_return transport::answer_error(exchange, *fault);
  if (Logins::serves(http.path())) {
    co_await logins_.handle(exchange);
  } else if (http.path() != kLoginPath) {
    reads ? answer_file(exchange) : transport::answer_wrong_method(exchange, "GET");
  } else if (reads) {
    show_login(exchange);
  } else if (method == "POST") {
    co_await log_in(exchange);
  } else if (method == "DELETE") {
    co_await log_out(exchange);
  } else {
    transport::answer_wrong_method(exchange, "GET, POST, DELETE");
  }
}

void Page::answer_file(HttpExchange& exchange) const {
  const HttpRequest& http = exchange.request();
  auto file = files_.find(http.path());
  if (!file) return transport::answer_error(exchange, transport::Problem::NotFound, "no such file");
  const std::string tag = "\"" + to_hex(sha256(file->text)).substr(0, 32) + "\"";
  const char* const kept = file->lasts ? "public, max-age=31536000, immutable" : "no-cache";
  transport::Headers headers = {{"ETag", tag},
                                {"Cache-Control", kept},
                                {"Content-Security-Policy", kPolicy},
                                {"X-Frame-Options", "DENY"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cross-Origin-Opener-Policy", "same-origin"},
                                {"Cross-Origin-Resource-Policy", "same-origin"}};
  if (http.header("If-None-Match") == tag) {
    return exchange.respond(304, {}, {}, std::move(headers));
  }
  exchange.respond(200, std::move(file->text), content_type_of(http.path()), std::move(headers));
}

void Page::show_login(HttpExchange& exchange) {
  const HttpRequest& http = exchange.request();
  const auto found = authenticator_.identify(http);
  const auto* const visitor = std::get_if<identity::Visitor>(&found);
  if (!visitor || visitor->way != identity::Way::Login) {
    return transport::answer_error(exchange, transport::Problem::Unauthorized, "not logged in");
  }
  transport::answer_json(exchange, 200, as_json(visitor->principal));
}

awaitable<void> Page::log_in(HttpExchange& exchange) {
  const HttpRequest& http = exchange.request();
  if (!identity::is_from_own_page(http)) {
    co_return transport::answer_error(exchange, transport::Problem::Denied,
                                      "this request does not come from the page of this host");
  }
  if (!identities_) {
    co_return transport::answer_error(exchange, transport::Problem::Unavailable,
                                      "this host keeps no logins: store.file is empty");
  }
  auto shown = read_login_request(http);
  if (!shown) co_return transport::answer_error(exchange, shown.error());
  const bool by_link = !shown->link.empty();
  if (const auto wait = by_link ? std::nullopt : identities_->too_soon_for(shown->key)) {
    co_return transport::answer_error(exchange, transport::Problem::LimitReached,
                                      "this key made too many logins within a minute: wait",
                                      {{"Retry-After", std::to_string(wait->count())}});
  }
  auto entering = by_link ? identities_->log_in_by_link(std::move(shown->link))
                          : identities_->log_in_by_key(std::move(shown->key));
  const auto login = co_await std::move(entering);
  const std::string_view way = by_link ? "link" : "key";
  if (login) {
    audit_.note(store::AuditEvent::Login, {{"principal", login->principal.name},
                                           {"way", way},
                                           {"address", http.remote()},
                                           {"outcome", "ok"}});
    co_return transport::answer_json(exchange, 200, as_json(login->principal, login->page_secret),
                                     {{"Set-Cookie", cookie(http, login->cookie, login_lasts_)}});
  }
  if (login.error().kind != ErrorKind::Denied) {
    co_return transport::answer_error(exchange, login.error());
  }
  // Past the bound nothing is noted either: strangers cannot fill the disk.
  if (authenticator_.failed(http.remote())) {
    co_return transport::answer_error(exchange, transport::Problem::TooManyAttempts,
                                      "too many tries to come in: wait a minute");
  }
  audit_.note(store::AuditEvent::Login,
              {{"way", way}, {"address", http.remote()}, {"outcome", "denied"}});
  transport::answer_error(exchange, transport::Problem::Unauthorized, login.error().message);
}

awaitable<void> Page::log_out(HttpExchange& exchange) {
  const HttpRequest& http = exchange.request();
  auto found = authenticator_.identify(http);
  if (auto* const refusal = std::get_if<transport::HttpRefusal>(&found)) {
    co_return transport::answer_refusal(exchange, *refusal);
  }
  const auto& visitor = std::get<identity::Visitor>(found);
  if (visitor.way != identity::Way::Login) {
    co_return transport::answer_error(exchange, transport::Problem::Unauthorized, "not logged in");
  }
  const auto done = co_await identities_->end_login(visitor.login);
  if (!done) co_return transport::answer_error(exchange, done.error());
  audit_.note(store::AuditEvent::Logout,
              {{"principal", visitor.principal.name}, {"address", http.remote()}});
  exchange.respond(204, {}, {}, {{"Set-Cookie", cookie(http, "", std::chrono::milliseconds(0))}});
}

}  // namespace host::admin
