#include "mcp/http/modern.h"

#include <algorithm>
#include <utility>

#include "mcp/http/answers.h"
#include "mcp/http/post_reply.h"
#include "mcp/http/stream_refusal.h"
#include "mcp/method/listen.h"
#include "protocol/mirrored_headers.h"
#include "protocol/notifications.h"

namespace host::mcp {
namespace {

using protocol::Fault;
using protocol::Message;
using transport::HttpExchange;
using transport::HttpRequest;

}  // namespace

// A subscriptions/listen that is open.
struct HttpModern::ListenStream {
  protocol::Id id;
  tool::Peer who;
  News wanted;
  std::shared_ptr<transport::EventStream> stream;
  Subscriptions::Registration news;
  PrincipalQuota::Place place;
};

HttpModern::HttpModern(Methods& methods, PrincipalQuota& streams)
    : methods_(methods), streams_(streams) {}

HttpModern::~HttpModern() {
  *alive_ = false;
}

void HttpModern::notification(HttpExchange& exchange, const Message& message) {
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
std::optional<HttpModern::Bad> HttpModern::modern_fault(const HttpRequest& http,
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
  if (!methods_.find(message.method, request.version)) {
    return bad(404, protocol::kMethodNotFound,
               "Method not found: " + std::string(message.method.substr(0, 64)));
  }
  return std::nullopt;
}

std::optional<HttpModern::Bad> HttpModern::mirrored_fault(const HttpRequest& http,
                                                          Request& request) const {
  const Message& message = request.message;
  const auto bad = [&](std::string why) {
    return Bad{400, Fault{protocol::kHeaderMismatch, std::move(why), message.id, {}}};
  };
  if (!has(http, kVersionHeader)) return bad("MCP-Protocol-Version is missing");
  if (auto fault = protocol::method_header_fault(http.header("Mcp-Method"), message.method)) {
    return bad(*std::move(fault));
  }
  const Method* const method = methods_.find(message.method, request.version);
  if (!method || method->named_by.empty()) return std::nullopt;
  const json::Value* const name = request.param(method->named_by);
  if (!name || !name->IsString()) return std::nullopt;  // the params are wrong, and will be told so
  if (auto fault = protocol::name_header_fault(http.header("Mcp-Name"), json::text(*name))) {
    return bad(*std::move(fault));
  }
  if (!method->mirrors_arguments) return std::nullopt;
  request.route = methods_.services().tools.find(request.who, std::string(json::text(*name)));
  if (!request.route) return std::nullopt;
  const auto lookup = [&](std::string_view field) { return http.header(field); };
  if (auto fault = protocol::param_headers_fault(
          *request.route.tool, json::find(*message.params, "arguments"), lookup)) {
    return bad(*std::move(fault));
  }
  return std::nullopt;
}

awaitable<void> HttpModern::post(HttpExchange& exchange, Request request) {
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
  if (methods_.find(request.message.method, request.version)->way == Method::Way::Listen) {
    listen(exchange, request);
    co_return;
  }
  PostReply reply(exchange, accepts);
  request.abilities = protocol::abilities_of(request.envelope.capabilities, request.version);
  request.outlet = accepts.events ? &reply : nullptr;
  request.cancel = std::make_shared<Cancel>();
  exchange.on_disconnect([cancel = request.cancel] { cancel->request(); });
  const Reply answer = co_await methods_.answer(request);
  reply.finish(answer);
}

void HttpModern::listen(HttpExchange& exchange, const Request& request) {
  const protocol::Id& id = request.message.id;
  if (!PostReply::accepts(exchange.request().header("Accept")).events) {
    return refuse(exchange, 406, protocol::kInvalidRequest, "Accept must allow text/event-stream",
                  id);
  }
  auto read = read_listen(request, methods_.services());
  if (const auto* fault = std::get_if<Fault>(&read)) {
    return refuse(exchange, fault->code == protocol::kMissingCapability ? 400 : 200, *fault);
  }
  auto place = take_stream_place(exchange, streams_, methods_.services(), request.who, id);
  if (!place) return;

  News wanted = std::get<News>(std::move(read));
  const std::uint64_t number = ++last_listen_;
  const auto drop = [this, number, alive = alive_] {
    if (*alive) listens_.erase(number);
  };
  exchange.on_disconnect(drop);
  const auto listening = std::make_shared<ListenStream>();
  listening->id = id;
  listening->who = request.who;
  listening->wanted = wanted;
  listening->place = *std::move(place);
  listening->stream = exchange.stream();
  for (const std::string& message : first_messages(request, methods_.services(), wanted)) {
    if (!listening->stream->send(message)) return;
  }
  listens_.emplace(number, listening);
  Subscriptions& listens = methods_.announcer().listens();
  const auto send = [weak = std::weak_ptr(listening), wanted, drop](const News& news) {
    const auto self = weak.lock();
    if (!self) return;
    for (const std::string& message : notifications_of(part_of(news, wanted), self->id)) {
      if (!self->stream->send(message)) return drop();
    }
  };
  listening->news = listens.add(request.who, send, [uris = wanted.resources](Uris& all) {
    all.insert(uris.begin(), uris.end());
  });
}

void HttpModern::end_of(const Whose& whose) {
  std::vector<std::shared_ptr<ListenStream>> ended;
  std::erase_if(listens_, [&](const auto& one) {
    if (!whose(one.second->who)) return false;
    ended.push_back(one.second);
    return true;
  });
  for (const auto& listening : ended) {
    listening->news.reset();
    listening->stream->send(protocol::listen_end_answer(listening->id));
    listening->stream->close();
  }
}

void HttpModern::session_changed(const std::string& session) {
  const News all{{true, true, true}, {}, {}};
  const auto listens = listens_;  // a stream that breaks off takes itself out
  for (const auto& [number, each] : listens) {
    if (each->who.session != session) continue;
    for (const std::string& message : notifications_of(part_of(all, each->wanted), each->id))
      each->stream->send(message);
  }
}

void HttpModern::stop() {
  end_of([](const tool::Peer&) { return true; });
}

}  // namespace host::mcp
