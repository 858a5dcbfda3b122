#include "upstream/http/sse_session.h"

#include <boost/asio/post.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

#include <utility>

#include "upstream/http/http_requests.h"

namespace host::upstream {
namespace {

// Of a reference in the stream's first event. Only the origin of the stream itself is allowed.
Result<std::string> absolute(const std::string& base, std::string_view reference) {
  const auto from = boost::urls::parse_uri(base);
  const auto to = boost::urls::parse_uri_reference(reference);
  boost::urls::url made;
  if (!from || !to || !boost::urls::resolve(*from, *to, made)) {
    return Error{ErrorKind::Io, "its endpoint event names no URL"};
  }
  std::string url(made.buffer());
  HOST_TRY_ASSIGN(const auto here, outbound::origin_of(base));
  const auto there = outbound::origin_of(url);
  if (!there || !(*there == here)) {
    return Error{ErrorKind::Denied, "its endpoint event names a different origin"};
  }
  return url;
}

bool is_of_former_login(const Exchange::Outcome& outcome) {
  return outcome.denial && outcome.denial->kind == ErrorKind::Cancelled;
}

}  // namespace

void SseSession::open(TransportListener& listener) {
  listener_ = &listener;
  auto request = request_to(settings_, "GET", settings_.url);
  request.headers.emplace_back("Accept", "text/event-stream");
  outbound::StreamLimits limits;
  Exchange::Handlers handlers;
  const auto weak = weak_from_this();
  handlers.event = [weak](const ServerEvent& event) {
    if (const auto there = weak.lock()) there->took(event);
  };
  handlers.text = [](std::string_view) {};
  handlers.end = [weak](const Exchange::Outcome& outcome) {
    if (const auto there = weak.lock()) there->stream_ended(outcome);
  };
  stream_ =
      Exchange::begin(io_, *gate_, std::move(request),
                      {settings_.message_bytes, settings_.budget, limits, settings_.authorizer},
                      std::move(handlers));
}

void SseSession::took(const ServerEvent& event) {
  if (!listener_) return;
  if (event.type == "endpoint" && endpoint_.empty()) return found_endpoint(event.data);
  const bool is_message = (event.type.empty() || event.type == "message") && !event.data.empty();
  if (!is_message || endpoint_.empty()) return;
  if (!posts_.empty()) answered(id_of_response(event.data));
  listener_->message(event.data, {});
}

// A response that stays open may not use up the streams.
void SseSession::answered(const protocol::Id& request) {
  if (request.empty()) return;
  for (auto& [key, post] : posts_) {
    if (post.id != request || post.close) continue;
    post.close = std::make_unique<boost::asio::steady_timer>(io_, kAnsweredOpen);
    post.close->async_wait([weak = weak_from_this(), key](boost::system::error_code error) {
      const auto there = weak.lock();
      if (there && !error) there->finish(key);
    });
  }
}

void SseSession::finish(std::uint64_t key) {
  const auto post = posts_.extract(key);
  if (post) post.mapped().exchange->close();
}

void SseSession::found_endpoint(std::string_view reference) {
  auto url = absolute(settings_.url, reference);
  if (!url) return end(url.error());
  endpoint_ = *std::move(url);
  while (!waiting_.empty()) {
    Outgoing next = std::move(waiting_.front());
    waiting_.pop_front();
    post(std::move(next));
  }
}

void SseSession::stream_ended(const Exchange::Outcome& outcome) {
  stream_ = nullptr;
  if (outcome.denial) return end(of_connection(*outcome.denial));
  if (outcome.status / 100 != 2 && outcome.status != 0) return end(refusal_of(outcome.status));
  if (outcome.error) return end({ErrorKind::Unavailable, outcome.error->message});
  const bool is_other = !outcome.had_events;
  end({ErrorKind::Unavailable, is_other ? "its answer is no stream of events (text/event-stream)"
                                        : "it ended its stream of events"});
}

void SseSession::send(Outgoing message) {
  if (!listener_) return;
  is_stale_ = is_stale_ || suspension_.was_suspended();
  if (is_stale_) {
    give_up(message);
  } else if (endpoint_.empty()) {
    waiting_.push_back(std::move(message));
  } else {
    post(std::move(message));
  }
}

// The answer would be sent to a stream that may be dead, and be lost there. A new connection gets
// it, also for other messages of this turn.
void SseSession::give_up(const Outgoing& message) {
  if (!message.method.empty() && !message.id.empty()) given_up_.push_back(message.id);
  boost::asio::post(io_, [weak = weak_from_this()] {
    const auto there = weak.lock();
    if (!there || !there->listener_) return;
    const Error why{ErrorKind::NotFound, "the machine was suspended, so its stream may be dead"};
    for (const protocol::Id& id : std::exchange(there->given_up_, {})) {
      if (there->listener_) there->listener_->failed(id, Reached::No, why);
    }
    if (there->listener_) there->end(why);
  });
}

void SseSession::cancel(const protocol::Id& request, std::string notification) {
  std::erase_if(waiting_, [&](const Outgoing& waiting) { return waiting.id == request; });
  std::erase_if(posts_, [&](const auto& entry) {
    const bool is_it = entry.second.id == request;
    if (is_it) entry.second.exchange->close();
    return is_it;
  });
  Outgoing message;
  message.text = std::move(notification);
  message.method = "notifications/cancelled";
  send(std::move(message));
}

// A request has no limit here: its sender has one, and the answer comes on the stream.
void SseSession::post(Outgoing message) {
  const std::uint64_t key = ++last_key_;
  auto request = request_to(settings_, "POST", endpoint_);
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = std::move(message.text);
  const bool is_answer = message.method.empty();
  const protocol::Id id = is_answer ? protocol::Id() : message.id;
  const protocol::Id question = is_answer ? message.id : protocol::Id();
  outbound::StreamLimits limits;
  limits.head = id.empty() ? settings_.short_answer : std::chrono::milliseconds(0);
  Exchange::Handlers handlers;
  handlers.event = [](const ServerEvent&) {};
  handlers.text = [](std::string_view) {};  // "Accepted", mostly
  if (!message.id.empty()) {
    handlers.is_answer = [about = message.id](std::string_view text) {
      return answers(text, about);
    };
    handlers.expects_result = !is_answer;
  }
  handlers.end = [weak = weak_from_this(), key, is_answer](const Exchange::Outcome& outcome) {
    const auto there = weak.lock();
    if (!there) return;
    const bool arrived = outcome.status / 100 == 2 && !outcome.error;
    if (is_answer && !arrived) log_lost_answer(there->settings_, outcome);
    there->post_ended(key, outcome);
  };
  auto exchange =
      Exchange::begin(io_, *gate_, std::move(request),
                      {settings_.message_bytes, settings_.budget, limits, settings_.authorizer},
                      std::move(handlers));
  posts_.emplace(key, Post{id, question, std::move(exchange), nullptr});
}

void SseSession::post_ended(std::uint64_t key, const Exchange::Outcome& outcome) {
  const auto ended = posts_.extract(key);
  if (!ended) return;
  const bool arrived = outcome.status / 100 == 2 && !outcome.error;
  if (arrived || !listener_) return;
  const auto self = shared_from_this();
  const Post& post = ended.mapped();
  const int status = outcome.status == 410 ? 404 : outcome.status;  // both say it
  const protocol::Id& about = post.id.empty() ? post.question : post.id;
  const SessionLoss loss = session_loss(status, outcome, about);
  const bool is_lost = loss != SessionLoss::None || is_of_former_login(outcome);
  if (loss != SessionLoss::Forgotten &&
      answers(outcome.refusal, about)) {  // carried out, or refused
    const bool is_heard = !post.id.empty() && !post.close;
    if (is_heard && loss == SessionLoss::Named) listener_->names_lost_session(post.id);
    if (is_heard) listener_->message(outcome.refusal, post.id);
    if (listener_ && is_lost) end(forgotten_session());
    return;
  }
  const bool never_arrived = loss == SessionLoss::Forgotten ||
                             (loss == SessionLoss::None && refuses(outcome)) ||
                             (outcome.status == 0 && !outcome.sent);
  const bool broke_off = outcome.status == 0 || outcome.status / 100 == 2;
  Error why = broke_off ? outcome.error.value_or(Error{}) : refusal_of(outcome.status);
  if (outcome.denial) why = *outcome.denial;
  why = of_request(std::move(why));
  // The stream may look well for a long time after its server has forgotten it.
  if (is_lost) why = forgotten_session();
  const bool is_open = !post.id.empty() && !post.close;
  if (is_open) listener_->failed(post.id, never_arrived ? Reached::No : Reached::Perhaps, why);
  if (listener_ && is_lost) end(why);
}

void SseSession::pause_reading(std::chrono::milliseconds pause) {
  if (!stream_) return;
  stream_->pause();
  pause_timer_.expires_after(pause);
  pause_timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto there = weak.lock();
    const auto stream = there && !error ? there->stream_ : nullptr;
    if (stream) stream->resume();  // what waits in it may end it
  });
}

void SseSession::close() {
  boost::asio::post(io_, [weak = weak_from_this()] {
    if (const auto there = weak.lock()) there->end({ErrorKind::Unavailable, "it was closed"});
  });
}

void SseSession::drop() {
  listener_ = nullptr;
  if (stream_) stream_->close();
  for (const auto& [key, post] : posts_) post.exchange->close();
  posts_.clear();
  waiting_.clear();
  pause_timer_.cancel();
}

void SseSession::end(const Error& why) {
  TransportListener* const listener = listener_;
  drop();
  if (listener) listener->ended(why);
}

}  // namespace host::upstream
