#include "session/http_endpoint.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <utility>
#include <vector>

#include "base/log.h"
#include "protocol/mirrored_headers.h"
#include "session/listen.h"
#include "session/one_shot.h"

namespace host::session {
namespace {

using protocol::Fault;
using protocol::Kind;
using protocol::Message;
using transport::HttpExchange;
using transport::HttpRequest;

constexpr std::string_view kPath = "/mcp";
constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";

void refuse(HttpExchange& exchange, int status, const Fault& fault) {
  exchange.respond(status, protocol::error_text(fault));
}

void refuse(HttpExchange& exchange, int status, int code, std::string message,
            protocol::Id id = {}) {
  refuse(exchange, status, Fault{code, std::move(message), std::move(id), {}});
}

void accept(HttpExchange& exchange) {
  exchange.respond(202, {}, {});
}

bool is_json(std::string_view content_type) {
  std::string type(content_type.substr(0, content_type.find_first_of("; \t")));
  for (char& c : type) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return type == "application/json";
}

bool has(const HttpRequest& http, std::string_view header) {
  return http.header(header).data() != nullptr;
}

bool is_method_with_name(std::string_view method) {
  return method == "tools/call" || method == "prompts/get" || method == "resources/read";
}

bool claims_version(const BatchMember& member) {
  const auto* const message = std::get_if<Message>(&member.read);
  return message && protocol::read_envelope(message->params).claims();
}

bool asks_anything(const std::vector<BatchMember>& members) {
  for (const BatchMember& member : members) {
    const auto* const message = std::get_if<Message>(&member.read);
    if (!message || message->kind == Kind::Request) return true;
  }
  return false;
}

}  // namespace

// A subscriptions/listen that is open.
struct HttpEndpoint::ListenStream {
  protocol::Id id;
  std::shared_ptr<transport::EventStream> stream;
  ListChanges::Registration changes;
};

HttpEndpoint::HttpEndpoint(Methods& methods, Identify identify)
    : methods_(methods),
      identify_(std::move(identify)),
      sessions_(methods.services().clock, methods.config().limits.sessions,
                methods.config().limits.session_idle) {}

HttpEndpoint::~HttpEndpoint() {
  *alive_ = false;
}

std::string HttpEndpoint::principal_of(const HttpRequest& http) const {
  return identify_ ? identify_(http) : "local";
}

awaitable<void> HttpEndpoint::handle(HttpExchange& exchange) {
  const HttpRequest& http = exchange.request();
  if (http.path() != kPath) {
    refuse(exchange, 404, protocol::kInvalidRequest, "no such path: MCP is served at /mcp");
  } else if (http.method() == "POST") {
    co_await post(exchange);
  } else if (http.method() == "GET") {
    get(exchange);
  } else if (http.method() == "DELETE") {
    remove(exchange);
  } else {
    exchange.respond(405, protocol::error_text({}, protocol::kInvalidRequest, "use POST"),
                     "application/json", {{"Allow", "GET, POST, DELETE"}});
  }
}

awaitable<void> HttpEndpoint::post(HttpExchange& exchange) {
  const HttpRequest& http = exchange.request();
  if (!is_json(http.header("Content-Type"))) {
    refuse(exchange, 415, protocol::kInvalidRequest, "Content-Type must be application/json");
    co_return;
  }
  json::Limits limits;
  limits.depth = methods_.config().limits.json_depth;
  auto tree = json::parse(http.body(), limits);
  if (!tree) {
    refuse(exchange, 400, protocol::kParseError, "not JSON: " + tree.error().message);
    co_return;
  }
  if (tree->root().IsArray()) {
    co_await post_batch(exchange, *std::move(tree));
    co_return;
  }
  auto read = protocol::read_message(tree->root());
  if (const auto* fault = std::get_if<Fault>(&read)) {
    refuse(exchange, 400, *fault);
    co_return;
  }
  co_await post_one(exchange, *std::move(tree), std::get<Message>(std::move(read)));
}

awaitable<void> HttpEndpoint::post_one(HttpExchange& exchange, json::Document tree,
                                       Message message) {
  const HttpRequest& http = exchange.request();
  Request request;
  request.envelope = protocol::read_envelope(message.params);
  request.message = std::move(message);
  request.tree = std::move(tree);
  request.principal = principal_of(http);
  request.peer = http.remote();

  const protocol::Id& id = request.message.id;
  const bool modern_header = protocol::is_modern_name(http.header(kVersionHeader));
  const bool claims = request.envelope.claims();
  if (request.message.kind == Kind::Notification && (claims || modern_header)) {
    post_modern_notification(exchange, request.message);
  } else if (claims && request.message.kind == Kind::Request) {
    co_await post_modern(exchange, std::move(request));
  } else if (!modern_header) {
    co_await post_legacy(exchange, std::move(request));
  } else if (request.message.kind == Kind::Response) {
    refuse(exchange, 400, protocol::kInvalidRequest, "clients of this version send no responses");
  } else if (request.message.method == "initialize") {
    refuse(exchange, 400, protocol::kHeaderMismatch,
           "initialize does not exist in the version that MCP-Protocol-Version names", id);
  } else {
    refuse(exchange, 400, protocol::kInvalidParams, *protocol::envelope_fault(request.envelope),
           id);
  }
}

void HttpEndpoint::post_modern_notification(HttpExchange& exchange, const Message& message) {
  const HttpRequest& http = exchange.request();
  const protocol::Envelope envelope = protocol::read_envelope(message.params);
  const std::string_view header = http.header(kVersionHeader);
  const bool differs =
      envelope.claims() && header.data() && json::text(*envelope.version) != header;
  const std::string_view method = http.header("Mcp-Method");
  if (differs || (method.data() && method != message.method)) {
    refuse(exchange, 400, protocol::kHeaderMismatch, "header and body disagree");
  } else {
    accept(exchange);
  }
}

// In the order that clients and their tests rely on: what the body says, whether the header agrees,
// whether the version is served, the other headers, the method.
std::optional<HttpEndpoint::Bad> HttpEndpoint::modern_fault(const HttpRequest& http,
                                                            Request& request) const {
  const Message& message = request.message;
  const auto bad = [&](int status, int code, std::string why) {
    return Bad{status, Fault{code, std::move(why), message.id, {}}};
  };
  if (auto fault = protocol::envelope_fault(request.envelope)) {
    return bad(400, protocol::kInvalidParams, *std::move(fault));
  }
  const std::string_view claimed = json::text(*request.envelope.version);
  const std::string_view header = http.header(kVersionHeader);
  if (header.data() && header != claimed) {
    return bad(400, protocol::kHeaderMismatch, "MCP-Protocol-Version differs from the body");
  }
  if (auto fault = protocol::version_fault(claimed, message.id)) return Bad{400, *std::move(fault)};
  request.version = *protocol::version_from(claimed);
  if (auto mismatch = mirrored_fault(http, request)) return mismatch;
  const bool known =
      message.method == "subscriptions/listen" || Methods::offers(message.method, request.version);
  if (!known) {
    return bad(404, protocol::kMethodNotFound,
               "Method not found: " + std::string(message.method.substr(0, 64)));
  }
  return std::nullopt;
}

std::optional<HttpEndpoint::Bad> HttpEndpoint::mirrored_fault(const HttpRequest& http,
                                                              const Request& request) const {
  const Message& message = request.message;
  const auto bad = [&](std::string why) {
    return Bad{400, Fault{protocol::kHeaderMismatch, std::move(why), message.id, {}}};
  };
  if (!has(http, kVersionHeader)) return bad("MCP-Protocol-Version is missing");
  if (auto fault = protocol::method_header_fault(http.header("Mcp-Method"), message.method)) {
    return bad(*std::move(fault));
  }
  if (!is_method_with_name(message.method)) return std::nullopt;
  const json::Value* const name =
      json::find(*message.params, message.method == "resources/read" ? "uri" : "name");
  if (!name || !name->IsString()) return std::nullopt;  // the params are wrong, and will be told so
  if (auto fault = protocol::name_header_fault(http.header("Mcp-Name"), json::text(*name))) {
    return bad(*std::move(fault));
  }
  if (message.method != "tools/call") return std::nullopt;
  const auto tool = methods_.services().tools.find(request.principal, json::text(*name));
  if (!tool) return std::nullopt;
  const auto lookup = [&](std::string_view field) { return http.header(field); };
  if (auto fault =
          protocol::param_headers_fault(*tool, json::find(*message.params, "arguments"), lookup)) {
    return bad(*std::move(fault));
  }
  return std::nullopt;
}

awaitable<void> HttpEndpoint::post_modern(HttpExchange& exchange, Request request) {
  const HttpRequest& http = exchange.request();
  if (const auto bad = modern_fault(http, request)) {
    refuse(exchange, bad->status, bad->fault);
    co_return;
  }
  const auto accepts = PostReply::accepts(http.header("Accept"));
  if (!accepts.anything()) {
    refuse(exchange, 406, protocol::kInvalidRequest,
           "Accept must allow application/json and text/event-stream", request.message.id);
    co_return;
  }
  if (request.message.method == "subscriptions/listen") {
    listen(exchange, request);
    co_return;
  }
  PostReply reply(exchange, accepts);
  if (request.message.method != "tools/call") {
    reply.finish(methods_.answer_at_once(request));
    co_return;
  }
  request.abilities = protocol::abilities_of(request.envelope.capabilities, request.version);
  request.outlet = accepts.events ? &reply : nullptr;
  request.cancel = std::make_shared<Cancel>();
  exchange.on_disconnect([cancel = request.cancel] { cancel->request(); });
  const Reply answer = co_await methods_.call_tool(request, true);
  reply.finish(answer);
}

void HttpEndpoint::listen(HttpExchange& exchange, const Request& request) {
  const protocol::Id& id = request.message.id;
  if (!PostReply::accepts(exchange.request().header("Accept")).events) {
    return refuse(exchange, 406, protocol::kInvalidRequest, "Accept must allow text/event-stream",
                  id);
  }
  auto read = read_listen(request.message);
  if (const auto* fault = std::get_if<Fault>(&read)) return refuse(exchange, 200, *fault);
  if (methods_.listens().size() >= methods_.config().limits.subscriptions) {
    return refuse(exchange, 503, protocol::kBusy, "too many subscriptions (limits.subscriptions)",
                  id);
  }

  const bool wanted = std::get<Listen>(read).tools_changed;
  const std::uint64_t number = ++last_listen_;
  const auto drop = [this, number, alive = alive_] {
    if (*alive) listens_.erase(number);
  };
  exchange.on_disconnect(drop);
  const auto listening = std::make_shared<ListenStream>();
  listening->id = id;
  listening->stream = exchange.stream();
  if (!listening->stream->send(protocol::acknowledged_notification(id, wanted))) return;
  listens_.emplace(number, listening);
  listening->changes = methods_.listens().add([weak = std::weak_ptr(listening), wanted, drop] {
    const auto self = weak.lock();
    if (!self || !wanted) return;
    if (!self->stream->send(protocol::tools_changed_notification(self->id))) drop();
  });
}

std::shared_ptr<HttpSession> HttpEndpoint::find_session(HttpExchange& exchange,
                                                        const protocol::Id& id) {
  const HttpRequest& http = exchange.request();
  const std::string_view named = http.header(kSessionHeader);
  if (!named.data()) {
    refuse(exchange, 400, protocol::kBadSession, "Mcp-Session-Id is missing: initialize first", id);
    return nullptr;
  }
  auto session = sessions_.find(principal_of(http), named);
  if (!session) {
    refuse(exchange, 404, protocol::kSessionNotFound, "Session not found", id);
    return nullptr;
  }
  const std::string_view version = http.header(kVersionHeader);
  if (version.data() && !protocol::legacy_version_from(version)) {
    refuse(exchange, 400, protocol::kBadSession,
           "unsupported MCP-Protocol-Version: this session speaks " +
               std::string(protocol::to_string(session->version)),
           id);
    return nullptr;
  }
  return session;
}

awaitable<void> HttpEndpoint::post_legacy(HttpExchange& exchange, Request request) {
  const HttpRequest& http = exchange.request();
  if (request.message.kind == Kind::Request && request.message.method == "initialize") {
    initialize(exchange, request);
    co_return;
  }
  const bool bare = methods_.config().mcp.bare_calls && !has(http, kSessionHeader) &&
                    !has(http, kVersionHeader) && request.message.kind != Kind::Response;
  if (bare) {
    if (request.message.kind == Kind::Notification) {
      accept(exchange);
      co_return;
    }
    PostReply reply(exchange, {.json = true, .events = false});
    Reply answer;
    if (request.message.method == "tools/call") {
      answer = co_await methods_.call_tool(request, true);
    } else {
      answer = methods_.answer_at_once(request);
    }
    reply.finish(answer);
    co_return;
  }

  const auto session = find_session(exchange, request.message.id);
  if (!session) co_return;
  if (request.message.kind == Kind::Request) {
    co_await post_in_session(exchange, std::move(request), session);
    co_return;
  }
  if (request.message.kind == Kind::Response) {
    if (!session->client.on_response(request.message)) {
      log::debug("session", "an answer that nobody waits for was dropped");
    }
  } else if (request.message.method == "notifications/cancelled") {
    session->cancel(Methods::cancelled_request(request.message));
  }
  accept(exchange);
}

void HttpEndpoint::initialize(HttpExchange& exchange, const Request& request) {
  if (has(exchange.request(), kSessionHeader)) {
    if (!find_session(exchange, request.message.id)) return;
    return refuse(exchange, 400, protocol::kInvalidRequest, "this session is initialized already",
                  request.message.id);
  }
  auto outcome = methods_.initialize(request.message);
  if (const auto* fault = std::get_if<Fault>(&outcome)) return refuse(exchange, 200, *fault);
  auto& agreed = std::get<Methods::Initialized>(outcome);
  const auto session = sessions_.create(request.principal, methods_.services().executor);
  session->version = agreed.version;
  session->abilities = agreed.abilities;

  auto accepts = PostReply::accepts(exchange.request().header("Accept"));
  if (!accepts.anything()) accepts = {};
  PostReply reply(exchange, accepts);
  reply.add_header(std::string(kSessionHeader), session->id);
  Reply answer;
  answer.text = std::move(agreed.text);
  reply.finish(answer);
}

awaitable<Reply> HttpEndpoint::answer_in_session(std::shared_ptr<HttpSession> session,
                                                 Request request) {
  const protocol::Id id = request.message.id;
  if (request.message.method != "tools/call") co_return methods_.answer_at_once(request);
  if (session->in_flight.contains(id)) {
    Reply reply;
    reply.text =
        protocol::error_text(id, protocol::kInvalidRequest, "a request with this id is under way");
    reply.status = 400;
    co_return reply;
  }
  request.cancel = std::make_shared<Cancel>();
  session->in_flight.emplace(id, request.cancel);
  Reply reply = co_await methods_.call_tool(request, true);
  session->in_flight.erase(id);
  sessions_.touch(*session);
  co_return reply;
}

awaitable<void> HttpEndpoint::post_in_session(HttpExchange& exchange, Request request,
                                              std::shared_ptr<HttpSession> session) {
  const auto accepts = PostReply::accepts(exchange.request().header("Accept"));
  if (!accepts.anything()) {
    refuse(exchange, 406, protocol::kInvalidRequest,
           "Accept must allow application/json and text/event-stream", request.message.id);
    co_return;
  }
  PostReply reply(exchange, accepts);
  request.version = session->version;
  request.session = session->id;
  request.peer = session->id;
  request.abilities = session->abilities;
  request.client = &session->client;
  request.outlet = accepts.events ? &reply : nullptr;
  const Reply answer = co_await answer_in_session(session, std::move(request));
  reply.finish(answer);
}

awaitable<void> HttpEndpoint::answer_member(std::shared_ptr<HttpSession> session, Request request,
                                            std::shared_ptr<Batch> batch) {
  const Reply answer = co_await answer_in_session(session, std::move(request));
  batch->arrived(answer.text);
}

awaitable<void> HttpEndpoint::post_batch(HttpExchange& exchange, json::Document tree) {
  auto read = read_batch(tree.root());
  if (const auto* fault = std::get_if<Fault>(&read)) {
    refuse(exchange, 400, *fault);
    co_return;
  }
  auto& members = std::get<std::vector<BatchMember>>(read);
  const HttpRequest& http = exchange.request();
  bool modern = protocol::is_modern_name(http.header(kVersionHeader));
  for (const BatchMember& member : members) modern = modern || claims_version(member);
  if (modern || !has(http, kSessionHeader)) {
    refuse(exchange, 400, protocol::kInvalidRequest,
           "arrays of messages are served only in a session that speaks 2025-03-26");
    co_return;
  }
  const auto session = find_session(exchange, {});
  if (!session) co_return;
  if (!protocol::features(session->version).batches) {
    refuse(exchange, 400, protocol::kInvalidRequest,
           "arrays of messages do not exist in this session's version");
    co_return;
  }

  const bool wants_answer = asks_anything(members);
  PostReply reply(exchange, PostReply::accepts(http.header("Accept")));
  OneShot done(methods_.services().executor);
  Reply answer;
  const auto batch = std::make_shared<Batch>([&done, &answer](std::string answers) {
    answer.text = std::move(answers);
    done.set();
  });
  for (BatchMember& member : members) {
    if (const auto* fault = std::get_if<Fault>(&member.read)) {
      batch->add(protocol::error_text(*fault));
      continue;
    }
    Message& message = std::get<Message>(member.read);
    if (message.kind == Kind::Response) {
      session->client.on_response(message);
    } else if (message.kind == Kind::Notification) {
      if (message.method == "notifications/cancelled") {
        session->cancel(Methods::cancelled_request(message));
      }
    } else {
      Request request;
      request.envelope = protocol::read_envelope(message.params);
      request.message = std::move(message);
      request.tree = std::move(member.tree);
      request.principal = session->principal;
      request.version = session->version;
      request.session = session->id;
      request.peer = session->id;
      request.outlet = &reply;
      batch->expect();
      boost::asio::co_spawn(methods_.services().executor,
                            answer_member(session, std::move(request), batch),
                            boost::asio::detached);
    }
  }
  batch->seal();
  co_await done.wait();
  if (wants_answer) {
    reply.finish(answer);
  } else {
    accept(exchange);
  }
}

void HttpEndpoint::get(HttpExchange& exchange) {
  const HttpRequest& http = exchange.request();
  const bool sessionless = !has(http, kSessionHeader);
  if (sessionless && protocol::is_modern_name(http.header(kVersionHeader))) {
    return exchange.respond(405, protocol::error_text({}, protocol::kInvalidRequest, "use POST"),
                            "application/json", {{"Allow", "POST"}});
  }
  const auto session = find_session(exchange, {});
  if (!session) return;
  if (!http.header("Accept").data() || !PostReply::accepts(http.header("Accept")).events) {
    return refuse(exchange, 406, protocol::kInvalidRequest, "Accept must allow text/event-stream");
  }
  if (session->stream && session->stream->open()) {
    return refuse(exchange, 409, protocol::kInvalidRequest, "this session has a stream already");
  }
  const std::weak_ptr<HttpSession> weak = session;
  exchange.on_disconnect([weak] {
    if (const auto gone = weak.lock()) gone->stream = nullptr;
  });
  session->stream = exchange.stream();
  session->list_changes = methods_.legacy_sessions().add([weak] {
    const auto self = weak.lock();
    if (!self || !self->stream) return;
    if (!self->stream->send(protocol::tools_changed_notification({}))) self->stream = nullptr;
  });
}

void HttpEndpoint::remove(HttpExchange& exchange) {
  const HttpRequest& http = exchange.request();
  if (!has(http, kSessionHeader) && protocol::is_modern_name(http.header(kVersionHeader))) {
    return exchange.respond(405, protocol::error_text({}, protocol::kInvalidRequest, "use POST"),
                            "application/json", {{"Allow", "POST"}});
  }
  const auto session = find_session(exchange, {});
  if (!session) return;
  sessions_.remove(*session);
  exchange.respond(200, {}, {});
}

void HttpEndpoint::stop() {
  const auto listens = std::exchange(listens_, {});
  for (const auto& [number, listening] : listens) {
    listening->changes.reset();
    listening->stream->send(protocol::listen_end_answer(listening->id));
    listening->stream->close();
  }
  sessions_.clear();
}

}  // namespace host::session
