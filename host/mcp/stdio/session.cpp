#include "mcp/stdio/session.h"

#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/log.h"
#include "base/process/spawn.h"
#include "mcp/method/listen.h"
#include "mcp/peer/one_shot.h"
#include "protocol/message_limits.h"
#include "protocol/notifications.h"

namespace host::mcp {
namespace {

using protocol::Fault;
using protocol::Kind;
using protocol::Message;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

awaitable<void> cancel_after(const boost::asio::any_io_executor executor,
                             std::chrono::milliseconds grace, std::weak_ptr<StdioSession> session,
                             std::function<void(StdioSession&)> act) {
  OneShot never(executor);
  co_await never.wait_for(grace);
  if (const auto self = session.lock()) act(*self);
}

}  // namespace

std::shared_ptr<StdioSession> StdioSession::create(Methods& methods,
                                                   transport::Connection& connection,
                                                   std::function<void()> on_over, tool::Peer who) {
  return std::shared_ptr<StdioSession>(
      new StdioSession(methods, connection, std::move(on_over), std::move(who)));
}

StdioSession::StdioSession(Methods& methods, transport::Connection& connection,
                           std::function<void()> on_over, tool::Peer who)
    : methods_(methods),
      connection_(connection),
      on_over_(std::move(on_over)),
      who_(std::move(who)),
      peer_(random_id()),
      client_(methods.services().executor, [this](std::string_view message) { send(message); }) {}

bool StdioSession::send(std::string_view message) {
  if (over_) return false;
  connection_.send(message);
  return true;
}

void StdioSession::answer(std::string_view text, const protocol::Id& id, const BatchPtr& batch) {
  if (batch) {
    batch->add(text, id);
  } else {
    send(text);
  }
}

void StdioSession::refuse(const Fault& fault, const BatchPtr& batch) {
  answer(protocol::error_text(fault), fault.id, batch);
}

void StdioSession::on_line(std::string_view line) {
  if (draining_ || is_blank(line)) return;
  json::Limits limits;
  limits.depth = methods_.config().limits.json_depth;
  limits.nodes = protocol::kMostValues;
  auto tree = json::parse(line, limits);
  if (!tree) {
    return refuse({protocol::kParseError,
                   "not JSON: " + tree.error().message,
                   protocol::id_of_refused(line, methods_.config().limits.id_bytes),
                   {}});
  }
  if (tree->root().IsArray()) return serve_batch(*tree);

  auto read = protocol::read_message(tree->root(), methods_.config().limits.id_bytes);
  if (const auto* fault = std::get_if<Fault>(&read)) return refuse(*fault);
  serve(*std::move(tree), std::get<Message>(std::move(read)), nullptr);
}

void StdioSession::on_overlong_line(std::string_view piece, bool ends) {
  if (draining_) return;
  if (!overlong_) overlong_.emplace("id");
  overlong_->take(piece);
  if (!ends) return;
  const config::Limits& limits = methods_.config().limits;
  const protocol::Id id = protocol::id_of_refused(*overlong_, limits.id_bytes);
  overlong_.reset();
  refuse({protocol::kInvalidRequest,
          "the line is longer than limits.line_bytes (" + std::to_string(limits.line_bytes) +
              ") and was skipped",
          id,
          {}});
}

void StdioSession::serve_batch(const json::Document& tree) {
  if (!agreed_ || !protocol::features(*agreed_).batches) {
    return refuse({protocol::kInvalidRequest,
                   "arrays of messages are served only after initialize agreed on 2025-03-26",
                   {},
                   {}});
  }
  auto read = read_batch(tree.root(), methods_.config().limits.id_bytes);
  if (const auto* fault = std::get_if<Fault>(&read)) return refuse(*fault);
  const auto batch = std::make_shared<Batch>(methods_.config().limits.result_bytes,
                                             [self = shared_from_this()](std::string answers) {
                                               if (!answers.empty()) self->send(answers);
                                             });
  for (BatchMember& member : std::get<std::vector<BatchMember>>(read)) {
    if (const auto* fault = std::get_if<Fault>(&member.read)) {
      refuse(*fault, batch);
    } else {
      serve(std::move(member.tree), std::get<Message>(std::move(member.read)), batch);
    }
  }
  batch->seal();
}

void StdioSession::serve(json::Document tree, Message message, const BatchPtr& batch) {
  switch (message.kind) {
    case Kind::Request:
      return serve_request(std::move(tree), std::move(message), batch);
    case Kind::Notification:
      return serve_notification(message);
    case Kind::Response:
      if (!client_.on_response(message)) {
        log::debug("session", "an answer that nobody waits for was dropped");
      }
  }
}

void StdioSession::serve_notification(const Message& message) {
  if (message.method == "notifications/cancelled") {
    cancel(Methods::cancelled_request(message));
  } else if (message.method == "notifications/initialized" && agreed_) {
    const auto tell = [weak = weak_from_this()](const News& news) {
      const auto self = weak.lock();
      if (!self) return;
      self->tell(part_of(news, {true, true, true}, self->settings_.followed), {});
    };
    news_ = methods_.announcer().sessions().add(who_, tell, [weak = weak_from_this()](Uris& all) {
      const auto self = weak.lock();
      if (self) all.insert(self->settings_.followed.begin(), self->settings_.followed.end());
    });
  }
}

void StdioSession::serve_request(json::Document tree, Message message, const BatchPtr& batch) {
  if (stopping_) {
    return refuse({protocol::kBusy,
                   "the host is stopping and serves no new request: start it again, then retry",
                   message.id,
                   {}},
                  batch);
  }
  Request request;
  request.envelope = protocol::read_envelope(message.params);
  request.message = std::move(message);
  request.tree = std::move(tree);
  request.who = who_;
  request.connection = peer_;
  request.outlet = this;
  if (request.envelope.claims()) {
    if (!batch) return serve_modern(std::move(request));
    return refuse({protocol::kInvalidRequest,
                   "a batch member must not claim a version in _meta",
                   request.message.id,
                   {}},
                  batch);
  }
  if (methods_.initializes(request.message)) return initialize(request.message);
  serve_legacy(std::move(request), batch);
}

void StdioSession::serve_modern(Request&& request) {
  const protocol::Id& id = request.message.id;
  if (auto fault = protocol::envelope_fault(request.envelope)) {
    return refuse({protocol::kInvalidParams, *std::move(fault), id, {}});
  }
  const std::string_view claimed = json::text(*request.envelope.version);
  if (auto fault = protocol::version_fault(claimed, id)) return refuse(*fault);
  request.version = *protocol::version_from(claimed);
  request.abilities = protocol::abilities_of(request.envelope.capabilities, request.version);
  // A client may still fall back to initialize after it looked around.
  const Method* const method = methods_.find(request.message.method, request.version);
  if (!method || !method->any_time) claims_seen_ = true;
  if (method && method->way == Method::Way::Listen) return listen(request);
  run(std::move(request), nullptr);
}

void StdioSession::serve_legacy(Request&& request, const BatchPtr& batch) {
  const protocol::Id& id = request.message.id;
  const Method* const method = methods_.find(request.message.method, request.version);
  if (!agreed_ && !(method && method->any_time)) {
    if (claims_seen_) {
      return refuse({protocol::kInvalidParams, *protocol::envelope_fault(request.envelope), id, {}},
                    batch);
    }
    if (!methods_.config().mcp.bare_calls) {
      return refuse({protocol::kInvalidRequest, "initialize first", id, {}}, batch);
    }
  }
  request.version = agreed_.value_or(protocol::kAssumed);
  request.bare = !agreed_;
  request.abilities = abilities_;
  request.client = &client_;
  if (agreed_) request.settings = &settings_;
  run(std::move(request), batch);
}

void StdioSession::initialize(const Message& message) {
  if (agreed_) return refuse({protocol::kInvalidRequest, "already initialized", message.id, {}});
  if (claims_seen_) {
    const json::Value* const asked =
        message.params ? json::find(*message.params, "protocolVersion") : nullptr;
    const std::string_view version = asked ? json::text(*asked) : std::string_view();
    // A modern version cannot be had by initialize either.
    auto fault =
        protocol::version_fault(protocol::is_modern_name(version) ? "" : version, message.id);
    return refuse(*fault);
  }
  auto outcome = methods_.initialize(message, who_);
  if (const auto* fault = std::get_if<Fault>(&outcome)) return refuse(*fault);
  const auto& agreed = std::get<Methods::Initialized>(outcome);
  agreed_ = agreed.version;
  abilities_ = agreed.abilities;
  send(agreed.text);
}

void StdioSession::listen(const Request& request) {
  const protocol::Id& id = request.message.id;
  auto read = read_listen(request, methods_.services());
  if (const auto* fault = std::get_if<Fault>(&read)) return refuse(*fault);
  if (listens_.contains(id) || in_flight_.contains(id)) {
    return refuse({protocol::kInvalidRequest, "a request with this id is under way", id, {}});
  }
  Subscriptions& listens = methods_.announcer().listens();
  if (listens.size() >= methods_.config().limits.subscriptions) {
    return refuse({protocol::kBusy, "too many subscriptions (limits.subscriptions)", id, {}});
  }
  News wanted = std::get<News>(std::move(read));
  for (const std::string& message : first_messages(request, methods_.services(), wanted))
    send(message);
  const auto tell = [weak = weak_from_this(), id, wanted](const News& news) {
    const auto self = weak.lock();
    if (!self) return;
    self->tell(part_of(news, wanted), id);
  };
  const auto wishes = [uris = wanted.resources](Uris& all) {
    all.insert(uris.begin(), uris.end());
  };
  listens_.emplace(id, listens.add(who_, tell, wishes));
}

// A client that does not read its output hears of everything once it reads again, however often it
// happened meanwhile.
void StdioSession::tell(News news, const protocol::Id& listen) {
  if (!news.any()) return;
  if (connection_.is_behind() || missed_.contains(listen))
    return missed_[listen].add(std::move(news));
  for (const std::string& message : notifications_of(news, listen)) send(message);
}

void StdioSession::on_drained() {
  for (const auto& [listen, news] : std::exchange(missed_, {})) {
    if (!listen.empty() && !listens_.contains(listen)) continue;
    for (const std::string& message : notifications_of(news, listen)) send(message);
  }
}

void StdioSession::run(Request&& request, const BatchPtr& batch) {
  const protocol::Id& id = request.message.id;
  if (in_flight_.contains(id) || listens_.contains(id)) {
    return refuse({protocol::kInvalidRequest, "a request with this id is under way", id, {}},
                  batch);
  }
  if (const auto reply = methods_.answer_at_once(request)) return answer(reply->text, id, batch);
  start(std::move(request), batch);
}

void StdioSession::start(Request&& request, const BatchPtr& batch) {
  request.cancel = std::make_shared<Cancel>();
  in_flight_.emplace(request.message.id, request.cancel);
  if (batch) batch->expect();
  const protocol::Id id = request.message.id;
  spawn(methods_.services().executor, {"session", "answers a request"},
        call(shared_from_this(), std::move(request), batch),
        [self = shared_from_this(), id, batch](const Result<void>& ended) {
          if (!ended) self->broke_off(id, ended.error(), batch);
        });
}

void StdioSession::broke_off(const protocol::Id& id, const Error& why, const BatchPtr& batch) {
  if (in_flight_.erase(id) == 0) return;  // it had its answer
  const std::string text = protocol::error_text({protocol::kInternalError, why.message, id, {}});
  if (batch) {
    batch->arrived(text, id);
  } else {
    send(text);
  }
  finish_if_idle();
}

awaitable<void> StdioSession::call(std::shared_ptr<StdioSession> self, Request request,
                                   BatchPtr batch) {
  const Reply reply = co_await self->methods_.answer(request);
  self->in_flight_.erase(request.message.id);
  const std::string_view text = reply.cancelled ? std::string_view() : std::string_view(reply.text);
  if (batch) {
    batch->arrived(text, request.message.id);
  } else if (!text.empty() && !self->over_) {
    // Beside other calls, more answers may come in this turn, and leave in one write.
    self->in_flight_.empty() ? self->connection_.send_last(text) : self->connection_.send(text);
  }
  self->finish_if_idle();
}

void StdioSession::cancel(const protocol::Id& id) {
  listens_.erase(id);
  const auto at = in_flight_.find(id);
  if (at == in_flight_.end()) return;  // too late, or never here: both are nothing to answer
  const auto cancel = at->second;      // the call may end while it is cancelled
  cancel->request();
}

void StdioSession::cancel_all() {
  std::vector<std::shared_ptr<Cancel>> all;
  for (const auto& [id, cancel] : in_flight_) all.push_back(cancel);
  for (const auto& cancel : all) cancel->request();
}

void StdioSession::on_end() {
  if (std::exchange(draining_, true)) return;
  listens_.clear();
  news_.reset();
  const auto self = shared_from_this();
  client_.close();
  if (!in_flight_.empty()) {
    auto end = cancel_after(methods_.services().executor, methods_.config().call.grace,
                            weak_from_this(), [](StdioSession& session) { session.cancel_all(); });
    spawn(methods_.services().executor, {"session", "ends what runs after the grace"},
          std::move(end), [weak = weak_from_this()](const Result<void>& ended) {
            if (const auto alive = weak.lock(); alive && !ended) alive->cancel_all();
          });
  }
  finish_if_idle();
}

void StdioSession::stop() {
  stopping_ = true;
  for (const auto& [id, registration] : listens_) {
    send(protocol::listen_end_answer(id));
    send(protocol::cancelled_notification(id, "the host stops"));
  }
  listens_.clear();
  news_.reset();
  finish_if_idle();
}

void StdioSession::finish_if_idle() {
  const bool ends = draining_ || stopping_;
  if (!ends || over_ || !in_flight_.empty()) return;
  over_ = true;
  connection_.close();
  if (on_over_) on_over_();
}

}  // namespace host::mcp
