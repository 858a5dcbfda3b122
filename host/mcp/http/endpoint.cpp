#include "mcp/http/endpoint.h"

#include <utility>

#include "mcp/http/answers.h"
#include "protocol/message_limits.h"
#include "transport/address_owner.h"
#include "transport/http/json_answer.h"

namespace host::mcp {
namespace {

using protocol::Fault;
using protocol::Kind;
using protocol::Message;
using transport::HttpExchange;
using transport::HttpRequest;

constexpr std::string_view kPath = "/mcp";
constexpr std::string_view kSessionPath = "/mcp/s/";
constexpr std::string_view kNoSuchPath =
    "no such path: MCP is served at /mcp, at /NAME/mcp for an agent of this name, and below each "
    "of "
    "them at /s/SESSION for a session";

// Of a field that mirrors the body, or names the session.
Fault contradiction(const HttpRequest& http, protocol::Id id) {
  return {protocol::kHeaderMismatch,
          "the header " + std::string(http.contradicting_field()) +
              " came more than once with different values",
          std::move(id),
          {}};
}

void refuse_method(HttpExchange& exchange, std::string allowed) {
  exchange.respond(405, protocol::error_text({}, protocol::kInvalidRequest, "use POST"),
                   "application/json", {{"Allow", std::move(allowed)}});
}

}  // namespace

std::optional<McpPath> mcp_path(std::string_view path) {
  McpPath found;
  if (const std::size_t at = path.find(kSessionPath); at != path.npos) {
    found.session = path.substr(at + kSessionPath.size());
    if (found.session.empty() || found.session.find('/') != path.npos) return std::nullopt;
    path = path.substr(0, at + kPath.size());
  }
  if (!path.ends_with(kPath)) return std::nullopt;
  path.remove_suffix(kPath.size());
  if (path.empty()) return found;
  if (path.front() != '/' || path.size() == 1 || path.find('/', 1) != path.npos)
    return std::nullopt;
  found.agent = path.substr(1);
  return found;
}

std::optional<std::string_view> agent_in_path(std::string_view path) {
  const auto found = mcp_path(path);
  return found ? std::optional(found->agent) : std::nullopt;
}

HttpEndpoint::HttpEndpoint(Methods& methods, Identify identify, CountRequest count)
    : methods_(methods),
      identify_(std::move(identify)),
      modern_(methods, streams_),
      legacy_(methods, streams_, std::move(count)) {}

tool::Peer HttpEndpoint::sender_of(const HttpRequest& http) const {
  return identify_ ? identify_(http) : tool::Peer{};
}

bool HttpEndpoint::serves(std::string_view path) const {
  const auto agent = agent_in_path(path);
  return agent && (agent->empty() || config::agent(methods_.config(), *agent));
}

awaitable<void> HttpEndpoint::handle(HttpExchange& exchange) {
  const HttpRequest& http = exchange.request();
  if (!http.contradicting_field().empty() && http.method() != "POST") {
    refuse(exchange, 400, contradiction(http, {}));
  } else if (!serves(http.path())) {
    refuse(exchange, 404, protocol::kInvalidRequest, std::string(kNoSuchPath));
  } else if (!mcp_path(http.path())->session.empty() && sender_of(http).session.empty()) {
    refuse(exchange, 404, protocol::kSessionNotFound,
           "Session not found: it has ended, or belongs to another principal or agent");
  } else if (http.method() == "POST") {
    co_await post(exchange);
  } else if (!has(http, kSessionHeader) && protocol::is_modern_name(http.header(kVersionHeader))) {
    refuse_method(exchange, "POST");
  } else if (http.method() == "GET") {
    legacy_.get(exchange, sender_of(http));
  } else if (http.method() == "DELETE") {
    legacy_.remove(exchange, sender_of(http));
  } else {
    refuse_method(exchange, "GET, POST, DELETE");
  }
}

awaitable<void> HttpEndpoint::post(HttpExchange& exchange) {
  const HttpRequest& http = exchange.request();
  if (!transport::is_json_type(http.header("Content-Type"))) {
    refuse(exchange, 415, protocol::kInvalidRequest, "Content-Type must be application/json");
    co_return;
  }
  json::Limits limits;
  limits.depth = methods_.config().limits.json_depth;
  limits.nodes = protocol::kMostValues;
  auto tree = json::parse(http.body(), limits);
  if (!tree) {
    refuse(exchange, 400, protocol::kParseError, "not JSON: " + tree.error().message,
           protocol::id_of_refused(http.body(), methods_.config().limits.id_bytes));
    co_return;
  }
  if (tree->root().IsArray()) {
    if (!http.contradicting_field().empty()) {
      refuse(exchange, 400, contradiction(http, {}));
      co_return;
    }
    co_await legacy_.batch(exchange, *std::move(tree), sender_of(http));
    co_return;
  }
  auto read = protocol::read_message(tree->root(), methods_.config().limits.id_bytes);
  if (const auto* fault = std::get_if<Fault>(&read)) {
    refuse(exchange, 400, *fault);
    co_return;
  }
  if (!http.contradicting_field().empty()) {
    refuse(exchange, 400, contradiction(http, std::get<Message>(read).id));
    co_return;
  }
  co_await post_one(exchange, *std::move(tree), std::get<Message>(std::move(read)));
}

awaitable<void> HttpEndpoint::post_one(HttpExchange& exchange, json::Document tree,
                                       Message message) {
  const HttpRequest& http = exchange.request();
  Request request;
  request.envelope = protocol::read_envelope(message.params);
  take_trace(http, request.envelope);
  request.message = std::move(message);
  request.tree = std::move(tree);
  request.who = sender_of(http);
  request.code = http.header(kCodeHeader);
  request.remote = http.remote();
  request.connection = transport::owner_of_address(http.remote());
  request.http = true;

  const protocol::Id& id = request.message.id;
  const bool modern_header = protocol::is_modern_name(http.header(kVersionHeader));
  const bool claims = request.envelope.claims();
  if (request.message.kind == Kind::Notification && (claims || modern_header)) {
    modern_.notification(exchange, request.message);
  } else if (claims && request.message.kind == Kind::Request) {
    co_await modern_.post(exchange, std::move(request));
  } else if (!modern_header) {
    co_await legacy_.post(exchange, request);
  } else if (request.message.kind == Kind::Response) {
    refuse(exchange, 400, protocol::kInvalidRequest, "clients of this version send no responses");
  } else if (methods_.initializes(request.message)) {
    refuse(exchange, 400, protocol::kHeaderMismatch,
           "initialize does not exist in the version that MCP-Protocol-Version names", id);
  } else {
    refuse(exchange, 400, protocol::kInvalidParams, *protocol::envelope_fault(request.envelope),
           id);
  }
}

void HttpEndpoint::end_session(const std::string& id) {
  modern_.end_of([&id](const tool::Peer& who) { return who.session == id; });
  legacy_.end_session(id);
}

void HttpEndpoint::session_used(std::string_view id) {
  legacy_.session_used(id);
}

void HttpEndpoint::session_changed(const std::string& id) {
  modern_.session_changed(id);
  legacy_.session_changed(id);
}

void HttpEndpoint::end_of(const Whose& whose) {
  modern_.end_of(whose);
  legacy_.end_of(whose);
}

void HttpEndpoint::close_streams_of(const Whose& whose) {
  modern_.end_of(whose);
  legacy_.close_streams_of(whose);
}

void HttpEndpoint::stop() {
  modern_.stop();
  legacy_.stop();
}

}  // namespace host::mcp
