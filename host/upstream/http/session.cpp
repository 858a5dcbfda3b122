#include "upstream/http/session.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

#include "protocol/mirrored_headers.h"

namespace host::upstream {
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;

constexpr std::uint32_t kMostResumptions = 5;
// Without anything that works beside it, so many connections that cannot be made end the session.
constexpr std::uint32_t kMostUnreachable = 3;
// A server should end a response with its answer. One that does not may not use up the streams.
constexpr std::size_t kMostAnsweredOpen = 8;
constexpr std::size_t kMostSessionBytes = 1024;

outbound::StreamLimits head_within(milliseconds time) {
  outbound::StreamLimits limits;
  limits.head = time;
  return limits;
}

// Visible ASCII, as the specification wants it. Anything else is no session.
bool is_session_id(std::string_view text) {
  return !text.empty() && text.size() <= kMostSessionBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x21 && c <= 0x7e; });
}

bool is_message(const ServerEvent& event) {
  return (event.type.empty() || event.type == "message") && !event.data.empty();
}

// No byte left: a connection could not be made.
bool is_unreachable(const Exchange::Outcome& outcome) {
  return outcome.status == 0 && !outcome.sent &&
         (!outcome.error || outcome.error->kind == ErrorKind::Io);
}

}  // namespace

bool HttpSession::is_stateless(const std::optional<protocol::Version>& version) {
  return version && protocol::features(*version).stateless;
}

// ---- what is sent

void HttpSession::send(Outgoing message) {
  if (!listener_ || is_closing_) return;
  if (is_lost_) return refuse_to_send(message);
  if (suspension_.was_suspended() && standing_.exchange) open_standing_again();
  if (is_blocked_) {
    blocked_.push_back(std::move(message));
  } else {
    post(std::move(message));
  }
}

outbound::Headers HttpSession::headers_of(const Outgoing& message) const {
  outbound::Headers headers = {{"Content-Type", "application/json"},
                               {"Accept", "application/json, text/event-stream"}};
  if (message.version) {
    headers.emplace_back("MCP-Protocol-Version", protocol::to_string(*message.version));
  }
  if (!is_stateless(message.version)) {
    if (!session_.empty()) headers.emplace_back("Mcp-Session-Id", session_);
    return headers;
  }
  if (!message.method.empty()) headers.emplace_back("Mcp-Method", message.method);
  if (!message.name.empty()) {
    headers.emplace_back("Mcp-Name", protocol::encode_header(message.name));
  }
  for (const auto& [name, value] : message.mirrored) {
    headers.emplace_back("Mcp-Param-" + name, value);
  }
  return headers;
}

void HttpSession::post(Outgoing message) {
  const Key key = ++last_key_;
  Sent& sent = sent_[key];
  if (!message.method.empty()) sent.id = message.id;
  sent.stateless = is_stateless(message.version);
  sent.initializes = message.method == "initialize";
  // Servers refuse requests that overtake it.
  sent.unblocks = message.method == "notifications/initialized";
  is_blocked_ = is_blocked_ || sent.unblocks;
  sent.is_answer = message.method.empty();
  if (sent.is_answer) sent.question = message.id;
  sent.asker = message.asker;
  if (!message.id.empty()) sent.again = message;
  transmit(key, std::move(message));
}

void HttpSession::transmit(Key key, Outgoing message) {
  Sent& sent = sent_.at(key);
  auto request = request_to(settings_, "POST", settings_.url);
  for (auto& header : headers_of(message)) request.headers.push_back(std::move(header));
  request.body = std::move(message.text);
  const milliseconds head = sent.id.empty() ? settings_.short_answer : milliseconds(0);
  sent.exchange = begin(std::move(request), head_within(head), handlers_of(key));
}

std::shared_ptr<Exchange> HttpSession::begin(outbound::Request request,
                                             outbound::StreamLimits limits,
                                             Exchange::Handlers handlers) {
  auto exchange =
      Exchange::begin(io_, *gate_, std::move(request),
                      {settings_.message_bytes, settings_.budget, limits, settings_.authorizer},
                      std::move(handlers));
  if (is_paused_) exchange->pause();
  return exchange;
}

void HttpSession::unblock() {
  is_blocked_ = false;
  if (std::exchange(waits_to_stand_, false)) open_standing();
  while (!blocked_.empty() && !is_blocked_) {
    Outgoing next = std::move(blocked_.front());
    blocked_.pop_front();
    post(std::move(next));
  }
}

HttpSession::Sents::iterator HttpSession::find(const protocol::Id& request) {
  return std::find_if(sent_.begin(), sent_.end(),
                      [&](const auto& entry) { return entry.second.id == request; });
}

