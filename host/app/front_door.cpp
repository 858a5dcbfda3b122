#include "app/front_door.h"

#include <utility>
#include <variant>

namespace host::app {

// Nothing: it is for everybody, and tells nothing of what the host has.
std::optional<identity::Scope> FrontDoor::needed_for(std::string_view path) const {
  if (admin::Page::serves(path) || path == "/healthz" || path == "/readyz") return std::nullopt;
  if (const auto scope = api_.scope_of(path)) return scope;
  return identity::Scope::Call;
}

std::optional<transport::HttpRefusal> FrontDoor::admit(const transport::HttpRequest& http) {
  const auto needed = needed_for(http.path());
  if (!needed) return std::nullopt;
  auto found = authenticator_.admit(http, *needed);
  if (auto* const refusal = std::get_if<transport::HttpRefusal>(&found)) return std::move(*refusal);
  return std::nullopt;
}

boost::asio::awaitable<void> FrontDoor::handle(transport::HttpExchange& exchange) {
  const transport::HttpRequest& http = exchange.request();
  if (admin::Page::serves(http.path())) {
    co_await page_.handle(exchange);
    co_return;
  }
  if (!api_.scope_of(http.path())) {
    co_await behind_.handle(exchange);
    co_return;
  }
  // Again, because a body may have taken long enough for a key to be revoked.
  auto found = authenticator_.admit(http, *api_.scope_of(http.path()));
  if (auto* const refusal = std::get_if<transport::HttpRefusal>(&found)) {
    co_return exchange.respond(refusal->status, std::move(refusal->body), "application/json",
                               std::move(refusal->headers));
  }
  const auto visitor = std::get<identity::Visitor>(std::move(found));
  co_await api_.handle(exchange, visitor);
}

}  // namespace host::app
