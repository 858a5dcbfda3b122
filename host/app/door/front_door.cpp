#include "app/door/front_door.h"

#include <charconv>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "mcp/http/endpoint.h"
#include "transport/http/json_answer.h"

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

constexpr std::string_view kMetrics = "/metrics";

bool is_watching(std::string_view path) {
  return path == "/healthz" || path == "/readyz";
}

}  // namespace

FrontDoor::Way FrontDoor::way_of(const transport::HttpRequest& http) {
  const std::string_view path = http.path();
  if (admin::Page::serves(path)) return {Way::To::Page, std::nullopt};
  if (is_watching(path)) return {Way::To::Behind, std::nullopt};
  if (identity::ProtectedResource::is_metadata_path(path)) return {Way::To::Metadata, std::nullopt};
  if (rest::FileContent::serves(path)) return {Way::To::FileContent, std::nullopt};
  if (const auto scope = rest::Api::scope_of(http.method(), path))
    return {Way::To::Rest, scope, rest::Api::instead_of(http.method(), path)};
  // An agent may be called "v1".
  if (rest::Api::is_below(path) && !mcp::agent_in_path(path))
    return {Way::To::Rest, identity::Scope::Call, identity::kEveryScope};
  if (path == kMetrics) return {Way::To::Behind, identity::Scope::Call, identity::Scope::Admin};
  return {Way::To::Behind, identity::Scope::Call};
}

// The endpoint of an agent is for keys made for it and for administrators, where it needs a key;
// and such a key is for nothing that is another agent's.
std::optional<transport::HttpRefusal> FrontDoor::agent_refusal(const identity::Visitor& visitor,
                                                               std::string_view path,
                                                               std::string_view named) const {
  using transport::Problem;
  const auto refusal = [](Problem problem, const std::string& why) {
    transport::HttpRefusal out{problem, why, {}};
    if (problem == Problem::Unauthorized)
      out.headers.emplace_back("WWW-Authenticate", R"(Bearer realm="toolpost")");
    return out;
  };
  if (!visitor.agent.empty()) {
    if (!config::agent(config_, visitor.agent)) {
      return refusal(Problem::Denied,
                     "the agent \"" + visitor.agent + "\" of this key is not configured any more");
    }
    if (path == kMetrics) {
      return refusal(Problem::Denied,
                     "this key is for the agent \"" + visitor.agent +
                         "\", and the figures name tools and plugins of all agents: use a key "
                         "without an agent");
    }
    if (named.empty() || named == visitor.agent) return std::nullopt;
    return refusal(Problem::Denied, "this key is for the agent \"" + visitor.agent + "\"");
  }
  const config::Agent* const profile = config::agent(config_, named);
  const bool admin = visitor.principal.scopes.has(identity::Scope::Admin);
  if (!profile || !profile->needs_key || admin) return std::nullopt;
  const bool nobody = visitor.way == identity::Way::Anonymous;
  return refusal(nobody ? Problem::Unauthorized : Problem::Denied,
                 "this endpoint needs a key of its agent: `toolpost key new NAME --agent " +
                     std::string(named) + "` makes one");
}

FrontDoor::Admission FrontDoor::let_in(const transport::HttpRequest& http, identity::Scope needed,
                                       identity::Scopes instead) const {
  auto found = authenticator_.identify(http, needed);
  if (auto* const refusal = std::get_if<transport::HttpRefusal>(&found))
    return {nullptr, std::move(*refusal)};
  auto sender = std::make_shared<Sender>();
  sender->visitor = std::get<identity::Visitor>(std::move(found));
  const identity::Visitor& visitor = sender->visitor;
  sender->who.principal = visitor.principal.name;
  if (auto refusal = authenticator_.scope_refusal(visitor, needed, instead))
    return {std::move(sender), std::move(refusal)};
  const auto path = mcp::mcp_path(http.path()).value_or(mcp::McpPath());
  const session::SessionPtr session =
      path.session.empty() ? nullptr : sessions_.find(path.session, visitor.principal.name);
  std::string_view agent = path.agent;
  if (session && agent.empty() && visitor.agent.empty()) agent = session->agent;
  if (auto refusal = agent_refusal(visitor, http.path(), agent))
    return {std::move(sender), std::move(refusal)};
  sender->who.agent = agent.empty() ? visitor.agent : std::string(agent);
  if (session && session->agent == sender->who.agent) sender->who.session = session->id;
  sender->who.credential = credential_of(visitor);
  sender->who.may_send_context = visitor.principal.scopes.has(identity::Scope::Context);
  return {std::move(sender), std::nullopt};
}

FrontDoor::Admission FrontDoor::admitted(const transport::HttpRequest& http, identity::Scope needed,
                                         identity::Scopes instead) const {
  // A body may take long enough for a key to be revoked.
  auto sender = std::dynamic_pointer_cast<const Sender>(http.sender());
  if (sender && authenticator_.still_admits(sender->visitor)) return {sender, std::nullopt};
  return let_in(http, needed, instead);
}