void HttpSession::cancel(const protocol::Id& request, std::string notification) {
  std::erase_if(blocked_, [&](const Outgoing& waiting) { return waiting.id == request; });
  const auto at = find(request);
  if (at == sent_.end()) return;
  const bool stateless = at->second.stateless;
  const auto exchange = at->second.exchange;
  sent_.erase(at);
  if (exchange) exchange->close();
  if (is_lost_) return end_soon_if_answered();
  if (stateless) return;  // the closed response says it
  Outgoing message;
  message.text = std::move(notification);
  message.method = "notifications/cancelled";
  message.version = version_;
  send(std::move(message));
}

// ---- what comes

Exchange::Handlers HttpSession::handlers_of(Key key) {
  Exchange::Handlers handlers;
  const auto weak = weak_from_this();
  handlers.head = [weak, key](const outbound::StreamHead& head) {
    if (const auto there = weak.lock()) there->head(key, head);
  };
  handlers.event = [weak, key](const ServerEvent& event) {
    const auto there = weak.lock();
    if (!there) return;
    if (const auto at = there->sent_.find(key); at != there->sent_.end())
      at->second.resumptions = 0;
    if (is_message(event)) there->message(key, event.data, Response::Open);
  };
  handlers.text = [weak, key](std::string_view text) {
    if (const auto there = weak.lock()) there->message(key, text, Response::Ends);
  };
  if (const protocol::Id& about = sent_.at(key).about(); !about.empty()) {
    handlers.is_answer = [about](std::string_view text) { return answers(text, about); };
    handlers.expects_result = !sent_.at(key).is_answer;
  }
  handlers.end = [weak, key](Exchange::Outcome outcome) {
    if (const auto there = weak.lock()) there->ended(key, std::move(outcome));
  };
  return handlers;
}

void HttpSession::head(Key key, const outbound::StreamHead& head) {
  unreachable_ = 0;
  const auto at = sent_.find(key);
  if (at == sent_.end()) return;
  Sent& sent = at->second;
  sent.has_head = true;
  sent.again.reset();
  if (head.status / 100 != 2) return;
  if (std::exchange(sent.initializes, false)) {  // a response that is continued names no session
    const std::string_view id = head.header("mcp-session-id");
    session_ = is_session_id(id) ? std::string(id) : std::string();
  }
  if (std::exchange(sent.unblocks, false)) unblock();
  if (sent.id.empty()) answered(key, Response::Open);  // nothing more is expected
}

void HttpSession::message(Key key, std::string_view text, Response response) {
  const auto at = sent_.find(key);
  if (at == sent_.end() || !listener_ || is_closing_) return;
  text = without_mark(text);
  const protocol::Id id = at->second.id;
  if (answers(text, id)) answered(key, response);
  listener_->message(text, id);
  end_if_answered();
}

// Its response ends with it, in good order.
void HttpSession::answered(Key key, Response response) {
  Sent& sent = sent_.at(key);
  if (std::exchange(sent.is_answered, true) || response == Response::Ends) return;
  answered_.push_back(key);
  sent.pause = std::make_unique<boost::asio::steady_timer>(io_, kAnsweredOpen);
  sent.pause->async_wait([weak = weak_from_this(), key](error_code error) {
    const auto there = weak.lock();
    if (there && !error) there->finish(key);
  });
  if (answered_.size() > kMostAnsweredOpen) finish(answered_.front());
}

void HttpSession::finish(Key key) {
  std::erase(answered_, key);
  const auto at = sent_.find(key);
  if (at == sent_.end()) return;
  const auto exchange = at->second.exchange;
  sent_.erase(at);
  if (exchange) exchange->close();
}

void HttpSession::ended(Key key, Exchange::Outcome outcome) {
  const auto at = sent_.find(key);
  if (at == sent_.end()) return;
  Sent& sent = at->second;
  if (!outcome.last_id.empty()) sent.last_id = outcome.last_id;
  if (outcome.retry) sent.retry = outcome.retry;
  const bool is_over = sent.id.empty() || sent.is_answered;
  const bool is_success = outcome.status / 100 == 2;
  // After a resumption even its first connection may fail.
  const bool is_resumed = sent.resumptions > 0;
  if (!is_over && (is_success || is_resumed)) return broke_off(key, outcome);
  if (is_unreachable(outcome) && sent.again && is_alive() && !is_lost_) return try_again(key);
  if (sent.is_answered) std::erase(answered_, key);
  const Sent done = std::move(sent);
  sent_.erase(at);
  const auto self = shared_from_this();
  if (!is_success && !done.is_answered) refused(done, outcome);
  if (done.unblocks) unblock();
  end_if_answered();
}

