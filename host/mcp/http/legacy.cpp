#include "mcp/http/legacy.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "base/process/spawn.h"
#include "mcp/http/answers.h"
#include "mcp/http/post_reply.h"
#include "mcp/http/session_reply.h"
#include "mcp/http/stream_refusal.h"
#include "mcp/peer/one_shot.h"
#include "session/sessions.h"
#include "transport/address_owner.h"
#include "transport/http/json_answer.h"

namespace host::mcp {
namespace {

using protocol::Fault;
using protocol::Kind;
using protocol::Message;
using transport::HttpExchange;
using transport::HttpRequest;

HttpSessions::Limits limits_of(const config::Limits& limits) {
  return {limits.sessions, limits.sessions_per_principal, limits.session_idle};
}

// Much less than what closes a stream (HttpServerOptions::stream_bytes).
constexpr std::size_t kMostOfReplay = 256u << 10u;

// Returns false if not all events found room. The client comes back for the rest with the id of the
// last event that it got: it gets one at least each time, whatever the size.
bool replay(const EventLog::Missed& missed, transport::EventStream& stream) {
  for (const EventLog::Event& event : missed.events) {
    if (event.text.empty()) continue;
    if (stream.waiting() > kMostOfReplay) return false;
    stream.send(event.text, event.id);
  }
  return true;
}

constexpr std::size_t kNoLimit = ~std::size_t{0};
constexpr std::string_view kLastEventHeader = "Last-Event-ID";
constexpr std::chrono::milliseconds kRetry{500};  // until a client comes back

}  // namespace

HttpLegacy::HttpLegacy(Methods& methods, PrincipalQuota& streams, CountRequest count)
    : methods_(methods),
      streams_(streams),
      count_(std::move(count)),
      sessions_(methods.services().clock, limits_of(methods.config().limits)) {
  sessions_.on_end([durable = methods_.services().sessions](const HttpSession& session) {
    if (durable) durable->release(session.id);
  });
}

Result<void> HttpLegacy::keep_in(std::shared_ptr<store::Desk> desk, const std::string& address) {
  const Services& services = methods_.services();
  auto kept = std::make_shared<KeptSessions>(services.executor, std::move(desk), services.clock,
                                             address, services.sessions);
  HOST_TRY(kept->take_in(sessions_));
  kept_ = std::move(kept);
  return {};
}

void HttpLegacy::close_streams_of(const Whose& whose) {
  sessions_.close_streams_if([&whose](const HttpSession& session) {
    return whose(
        {session.who.principal, session.who.agent, session.who.session, session.stream_by});
  });
}

void HttpLegacy::end_session(const std::string& id) {
  sessions_.remove_in(id);
}

void HttpLegacy::session_used(std::string_view id) {
  sessions_.touch(id);
}

void HttpLegacy::session_changed(const std::string& id) {
  sessions_.for_each_of(id, [](HttpSession& session) {
    const News all{{true, true, true}, {}, {}};
    for (const std::string& message : notifications_of(all, {})) session.tell(message);
  });
}

void HttpLegacy::stop() {
  close_streams_of([](const tool::Peer&) { return true; });
}

void HttpLegacy::end_sessions() {
  if (kept_) kept_->stop(sessions_);
  sessions_.clear();
}

std::shared_ptr<HttpSession> HttpLegacy::find_session(HttpExchange& exchange, const tool::Peer& who,
                                                      const protocol::Id& id) {
  const HttpRequest& http = exchange.request();
  const std::string_view named = http.header(kSessionHeader);
  const std::string_view version = http.header(kVersionHeader);
  if (!named.data() && version.data() && !protocol::version_from(version)) {
    refuse(exchange, 400, protocol::unsupported_header(version, id));
    return nullptr;
  }
  if (!named.data()) {
    refuse(exchange, 400, protocol::kBadSession, "Mcp-Session-Id is missing: initialize first", id);
    return nullptr;
  }
  auto session = sessions_.find(who, named);
  if (!session) {
    refuse(exchange, 404, protocol::kSessionNotFound, "Session not found", id);
    return nullptr;
  }
  if (version.data() && !protocol::legacy_version_from(version)) {
    refuse(exchange, 400, protocol::kBadSession,
           "unsupported MCP-Protocol-Version: this session speaks " +
               std::string(protocol::to_string(session->version)),
           id);
    return nullptr;
  }
  return session;
}

awaitable<void> HttpLegacy::post(HttpExchange& exchange, Request& request) {
  const HttpRequest& http = exchange.request();
  if (methods_.initializes(request.message)) {
    co_await initialize(exchange, std::move(request));
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
    request.bare = true;
    request.cancel = std::make_shared<Cancel>();
    request.gone = std::make_shared<Cancel>();
    request.unheard = request.gone;
    exchange.on_disconnect([gone = request.gone] { gone->request(); });
    const Reply answer = co_await methods_.answer(request);
    reply.finish(answer);
    co_return;
  }

  const auto session = find_session(exchange, request.who, request.message.id);
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

awaitable<void> HttpLegacy::initialize(HttpExchange& exchange, Request request) {
  if (has(exchange.request(), kSessionHeader)) {
    if (find_session(exchange, request.who, request.message.id)) {
      refuse(exchange, 400, protocol::kInvalidRequest, "this session is initialized already",
             request.message.id);
    }
    co_return;
  }
  auto outcome = methods_.initialize(request.message, request.who);
  if (const auto* fault = std::get_if<Fault>(&outcome)) {
    refuse(exchange, 200, *fault);
    co_return;
  }
  auto& agreed = std::get<Methods::Initialized>(outcome);
  auto created = sessions_.create(request.who, methods_.services().executor);
  if (const auto* const full = std::get_if<HttpSessions::Full>(&created)) {
    co_return refuse_session(exchange, *full, request.message.id);
  }
  const auto session = std::get<std::shared_ptr<HttpSession>>(std::move(created));
  session->version = agreed.version;
  session->abilities = agreed.abilities;
  if (const auto& durable = methods_.services().sessions; durable && session->who.session.empty()) {
    durable->adopt(session->id, session->who.principal, session->who.agent, session->created);
  }
  if (kept_) co_await kept_->put(session);

  auto accepts = PostReply::accepts(exchange.request().header("Accept"));
  if (!accepts.anything()) accepts = {};
  PostReply reply(exchange, accepts);
  reply.add_header(std::string(kSessionHeader), session->id);
  Reply answer;
  answer.text = std::move(agreed.text);
  reply.finish(answer);
}

void HttpLegacy::refuse_session(HttpExchange& exchange, HttpSessions::Full full,
                                const protocol::Id& id) const {
  if (full == HttpSessions::Full::Principal) {
    methods_.services().refused("limits.sessions_per_principal");
    return refuse_busy(exchange, 429,
                       "every session that this principal may have is in use "
                       "(limits.sessions_per_principal): end one, or retry later",
                       id);
  }
  methods_.services().refused("limits.sessions");
  refuse_busy(exchange, 503,
              "this host has as many sessions as it may (limits.sessions): retry later", id);
}

awaitable<Reply> HttpLegacy::answer_in_session(std::shared_ptr<HttpSession> session,
                                               Request request) {
  const protocol::Id id = request.message.id;
  if (auto reply = methods_.answer_at_once(request)) {
    co_await keep_settings(session);
    co_return *std::move(reply);
  }
  if (session->in_flight.contains(id)) {
    Reply reply;
    reply.text =
        protocol::error_text(id, protocol::kInvalidRequest, "a request with this id is under way");
    reply.status = 400;
    co_return reply;
  }
  const config::Limits& limits = methods_.config().limits;
  const std::size_t most =
      limits.connections_per_principal + limits.running_per_principal + limits.queued_per_principal;
  const auto place = requests_.take(session->who.principal, {kNoLimit, most});
  if (!std::holds_alternative<PrincipalQuota::Place>(place)) {
    methods_.services().refused("limits.connections_per_principal");
    Reply reply = refuse({protocol::kBusy,
                          "too many calls of this principal wait for answers of its clients "
                          "(limits.connections_per_principal): answer or cancel some, or retry "
                          "later",
                          id,
                          {}},
                         429);
    reply.busy = true;
    co_return reply;
  }
  request.cancel = std::make_shared<Cancel>();
  session->in_flight.emplace(id, request.cancel);
  Reply reply = co_await methods_.answer(request);
  session->in_flight.erase(id);
  if (session->ended) reply.cancelled = false;  // by its end, which the client may hear of here
  sessions_.touch(session->id);
  co_return reply;
}

// What the client has agreed on is kept before it is told so.
awaitable<void> HttpLegacy::keep_settings(std::shared_ptr<HttpSession> session) {
  if (kept_ && kept_->should_put(*session)) co_await kept_->put(std::move(session));
}

SessionReply::Polling HttpLegacy::polling(const HttpSession& session) const {
  return {protocol::features(session.version).sse_priming, methods_.config().mcp.poll_after,
          kRetry};
}

awaitable<void> HttpLegacy::post_in_session(HttpExchange& exchange, Request request,
                                            std::shared_ptr<HttpSession> session) {
  const auto accepts = PostReply::accepts(exchange.request().header("Accept"));
  if (!accepts.anything()) {
    refuse(exchange, 406, protocol::kInvalidRequest,
           "Accept must allow application/json and text/event-stream", request.message.id);
    co_return;
  }
  SessionReply reply(methods_.services().executor, exchange, accepts, session->events,
                     polling(*session));
  const HttpSession::Replying replying(*session, reply);
  request.unheard = reply.unheard();
  request.gone = reply.gone();
  exchange.on_disconnect(reply.on_disconnect());
  request.version = session->version;
  request.session = session->session;
  request.who.session = session->session;
  request.connection += "\n" + session->id;
  request.abilities = session->abilities;
  request.client = &session->client;
  request.settings = &session->settings;
  request.outlet = accepts.events ? &reply : nullptr;
  const Reply answer = co_await answer_in_session(session, std::move(request));
  reply.finish(answer);
}

awaitable<void> HttpLegacy::answer_member(std::shared_ptr<HttpSession> session, Request request,
                                          std::shared_ptr<Batch> batch) {
  const protocol::Id id = request.message.id;
  const Reply answer = co_await answer_in_session(session, std::move(request));
  batch->arrived(answer.cancelled ? std::string_view() : std::string_view(answer.text), id);
}

std::optional<Fault> HttpLegacy::refusal_by_rate(Exchange& exchange, const protocol::Id& id) const {
  if (!count_) return std::nullopt;
  RequestCount counted = count_(exchange.request());
  exchange.replace_headers(std::move(counted.headers));
  if (!counted.refusal) return std::nullopt;
  return Fault{protocol::kBusy, std::move(counted.refusal->message), id,
               transport::error_data(counted.refusal->problem)};
}

awaitable<void> HttpLegacy::batch(HttpExchange& exchange, json::Document tree, tool::Peer who) {
  auto read = read_batch(tree.root(), methods_.config().limits.id_bytes);
  if (const auto* fault = std::get_if<Fault>(&read)) {
    refuse(exchange, 400, *fault);
    co_return;
  }
  auto& members = std::get<std::vector<BatchMember>>(read);
  const HttpRequest& http = exchange.request();
  bool modern = protocol::is_modern_name(http.header(kVersionHeader));
  for (const BatchMember& member : members) modern = modern || member.claims_version();
  if (modern || !has(http, kSessionHeader)) {
    refuse(exchange, 400, protocol::kInvalidRequest,
           "arrays of messages are served only in a session that speaks 2025-03-26");
    co_return;
  }
  const auto session = find_session(exchange, who, {});
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
  const auto batch = std::make_shared<Batch>(
      methods_.config().limits.result_bytes,
      [&done, &answer](std::string answers) {
        answer.text = std::move(answers);
        done.set();
      },
      [&exchange](std::size_t bytes) { exchange.gathers(bytes); });
  const auto unheard = std::make_shared<Cancel>();
  exchange.on_disconnect([unheard] { unheard->request(); });
  bool is_first = true;  // the HTTP request itself counts as its first request
  for (BatchMember& member : members) {
    if (member.is_request() && !std::exchange(is_first, false)) {
      const protocol::Id& id = std::get<Message>(member.read).id;
      if (auto refused = refusal_by_rate(exchange, id)) member.read = *std::move(refused);
    }
    if (const auto* fault = std::get_if<Fault>(&member.read)) {
      batch->add(protocol::error_text(*fault), fault->id);
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
      take_trace(http, request.envelope);
      request.message = std::move(message);
      request.tree = std::move(member.tree);
      request.who = who;
      request.version = session->version;
      request.session = session->session;
      request.who.session = session->session;
      request.connection = transport::owner_of_address(http.remote()) + "\n" + session->id;
      request.settings = &session->settings;
      request.unheard = unheard;
      request.gone = unheard;  // an array of answers is no stream that could be resumed
      request.code = http.header(kCodeHeader);
      request.remote = http.remote();
      request.http = true;
      request.outlet = &reply;
      batch->expect();
      const protocol::Id id = request.message.id;
      spawn(methods_.services().executor, {"session", "answers a member of an array"},
            answer_member(session, std::move(request), batch),
            [batch, id](const Result<void>& ended) {
              if (ended) return;
              batch->arrived(
                  protocol::error_text({protocol::kInternalError, ended.error().message, id, {}}),
                  id);
            });
    }
  }
  batch->seal();
  co_await done.wait();
  if (wants_answer) {
    answer.cancelled = answer.text.empty();
    reply.finish(answer);
  } else {
    accept(exchange);
  }
}

// The session's own stream; or, with Last-Event-ID, what a stream that broke off still has to send.
void HttpLegacy::get(HttpExchange& exchange, const tool::Peer& who) {
  const HttpRequest& http = exchange.request();
  const auto session = find_session(exchange, who, {});
  if (!session) return;
  if (!http.header("Accept").data() || !PostReply::accepts(http.header("Accept")).events) {
    return refuse(exchange, 406, protocol::kInvalidRequest, "Accept must allow text/event-stream");
  }
  if (has(http, kLastEventHeader)) return resume(exchange, who, session);
  if (session->stream && session->stream->open()) {
    return refuse(exchange, 409, protocol::kInvalidRequest, "this session has a stream already");
  }
  open_stream(exchange, who, session, {});
}

bool HttpLegacy::open_stream(HttpExchange& exchange, const tool::Peer& who,
                             const std::shared_ptr<HttpSession>& session,
                             const EventLog::Missed& missed) {
  session->close_stream();  // the client has left it
  auto place = take_stream_place(exchange, streams_, methods_.services(), who, {});
  if (!place) return false;
  const std::weak_ptr<HttpSession> weak = session;
  session->stream_place = *std::move(place);
  const auto stream = exchange.stream();
  session->stream = stream;
  session->stream_by = who.credential;
  follow_news(session);
  exchange.on_disconnect([weak, stream] {
    const auto self = weak.lock();
    if (self && self->stream == stream) self->drop_stream();
  });
  const bool all_fit = replay(missed, *stream);
  // What is forgotten may have said anything: whatever the client could hear of may have changed.
  // Without ids: who misses one of these comes back with the id that brought them.
  if (!missed.whole) {
    const News all{{true, true, true}, session->settings.followed, {}};
    for (const std::string& hint : notifications_of(all, {})) stream->send(hint);
  }
  if (!all_fit) {
    session->close_stream();
    return true;
  }
  if (protocol::features(session->version).sse_priming) {
    stream->prime(session->events.add(HttpSession::kOwnStream, {}), kRetry);
  }
  return true;
}

// Once for a session. From then on the log keeps the news for a client that is away.
void HttpLegacy::follow_news(const std::shared_ptr<HttpSession>& session) {
  if (session->news.is_set()) return;
  const std::weak_ptr<HttpSession> weak = session;
  const auto tell = [weak](const News& news) {
    const auto self = weak.lock();
    if (!self) return;
    const News part = part_of(news, {true, true, true}, self->settings.followed);
    for (const std::string& message : notifications_of(part, {})) self->tell(message);
  };
  session->news = methods_.announcer().sessions().add(session->who, tell, [weak](Uris& all) {
    const auto self = weak.lock();
    if (self) all.insert(self->settings.followed.begin(), self->settings.followed.end());
  });
}

void HttpLegacy::resume(HttpExchange& exchange, const tool::Peer& who,
                        const std::shared_ptr<HttpSession>& session) {
  const auto missed = session->events.after(exchange.request().header(kLastEventHeader));
  if (missed.stream == HttpSession::kOwnStream) {
    open_stream(exchange, who, session, missed);
    return;
  }
  SessionReply* const reply = session->reply_on(missed.stream);
  if (!missed.whole && !reply && missed.events.empty()) {
    return refuse(exchange, 400, protocol::kInvalidRequest,
                  "Last-Event-ID names the stream of an answer that is not kept any more");
  }
  if (!reply && missed.events.empty()) return exchange.respond(204, {}, {});  // there is no more
  const auto stream = exchange.stream();
  const bool all = replay(missed, *stream);
  if (reply && all) {
    reply->attach(stream);
    exchange.on_disconnect(reply->on_disconnect());
  } else {
    stream->close();
  }
}

void HttpLegacy::remove(HttpExchange& exchange, const tool::Peer& who) {
  const auto session = find_session(exchange, who, {});
  if (!session) return;
  sessions_.remove(*session);
  exchange.respond(200, {}, {});
}

}  // namespace host::mcp