std::optional<tool::Peer> FrontDoor::sender_of(const transport::HttpRequest& http) {
  const Admission found = admitted(http, identity::Scope::Call);
  if (found.refusal) return std::nullopt;
  tell_sender(*found.sender);
  return found.sender->who;
}

RequestRates::Counted FrontDoor::count_more(const transport::HttpRequest& http) {
  const Admission found{std::dynamic_pointer_cast<const Sender>(http.sender()), std::nullopt};
  return rates_.count(client_of(http, way_of(http), found));
}

void FrontDoor::tell_sender(const Sender& sender) const {
  if (!on_sender_) return;
  on_sender_(sender.who, sender.visitor.principal.scopes.has(identity::Scope::Call));
}

bool FrontDoor::may_stream(const transport::HttpRequest& http) const {
  return rest::FileContent::may_stream(http);
}

transport::ErrorForm FrontDoor::error_form(std::string_view path) const {
  const bool mcp = mcp::agent_in_path(path).has_value();
  const bool rest = admin::Page::serves(path) || is_watching(path) || path == "/metrics" ||
                    identity::ProtectedResource::is_metadata_path(path) ||
                    rest::Api::is_below(path);
  return rest && !mcp ? transport::ErrorForm::Rest : transport::ErrorForm::JsonRpc;
}

RequestRates::Client FrontDoor::client_of(const transport::HttpRequest& http, const Way& way,
                                          const Admission& found) const {
  RequestRates::Client client{{}, http.remote(), {}};
  if (!found.sender) return client;
  const tool::Peer& who = found.sender->who;
  if (found.sender->visitor.way != identity::Way::Anonymous) client.principal = who.principal;
  if (found.refusal) return client;  // the agent has not sent it
  client.agent = who.agent;
  if (way.to != Way::To::Rest || !client.agent.empty()) return client;
  const auto session = sessions_.find(rest::Api::session_in(http.path()), who.principal);
  if (session) client.agent = session->agent;
  return client;
}

transport::Admission FrontDoor::admit(const transport::HttpRequest& http) {
  transport::Admission admission;
  const Way way = way_of(http);
  if (way.to == Way::To::FileContent) return files_.admit(http);
  if (!way.needed) {
    admission.essential = true;
    if (is_more_than_a_login(http)) {
      admission.refusal = transport::HttpRefusal{
          transport::Problem::TooLarge, "a request without a key may have 4096 bytes here", {}};
    }
    return admission;
  }
  Admission found = let_in(http, *way.needed, way.instead);
  RequestRates::Counted counted = rates_.count(client_of(http, way, found));
  if (!found.refusal) {
    if (found.sender->visitor.way != identity::Way::Anonymous)
      admission.principal = found.sender->who.principal;
    admission.sender = found.sender;
  }
  admission.refusal = std::move(counted.refusal ? counted.refusal : found.refusal);
  admission.headers = std::move(counted.headers);
  return admission;
}

// For everybody: whoever reads it has no token yet.
void FrontDoor::tell_resource(transport::HttpExchange& exchange) const {
  const transport::HttpRequest& http = exchange.request();
  if (!resource_ || !resource_->has_metadata_at(http.path())) {
    transport::answer_error(exchange, transport::Problem::NotFound, "no such path");
  } else if (http.method() != "GET" && http.method() != "HEAD") {
    transport::answer_wrong_method(exchange, "GET");
  } else {
    transport::answer_json(exchange, 200, resource_->metadata());
  }
}

boost::asio::awaitable<void> FrontDoor::handle(transport::HttpExchange& exchange) {
  const transport::HttpRequest& http = exchange.request();
  const Way way = way_of(http);
  if (stopping_ && !is_watching(http.path())) {
    co_return transport::answer_refusal(exchange,
                                        {transport::Problem::Unavailable,
                                         "this host is stopping: retry later",
                                         {{"Retry-After", "5"}}},
                                        error_form(http.path()));
  }
  if (way.to == Way::To::Page) {
    co_await page_.handle(exchange);
    co_return;
  }
  if (way.to == Way::To::Metadata) co_return tell_resource(exchange);
  if (way.to == Way::To::FileContent) {
    co_await files_.handle(exchange);
    co_return;
  }
  if (!way.needed) {
    co_await behind_.handle(exchange);
    co_return;
  }
  // Again, because its credential may have ended while its body arrived.
  const Admission found = admitted(http, *way.needed, way.instead);
  if (found.refusal) {
    co_return transport::answer_refusal(exchange, *found.refusal, error_form(http.path()));
  }
  if (way.to == Way::To::Behind) {
    co_await behind_.handle(exchange);
    co_return;
  }
  tell_sender(*found.sender);
  co_await api_.handle(exchange, found.sender->visitor);
}

}  // namespace host::app