// The session works beside this one connection that could not be made.
void HttpSession::try_again(Key key) {
  Sent& sent = sent_.at(key);
  sent.exchange = nullptr;
  sent.pause = std::make_unique<boost::asio::steady_timer>(io_, retry_pause(std::nullopt));
  sent.pause->async_wait([weak = weak_from_this(), key](error_code error) {
    const auto there = weak.lock();
    if (error || !there || there->is_closing_) return;
    const auto at = there->sent_.find(key);
    if (at == there->sent_.end()) return;
    Outgoing message = *std::move(at->second.again);
    at->second.again.reset();
    there->transmit(key, std::move(message));
  });
}

// A response arrives, beside those that could not be connected to.
bool HttpSession::is_alive() const {
  return standing_.is_open || std::any_of(sent_.begin(), sent_.end(), [](const auto& entry) {
           return entry.second.has_head && entry.second.exchange;
         });
}

void HttpSession::broke_off(Key key, const Exchange::Outcome& outcome) {
  Sent& sent = sent_.at(key);
  const bool can_resume = !is_lost_ && !sent.stateless && !sent.last_id.empty() &&
                          !was_refused(outcome.status) && sent.resumptions < kMostResumptions;
  if (can_resume) return resume(key);
  const protocol::Id id = sent.id;
  sent_.erase(key);
  const std::string why = outcome.error ? outcome.error->message : "it ended without an answer";
  fail(id, Reached::Perhaps, {ErrorKind::Io, "the response broke off: " + why});
  end_if_answered();
}

void HttpSession::resume(Key key) {
  Sent& sent = sent_.at(key);
  ++sent.resumptions;
  sent.exchange = nullptr;
  sent.pause = std::make_unique<boost::asio::steady_timer>(io_);
  sent.pause->expires_after(retry_pause(sent.retry));
  sent.pause->async_wait([weak = weak_from_this(), key](error_code error) {
    const auto there = weak.lock();
    if (there && !error) there->reopen(key);
  });
}

void HttpSession::reopen(Key key) {
  const auto at = sent_.find(key);
  if (at == sent_.end() || is_closing_) return;
  auto request = session_request("GET");
  request.headers.emplace_back("Accept", "text/event-stream");
  request.headers.emplace_back("Last-Event-ID", at->second.last_id);
  at->second.exchange =
      begin(std::move(request), head_within(settings_.short_answer), handlers_of(key));
}

outbound::Request HttpSession::session_request(std::string_view method) const {
  auto request = request_to(settings_, method, settings_.url);
  if (version_) {
    request.headers.emplace_back("MCP-Protocol-Version", protocol::to_string(*version_));
  }
  if (!session_.empty()) request.headers.emplace_back("Mcp-Session-Id", session_);
  return request;
}

// The response is an error, or there was none.
void HttpSession::refused(const Sent& sent, const Exchange::Outcome& outcome) {
  if (outcome.denial && outcome.denial->kind == ErrorKind::Cancelled) {  // of its former login
    fail(sent.id, Reached::No, {ErrorKind::NotFound, outcome.denial->message});
    session_.clear();  // of the former login
    return end({ErrorKind::NotFound, outcome.denial->message});
  }
  const SessionLoss loss = loss_of(sent, outcome);
  if (sent.is_answer) log_lost_answer(settings_, outcome);
  const bool may_have_arrived = outcome.status == 0 && outcome.sent;
  if (loss != SessionLoss::None || (is_lost_ && !may_have_arrived)) lose_answer(sent.asker);
  if (loss == SessionLoss::Forgotten) {
    fail(sent.id, Reached::No, forgotten_session());
    return lost();
  }
  if (answers(outcome.refusal, sent.id)) {  // the call was carried out, or it was refused
    const bool is_heard = listener_ && !is_closing_;
    if (is_heard && loss == SessionLoss::Named) listener_->names_lost_session(sent.id);
    if (is_heard) listener_->message(outcome.refusal, sent.id);
    if (loss != SessionLoss::None) lost();
    return;
  }
  if (loss != SessionLoss::None) {  // of an answer to a question, or it broke off
    fail(sent.id, Reached::Perhaps, forgotten_session());
    return lost();
  }
  if (outcome.status != 0) {
    const Reached reached = refuses(outcome) ? Reached::No : Reached::Perhaps;
    return fail(sent.id, reached, of_request(outcome.denial.value_or(refusal_of(outcome.status))));
  }
  const Error why = outcome.error.value_or(Error{ErrorKind::Io, "it did not answer"});
  if (!is_unreachable(outcome) || is_alive())
    return fail(sent.id, outcome.sent ? Reached::Perhaps : Reached::No, of_request(why));
  fail(sent.id, Reached::No, of_connection(why));
  end(of_connection(why));
}

