// The end of a connection over Streamable HTTP, and of a session that the upstream has forgotten.
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

#include "upstream/http/session.h"

namespace host::upstream {
namespace {

constexpr std::chrono::milliseconds kFarewell{2000};

}  // namespace

void HttpSession::fail(const protocol::Id& id, Reached reached, const Error& why) {
  if (listener_ && !is_closing_ && !id.empty()) listener_->failed(id, reached, why);
}

// ---- a session that the upstream has forgotten

void HttpSession::lost() {
  session_.clear();
  // Messages that wait to be sent end with the connection, so that a new one begins at once.
  const bool ends_now = is_closing_ || (!is_lost_ && !waits_for_answers());
  if (ends_now) return end(forgotten_session());
  if (!std::exchange(is_lost_, true)) leave();
  end_if_answered();
}

// What was sent can be answered as long as its response is open. Anything else never can.
void HttpSession::leave() {
  if (standing_.exchange) standing_.exchange->close();
  standing_ = {};
  is_blocked_ = waits_to_stand_ = false;
  std::vector<std::pair<protocol::Id, Reached>> gone;
  std::vector<protocol::Id> unanswered;  // requests whose question gets no answer
  for (const Outgoing& waiting : std::exchange(blocked_, {})) {
    if (!waiting.method.empty()) gone.emplace_back(waiting.id, Reached::No);
  }
  std::erase_if(sent_, [&](const auto& entry) {
    const Sent& sent = entry.second;
    const bool never_ends = !sent.exchange && !sent.is_answered;
    if (never_ends) gone.emplace_back(sent.id, sent.again ? Reached::No : Reached::Perhaps);
    if (never_ends) unanswered.push_back(sent.asker);
    return never_ends;
  });
  for (const auto& [id, reached] : gone) fail(id, reached, forgotten_session());
  for (const protocol::Id& asker : unanswered) lose_answer(asker);
  if (listener_ && waits_for_answers()) listener_->leaving(forgotten_session());
}

bool HttpSession::waits_for_answers() const {
  return std::any_of(sent_.begin(), sent_.end(), [](const auto& entry) {
    return !entry.second.id.empty() && !entry.second.is_answered;
  });
}

void HttpSession::end_if_answered() {
  if (is_lost_ && listener_ && !is_closing_ && !waits_for_answers()) end(forgotten_session());
}

// For calls from outside, because no listener is called from there.
void HttpSession::end_soon_if_answered() {
  boost::asio::post(io_, [weak = weak_from_this()] {
    if (const auto there = weak.lock()) there->end_if_answered();
  });
}

void HttpSession::refuse_to_send(const Outgoing& message) {
  const protocol::Id request = message.method.empty() ? protocol::Id() : message.id;
  boost::asio::post(io_, [weak = weak_from_this(), request, asker = message.asker] {
    const auto there = weak.lock();
    if (!there) return;
    there->fail(request, Reached::No, forgotten_session());
    there->lose_answer(asker);
    there->end_if_answered();
  });
}

SessionLoss HttpSession::loss_of(const Sent& sent, const Exchange::Outcome& outcome) const {
  const bool has_session = (is_lost_ || !session_.empty()) && !sent.stateless;
  if (!has_session) return SessionLoss::None;
  return session_loss(outcome.status, outcome, sent.about());
}

// The upstream would wait for the answer, and the request for the upstream.
void HttpSession::lose_answer(const protocol::Id& asker) {
  const auto at = asker.empty() ? sent_.end() : find(asker);
  if (at == sent_.end() || at->second.is_answered) return;
  finish(at->first);
  fail(asker, Reached::Perhaps, forgotten_session());
}

// ---- the end

void HttpSession::close() {
  if (!listener_ || std::exchange(is_closing_, true)) return;
  for (const auto& [key, sent] : sent_) {
    if (sent.exchange) sent.exchange->close();
  }
  if (standing_.exchange) standing_.exchange->close();
  standing_ = {};
  const auto say_end = [weak = weak_from_this()] {
    if (const auto there = weak.lock()) there->end({ErrorKind::Unavailable, "it was closed"});
  };
  if (session_.empty() || is_stateless(version_)) return boost::asio::post(io_, say_end);
  Exchange::Handlers handlers;
  // What follows the head is of no interest, and it may never end.
  handlers.head = [say_end](const outbound::StreamHead&) { say_end(); };
  handlers.event = [](const ServerEvent&) {};
  handlers.text = [](std::string_view) {};
  handlers.end = [say_end](const Exchange::Outcome&) { say_end(); };
  auto request = session_request("DELETE");
  request.deadline = steady_now() + kFarewell;
  outbound::StreamLimits limits;
  limits.head = kFarewell;
  farewell_ = begin(std::move(request), limits, std::move(handlers));
}

void HttpSession::drop() {
  listener_ = nullptr;
  for (const auto& [key, sent] : sent_) {
    if (sent.exchange) sent.exchange->close();
  }
  sent_.clear();
  answered_.clear();
  blocked_.clear();
  if (standing_.exchange) standing_.exchange->close();
  if (farewell_) farewell_->close();
  standing_ = {};
  pause_timer_.cancel();
}

void HttpSession::end(const Error& why) {
  TransportListener* const listener = listener_;
  drop();
  if (listener) listener->ended(why);
}

}  // namespace host::upstream
