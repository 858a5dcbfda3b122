#include "upstream/http/exchange.h"

#include <utility>

#include "base/letters.h"

namespace host::upstream {
namespace {

constexpr std::size_t kMostRefusalBytes = 64u << 10u;

bool is_success(int status) {
  return status >= 200 && status < 300;
}

bool is_event_stream(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  return same_letters(type.substr(0, type.find_last_not_of(' ') + 1), "text/event-stream");
}

}  // namespace

std::shared_ptr<Exchange> Exchange::begin(outbound::Gate& gate, outbound::Request request,
                                          outbound::StreamLimits limits, std::size_t message_bytes,
                                          Handlers handlers) {
  const std::shared_ptr<Exchange> made(new Exchange(message_bytes, std::move(handlers)));
  outbound::StreamHandlers stream;
  stream.head = [weak = std::weak_ptr(made)](const outbound::StreamHead& head) {
    if (const auto there = weak.lock()) there->head(head);
  };
  stream.body = [weak = std::weak_ptr(made)](std::string_view bytes) {
    if (const auto there = weak.lock()) there->body(bytes);
  };
  stream.end = [weak = std::weak_ptr(made)](const outbound::StreamEnd& ended) {
    if (const auto there = weak.lock()) there->end(ended.error, ended.sent);
  };
  made->stream_ = gate.open(std::move(request), limits, std::move(stream));
  return made;
}

void Exchange::close() {
  handlers_ = nullptr;
  stream_ = nullptr;
}

void Exchange::pause() {
  if (stream_) stream_->pause();
}

void Exchange::resume() {
  if (stream_) stream_->resume();
}

void Exchange::head(const outbound::StreamHead& head) {
  status_ = head.status;
  is_events_ = is_success(status_) && is_event_stream(head.header("content-type"));
  const auto handlers = handlers_;
  if (handlers && handlers->head) handlers->head(head);
}

void Exchange::body(std::string_view bytes) {
  if (!handlers_) return;
  if (is_events_) return events(bytes);
  if (!is_success(status_)) {
    body_.append(bytes.substr(0, kMostRefusalBytes - body_.size()));
    if (body_.size() == kMostRefusalBytes) end(std::nullopt, true);
    return;
  }
  if (body_.size() + bytes.size() > message_bytes_) {
    return end(Error{ErrorKind::Io,
                     "a response of more than " + std::to_string(message_bytes_) + " bytes"},
               true);
  }
  body_.append(bytes);
}

void Exchange::events(std::string_view bytes) {
  const auto handlers = handlers_;
  const auto read = reader_.take(bytes, [&](const ServerEvent& event) {
    handlers->event(event);
    return handlers_ != nullptr;
  });
  if (!read) end(read.error(), true);
}

void Exchange::end(std::optional<Error> error, bool sent) {
  const auto self = shared_from_this();
  const bool is_text = !error && is_success(status_) && !is_events_ && !body_.empty();
  const auto handlers = handlers_;
  if (is_text && handlers) handlers->text(body_);
  if (!std::exchange(handlers_, nullptr)) return;
  stream_ = nullptr;
  Outcome outcome;
  outcome.status = status_;
  outcome.error = std::move(error);
  outcome.sent = sent;
  outcome.had_events = is_events_;
  outcome.last_id = reader_.last_id();
  outcome.retry = reader_.retry();
  if (!is_success(status_)) outcome.refusal = std::move(body_);
  handlers->end(std::move(outcome));
}

}  // namespace host::upstream
