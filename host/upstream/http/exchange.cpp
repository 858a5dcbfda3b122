#include "upstream/http/exchange.h"

#include <algorithm>
#include <utility>

#include "base/text/letters.h"

namespace host::upstream {
namespace {

constexpr std::size_t kMostRefusalBytes = 64u << 10u;

bool is_success(int status) {
  return status >= 200 && status < 300;
}

bool can_be_json(std::string_view body) {
  const std::string_view text = without_mark(body.substr(0, kMostRefusalBytes));
  return text.empty() || text.front() == '{' || text.front() == '[';
}

bool is_event_stream(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  return same_letters(type.substr(0, type.find_last_not_of(' ') + 1), "text/event-stream");
}

std::string challenge_of(const outbound::StreamHead& head) {
  std::string out;
  for (const auto& [name, value] : head.headers) {
    if (same_letters(name, "www-authenticate")) out += (out.empty() ? "" : ", ") + value;
  }
  return out;
}

}  // namespace

std::string_view without_mark(std::string_view body) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
  return body.substr(std::min(body.find_first_not_of(" \t\r\n"), body.size()));
}

std::shared_ptr<Exchange> Exchange::begin(const boost::asio::any_io_executor& io,
                                          outbound::Gate& gate, outbound::Request request,
                                          ExchangeLimits limits, Handlers handlers) {
  const std::shared_ptr<Exchange> made(
      new Exchange(io, gate, std::move(limits), std::move(handlers)));
  if (made->limits_.authorizer) {
    made->request_ = std::move(request);
    made->ask_for_token();
  } else {
    made->open(std::move(request));
  }
  return made;
}

void Exchange::ask_for_token() {
  limits_.authorizer->token([weak = weak_from_this()](Result<std::string> token) {
    if (const auto there = weak.lock()) there->send(std::move(token));
  });
}

void Exchange::send(Result<std::string> token) {
  if (!handlers_) return;
  if (!token) {
    denial_ = token.error();
    return end(token.error(), false);
  }
  token_ = *std::move(token);
  outbound::Request request = *request_;
  if (!token_.empty()) request.headers.emplace_back("Authorization", "Bearer " + token_);
  open(std::move(request));
}

void Exchange::open(outbound::Request request) {
  const auto weak = weak_from_this();
  outbound::StreamHandlers stream;
  stream.head = [weak](const outbound::StreamHead& head) {
    if (const auto there = weak.lock()) there->head(head);
  };
  stream.body = [weak](std::string_view bytes) {
    if (const auto there = weak.lock()) there->body(bytes);
  };
  stream.end = [weak](const outbound::StreamEnd& ended) {
    if (const auto there = weak.lock()) there->stream_ended(ended.error, ended.sent);
  };
  stream_ = gate_.open(std::move(request), limits_.stream, std::move(stream));
  if (is_held()) stream_->pause();
}

// Its body is not read: it is closed here.
void Exchange::refused(int status, std::string challenge) {
  stream_ = nullptr;
  Authorizer::Refusal refusal;
  refusal.status = status;
  refusal.token = token_;
  refusal.is_second = std::exchange(was_refused_, true);
  refusal.challenge = std::move(challenge);
  limits_.authorizer->refused(std::move(refusal),
                              [weak = weak_from_this(), status](Result<std::string> token) {
                                const auto there = weak.lock();
                                if (!there || !there->handlers_) return;
                                if (token) return there->send(std::move(token));
                                there->status_ = status;
                                there->denial_ = token.error();
                                there->end(std::nullopt, true);
                              });
}

Exchange::~Exchange() {
  close();
}

void Exchange::close() {
  handlers_ = nullptr;
  stream_ = nullptr;
  rest_pause_.cancel();
  limits_.budget->keep(std::exchange(unfinished_, 0), 0);
}

void Exchange::pause() {
  is_paused_ = true;
  if (stream_) stream_->pause();
}

void Exchange::resume() {
  is_paused_ = false;
  go_on();
}

void Exchange::head(const outbound::StreamHead& head) {
  if (limits_.authorizer && handlers_) {
    std::string challenge = challenge_of(head);
    if (limits_.authorizer->concerns(head.status, challenge))
      return refused(head.status, std::move(challenge));
    limits_.authorizer->accepted(token_);
  }
  request_.reset();
  status_ = head.status;
  is_events_ = is_event_stream(head.header("content-type"));
  const auto handlers = handlers_;
  if (handlers && handlers->head) handlers->head(head);
}

