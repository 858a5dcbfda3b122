// How an HttpConnection writes its answers and streams.
#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <utility>

#include "transport/http/http_connection.h"

namespace host::transport {
namespace {

namespace asio = boost::asio;

bool has_no_body(int status) {
  return status < 200 || status == 204 || status == 304;
}

}  // namespace

void HttpConnection::respond(int status, std::string body, std::string_view content_type,
                             Headers headers) {
  if (phase_ != Phase::Handling || answered_) return;
  AnswerHead head;
  head.status = status;
  const bool is_head_alone = body.empty() && method() == "HEAD";  // the body was not even made
  if (!body.empty() || is_head_alone) head.content_type = content_type;
  if (is_head_alone) head.framed = Framed::NoBody;
  if (has_no_body(status)) {
    head.framed = Framed::NoBody;
    body.clear();
  }
  begin_answer(head, headers, std::move(body));
}

void HttpConnection::send_from(int status, std::shared_ptr<BodySource> body,
                               std::string_view content_type, Headers headers) {
  if (phase_ != Phase::Handling || answered_) return;
  answered_ = true;
  AnswerHead head;
  head.status = status;
  head.content_type = content_type;
  head.length = body->bytes();
  head.date = context_->date;
  head.connection = connection_field();
  write_head_for(head, headers);
  if (method() != "HEAD" && !peer_gone_ && body->bytes() > 0) {
    source_bytes_ = body->bytes();
    source_ = std::move(body);
  }
  write();
}

void HttpConnection::begin_answer(const AnswerHead& wanted, const Headers& headers,
                                  std::string body) {
  answered_ = true;
  gathered_ = 0;
  AnswerHead head = wanted;
  head.length = body.size();
  head.date = context_->date;
  head.connection = connection_field();
  write_head_for(head, headers);
  out_body_ = std::move(body);
  if (head_bytes_ > 0 && method() == "HEAD") out_body_.clear();
  write();
}

void HttpConnection::write_head_for(const AnswerHead& head, const Headers& headers) {
  if (!context_->origins.lists_any() && admitted_headers_.empty())
    return write_head(head, headers, out_head_);
  Headers all = headers;
  all.insert(all.end(), admitted_headers_.begin(), admitted_headers_.end());
  if (context_->origins.lists_any()) context_->origins.permit(*this, all);
  write_head(head, all, out_head_);
}

std::string_view HttpConnection::connection_field() const {
  if (!keep_alive_ || context_->stopping) return "close";
  return parser_.is_http_1_0() ? "keep-alive" : "";
}

std::shared_ptr<EventStream> HttpConnection::stream(Headers headers) {
  const auto changed = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->stream_changed();
  };
  auto stream = std::make_shared<HttpStream>(context_->options.stream_bytes, changed);
  if (phase_ != Phase::Handling || answered_ || peer_gone_) {
    if (peer_gone_) answered_ = true;  // as far as it can be
    stream->lose();
    return stream;
  }
  stream_ = stream;
  stream_finished_ = false;
  answered_ = true;
  chunked_stream_ = !parser_.is_http_1_0();
  if (!chunked_stream_) keep_alive_ = false;
  AnswerHead head;
  head.content_type = "text/event-stream";
  head.framed = chunked_stream_ ? Framed::Chunked : Framed::ByClose;
  head.date = context_->date;
  head.connection = connection_field();
  headers.emplace_back("Cache-Control", "no-cache, no-transform");
  headers.emplace_back("X-Accel-Buffering", "no");
  write_head_for(head, headers);
  last_event_ = context_->now;
  if (method() == "HEAD") stream->close();
  stream_changed();
  watch();
  return stream;
}

// Events of one turn leave in one write, with the head if that still waits.
void HttpConnection::stream_changed() {
  last_event_ = context_->now;
  count_unread();
  if (std::exchange(stream_posted_, true)) return;
  asio::post(context_->io, [self = shared_from_this()] {
    self->stream_posted_ = false;
    self->pump_stream();
  });
}

