#include "app/front_door.h"

#include <charconv>
#include <cstdint>
#include <utility>
#include <variant>

#include "transport/json_answer.h"

namespace host::app {
namespace {

constexpr std::uint64_t kOfStrangers = 4096;  // bytes of a body, enough for a login

bool is_more_than_a_login(const transport::HttpRequest& http) {
  if (http.header("Transfer-Encoding").data()) return true;
  const std::string_view length = http.header("Content-Length");
  std::uint64_t bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(),
                  bytes);  // the parser has checked it
  return bytes > kOfStrangers;
}

}  // namespace

// Nothing: it is for everybody, and tells nothing of what the host has.
std::optional<identity::Scope> FrontDoor::needed_for(std::string_view path) const {
  if (admin::Page::serves(path) || path == "/healthz" || path == "/readyz") return std::nullopt;
  if (const auto scope = api_.scope_of(path)) return scope;
  return identity::Scope::Call;
}

std::optional<transport::HttpRefusal> FrontDoor::admit(const transport::HttpRequest& http) {
  const auto needed = needed_for(http.path());
  if (!needed && is_more_than_a_login(http)) {
    return transport::HttpRefusal{
        413,
        transport::error_json("too_large", "nothing here takes so much of who is not known"),
        {}};
  }
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