// ---- the stream of messages that belong to no request

void HttpSession::negotiated(protocol::Version version) {
  version_ = version;
  if (is_stateless(version_)) return;
  boost::asio::post(io_, [weak = weak_from_this()] {
    if (const auto there = weak.lock()) there->open_standing();
  });
}

void HttpSession::open_standing() {
  if (!listener_ || is_closing_ || is_lost_) return;
  // A server could take it for a request of somebody who never said hello: unblock() opens it.
  waits_to_stand_ = is_blocked_;
  if (is_blocked_) return;
  auto request = session_request("GET");
  request.headers.emplace_back("Accept", "text/event-stream");
  if (!standing_.last_id.empty()) request.headers.emplace_back("Last-Event-ID", standing_.last_id);
  Exchange::Handlers handlers;
  const auto weak = weak_from_this();
  handlers.head = [weak](const outbound::StreamHead& head) {
    const auto there = weak.lock();
    if (!there) return;
    there->unreachable_ = 0;
    if (head.status == 200) there->standing_opened();
  };
  handlers.event = [weak](const ServerEvent& event) {
    const auto there = weak.lock();
    const bool is_wanted = there && there->listener_ && !there->is_closing_ && is_message(event);
    if (is_wanted) there->listener_->message(event.data, {});
  };
  handlers.text = [](std::string_view) {};
  handlers.end = [weak](const Exchange::Outcome& outcome) {
    if (const auto there = weak.lock()) there->standing_ended(outcome);
  };
  standing_.exchange = begin(std::move(request), head_within(milliseconds(0)), std::move(handlers));
}

// After a suspension the stream may be dead, and it would not be noticed for minutes.
void HttpSession::open_standing_again() {
  standing_.exchange->close();
  standing_.exchange = nullptr;
  standing_.is_open = false;
  standing_.has_gap = true;
  standing_.last_id.clear();  // the id of its last event is not known here
  open_standing();
}

void HttpSession::standing_opened() {
  standing_.is_open = true;
  standing_.was_open = true;
  standing_.pauses.opened();
  if (std::exchange(standing_.has_gap, false) && listener_) listener_->missed();
}

void HttpSession::standing_ended(const Exchange::Outcome& outcome) {
  standing_.exchange = nullptr;
  standing_.is_open = false;
  if (!outcome.last_id.empty()) standing_.last_id = outcome.last_id;
  // Servers without such a stream answer 404 too.
  const bool is_lost = standing_.was_open && !session_.empty() && !outcome.had_events &&
                       session_loss(outcome.status, outcome, {}) != SessionLoss::None;
  if (is_lost) return lost();
  // Gateways and restarts pass: only a server that never had such a stream has none.
  const bool is_refusal = outcome.status != 0 && !outcome.had_events && !may_pass(outcome.status);
  if (outcome.status == 405 || (is_refusal && !standing_.was_open)) return;
  if (outcome.status == 0 && ++unreachable_ >= kMostUnreachable && !is_alive()) {
    return end(
        of_connection(outcome.error.value_or(Error{ErrorKind::Unavailable, "it does not answer"})));
  }
  // Where events have ids, the server sends those that were missed.
  standing_.has_gap = standing_.has_gap || !outcome.had_events || standing_.last_id.empty();
  standing_.pause =
      std::make_unique<boost::asio::steady_timer>(io_, standing_.pauses.next(outcome));
  standing_.pause->async_wait([weak = weak_from_this()](error_code error) {
    const auto there = weak.lock();
    if (there && !error) there->open_standing();
  });
}

// ---- pauses

void HttpSession::pause_reading(milliseconds pause) {
  is_paused_ = true;
  for (const auto& exchange : exchanges()) exchange->pause();
  pause_timer_.expires_after(pause);
  pause_timer_.async_wait([weak = weak_from_this()](error_code error) {
    const auto there = weak.lock();
    if (!there || error) return;
    there->is_paused_ = false;
    // What waits in them is handed on now, and may pause them again or end them.
    for (const auto& exchange : there->exchanges()) {
      if (!there->is_paused_) exchange->resume();
    }
  });
}

std::vector<std::shared_ptr<Exchange>> HttpSession::exchanges() const {
  std::vector<std::shared_ptr<Exchange>> all;
  for (const auto& [key, sent] : sent_) {
    if (sent.exchange) all.push_back(sent.exchange);
  }
  if (standing_.exchange) all.push_back(standing_.exchange);
  return all;
}

}  // namespace host::upstream