void HttpConnection::pump_stream() {
  if (phase_ != Phase::Handling || !stream_ || stream_finished_) return;
  if (stream_->overflowed()) return close();
  if (writing_) return;
  std::string events = stream_->take();
  if (method() == "HEAD") events.clear();
  const bool last = !stream_->open();
  if (chunked_stream_) {
    if (!events.empty()) events = as_chunk(events);
    if (last && method() != "HEAD") events.append("0\r\n\r\n");
  }
  stream_finished_ = last;
  out_body_ = std::move(events);
  if (out_head_.empty() && out_body_.empty()) return on_written();
  write();
}

void HttpConnection::write() {
  writing_ = true;
  written_ = 0;
  count_unread();
  write_deadline_ = context_->now + context_->options.write_timeout;
  std::vector<std::shared_ptr<HttpConnection>>& writers = context_->writers;
  writers.push_back(shared_from_this());
  if (writers.size() == 1) asio::post(context_->io, [context = context_] { write_all(*context); });
}

// From the moment an answer exists, not only once the kernel has no room for it: the answers of all
// connections of one turn of the loop are in memory at the same time.
void HttpConnection::count_unread() {
  const std::size_t writing = writing_ ? out_head_.size() + out_body_.size() - written_ : 0;
  const std::size_t waiting = stream_ ? stream_->waiting() : 0;
  const std::size_t gathered = stream_ && !stream_->open() ? 0 : gathered_;  // it has the answer
  context_->connections.hold_answer(*this, writing + waiting + gathered);
}

// The answers of one turn of the loop: before_write may cost a system call, and serves them all.
void HttpConnection::write_all(HttpContext& context) {
  const auto writers = std::exchange(context.writers, {});
  if (context.options.before_write) context.options.before_write();
  for (const auto& writer : writers) {
    if (writer->phase_ != Phase::Closed) writer->write_some();
  }
}

// Mostly the kernel takes all at once; else waits for room and goes on.
void HttpConnection::write_some() {
  const std::size_t total = out_head_.size() + out_body_.size();
  while (written_ < total) {
    const std::size_t of_head = std::min(written_, out_head_.size());
    const std::array<asio::const_buffer, 2> rest = {asio::buffer(out_head_) + of_head,
                                                    asio::buffer(out_body_) + (written_ - of_head)};
    boost::system::error_code error;
    const std::size_t count = socket_.write_some(rest, error);
    if (error == asio::error::would_block) {
      count_unread();
      socket_.async_wait(Socket::wait_write,
                         [self = shared_from_this()](const boost::system::error_code& failed) {
                           if (self->phase_ != Phase::Closed && !failed) self->write_some();
                         });
      return;
    }
    if (error) {
      writing_ = false;
      keep_alive_ = false;
      linger_after_ = false;
      return lose_peer();
    }
    written_ += count;
    write_deadline_ = context_->now + context_->options.write_timeout;
  }
  on_written();
}

void HttpConnection::on_written() {
  writing_ = false;
  count_unread();
  out_head_.clear();
  out_body_.clear();
  if (source_) return send_next_piece();
  if (stream_ && !stream_finished_) {
    if (stream_->has_pending() || !stream_->open()) stream_changed();
    return;
  }
  // Nobody would read the client's next request until the handler has ended.
  if (stream_ && !handler_done_) return close();
  // Within handle() the loop there goes on; after a suspension the runner does, unless it is done.
  if (handler_done_ && !proceeding_) proceed();
}

void HttpConnection::send_next_piece() {
  if (source_bytes_ == 0) {
    source_.reset();
    if (handler_done_ && !proceeding_) proceed();
    return;
  }
  source_->next([self = shared_from_this()](Result<std::string> piece) {
    if (self->phase_ == Phase::Closed || !self->source_) return;
    if (!piece || piece->empty() || piece->size() > self->source_bytes_) return self->close();
    self->source_bytes_ -= piece->size();
    self->out_body_ = *std::move(piece);
    self->write();
  });
}

}  // namespace host::transport