void Exchange::body(std::string_view bytes) {
  if (!handlers_) return;
  const auto self = shared_from_this();
  Work work(limits_.budget, bytes.size());
  if (!is_events_) {
    text(bytes);
  } else if (is_held() || !rest_.empty()) {
    rest_.append(bytes);
  } else {
    take(bytes);
  }
  if (!handlers_) return;
  if (!count_unfinished()) {
    return end(Error{ErrorKind::Io, "responses that are not whole have more than " +
                                        std::to_string(limits_.budget->most_unfinished()) +
                                        " bytes together"},
               true);
  }
  const auto debt = work.end();
  if (debt.count() > 0 || (!is_held() && !rest_.empty())) read_later(debt);
}

void Exchange::text(std::string_view bytes) {
  body_.append(bytes);
  if (!is_success(status_) && !keeps_all()) return cut_refusal();
  if (body_.size() <= limits_.message_bytes) return;
  body_.resize(limits_.message_bytes);
  end(Error{ErrorKind::Io,
            "a response of more than " + std::to_string(limits_.message_bytes) + " bytes"},
      true);
}

bool Exchange::keeps_all() const {
  return handlers_ && handlers_->expects_result && can_be_json(body_);
}

void Exchange::cut_refusal() {
  if (body_.size() < kMostRefusalBytes) return;
  body_.resize(kMostRefusalBytes);
  end(std::nullopt, true);
}

// The events before the answer only show that the call ran.
void Exchange::take_refusal(const ServerEvent& event) {
  const auto handlers = handlers_;
  if (!handlers) return;
  if (handlers->is_answer && handlers->is_answer(event.data)) {
    events_before_answer_ = !body_.empty();
    body_ = event.data;
    return end(std::nullopt, true);
  }
  if (!body_.empty()) body_ += '\n';
  body_ += event.data;
  if (!handlers->expects_result) return cut_refusal();
  body_.resize(std::min(body_.size(), kMostRefusalBytes));
}

// What is not read for now is the rest.
void Exchange::take(std::string_view bytes) {
  const auto handlers = handlers_;
  const SteadyTime began = steady_now();
  const auto read = reader_.take(
      bytes,
      [&](const ServerEvent& event) {
        if (is_success(status_)) return handlers->event(event);
        take_refusal(event);
      },
      [&] { return handlers_ && !is_paused_ && steady_now() - began < Budget::kSlice; });
  if (!handlers_) return;
  if (!read) return end(read.error(), true);
  rest_ = std::string(bytes.substr(*read));
}

bool Exchange::count_unfinished() {
  const std::size_t now = reader_.unfinished() + body_.size() + rest_.size();
  return limits_.budget->keep(std::exchange(unfinished_, now), now);
}

void Exchange::read_later(Budget::Duration pause) {
  rests_ = true;
  if (stream_) stream_->pause();
  rest_pause_.expires_after(pause);
  rest_pause_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto there = weak.lock();
    if (error || !there) return;
    there->rests_ = false;
    there->go_on();
  });
}

void Exchange::go_on() {
  if (!handlers_ || is_held()) return;
  const auto self = shared_from_this();
  if (!rest_.empty()) {
    Work work(limits_.budget, 0);
    take(std::exchange(rest_, {}));
    if (!handlers_) return;
    const auto debt = work.end();
    count_unfinished();  // it can only have become less
    if (is_paused_) return;
    if (debt.count() > 0 || !rest_.empty()) return read_later(debt);
  }
  if (waiting_end_) return end(std::move(waiting_end_->error), waiting_end_->sent);
  if (stream_) stream_->resume();
}

void Exchange::stream_ended(std::optional<Error> error, bool sent) {
  if (handlers_ && !rest_.empty()) {
    waiting_end_ = End{std::move(error), sent};
  } else {
    end(std::move(error), sent);
  }
}

void Exchange::end(std::optional<Error> error, bool sent) {
  const auto self = shared_from_this();
  const bool is_text = !error && is_success(status_) && !is_events_ && !body_.empty();
  const auto handlers = handlers_;
  if (is_text && handlers) handlers->text(body_);
  if (!std::exchange(handlers_, nullptr)) return;
  close();
  Outcome outcome;
  outcome.status = status_;
  outcome.error = std::move(error);
  outcome.denial = std::move(denial_);
  outcome.sent = sent;
  outcome.had_events = is_events_ && is_success(status_);
  outcome.refused_in_events = is_events_ && !is_success(status_);
  outcome.events_before_answer = events_before_answer_;
  outcome.last_id = reader_.last_id();
  outcome.retry = reader_.retry();
  if (!is_success(status_))
    outcome.refusal = handlers->is_answer ? std::string(without_mark(body_)) : std::move(body_);
  handlers->end(std::move(outcome));
}

}  // namespace host::upstream
