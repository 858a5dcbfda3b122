#include "app/front_door.h"

#include <charconv>
#include <cstdint>
#include <utility>
#include <variant>

#include "session/http_endpoint.h"
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
  if (identity::ProtectedResource::is_metadata_path(path)) return std::nullopt;
  if (const auto scope = api_.scope_of(path)) return scope;
  return identity::Scope::Call;
}

// The endpoint of an agent is for keys made for it and for administrators, where it needs a key;
// and such a key is for nothing that is another agent's.
std::optional<transport::HttpRefusal> FrontDoor::agent_refusal(const identity::Visitor& visitor,
                                                               std::string_view path) const {
  const auto refusal = [](int status, std::string_view kind, const std::string& why) {
    transport::HttpRefusal out{status, transport::error_json(kind, why), {}};
    if (status == 401) out.headers.emplace_back("WWW-Authenticate", R"(Bearer realm="toolpost")");
    return out;
  };
  const std::string_view named = session::agent_in_path(path).value_or("");
  if (!visitor.agent.empty()) {
    if (!config::agent(config_, visitor.agent)) {
      return refusal(403, "denied",
                     "the agent \"" + visitor.agent + "\" of this key is not configured any more");
    }
    if (named.empty() || named == visitor.agent) return std::nullopt;
    return refusal(403, "denied", "this key is for the agent \"" + visitor.agent + "\"");
  }
  const config::Agent* const profile = config::agent(config_, named);
  const bool admin = visitor.principal.scopes.has(identity::Scope::Admin);
  if (!profile || !profile->needs_key || admin) return std::nullopt;
  const bool nobody = visitor.way == identity::Way::Anonymous;
  return refusal(nobody ? 401 : 403, nobody ? "unauthorized" : "denied",
                 "this endpoint needs a key of its agent: `toolpost key new NAME --agent " +
                     std::string(named) + "` makes one");
}

FrontDoor::Admission FrontDoor::let_in(const transport::HttpRequest& http, identity::Scope needed) {
  Admission found = authenticator_.admit(http, needed);
  if (const auto* const visitor = std::get_if<identity::Visitor>(&found)) {
    if (auto refusal = agent_refusal(*visitor, http.path())) return *std::move(refusal);
  }
  return found;
}

std::optional<tool::Peer> FrontDoor::sender_of(const transport::HttpRequest& http) {
  auto found = let_in(http, identity::Scope::Call);
  auto* const visitor = std::get_if<identity::Visitor>(&found);
  if (!visitor) return std::nullopt;
  const auto named = session::agent_in_path(http.path());
  return tool::Peer{std::move(visitor->principal.name),
                    named && !named->empty() ? std::string(*named) : std::move(visitor->agent)};
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
  auto found = let_in(http, *needed);
  if (auto* const refusal = std::get_if<transport::HttpRefusal>(&found)) return std::move(*refusal);
  return std::nullopt;
}

// For everybody: whoever reads it has no token yet.
void FrontDoor::tell_resource(transport::HttpExchange& exchange) const {
  const transport::HttpRequest& http = exchange.request();
  if (!resource_ || !resource_->has_metadata_at(http.path())) {
    transport::answer_error(exchange, 404, "not_found", "no such path");
  } else if (http.method() != "GET" && http.method() != "HEAD") {
    transport::answer_wrong_method(exchange, "GET, HEAD");
  } else {
    transport::answer_json(exchange, 200, resource_->metadata());
  }
}

boost::asio::awaitable<void> FrontDoor::handle(transport::HttpExchange& exchange) {
  const transport::HttpRequest& http = exchange.request();
  if (admin::Page::serves(http.path())) {
    co_await page_.handle(exchange);
    co_return;
  }
  if (identity::ProtectedResource::is_metadata_path(http.path())) co_return tell_resource(exchange);
  if (!api_.scope_of(http.path())) {
    co_await behind_.handle(exchange);
    co_return;
  }
  // Again, because a body may have taken long enough for a key to be revoked.
  auto found = let_in(http, *api_.scope_of(http.path()));
  if (auto* const refusal = std::get_if<transport::HttpRefusal>(&found)) {
    co_return exchange.respond(refusal->status, std::move(refusal->body), "application/json",
                               std::move(refusal->headers));
  }
  const auto visitor = std::get<identity::Visitor>(std::move(found));
  co_await api_.handle(exchange, visitor);
}

}  // namespace host::app
