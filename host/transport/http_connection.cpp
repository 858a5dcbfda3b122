#include "transport/http_connection.h"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "base/spawn.h"
#include "transport/json_answer.h"

namespace host::transport {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kFirstBytes = 4u << 10u;    // what a small request needs
constexpr std::size_t kFirstOfBody = 16u << 10u;  // more of a body's length is believed as it comes
constexpr std::size_t kIdleBytes = 16u << 10u;    // kept by an idle connection
constexpr std::size_t kAheadBytes = 64u << 10u;   // read while a request is handled
constexpr std::size_t kLingerBytes = 32u << 20u;  // thrown away after a refusal
constexpr HttpOptions::Duration kLingerTime{2'000};

std::string_view kind_of(int status) {
  switch (status) {
    case 403:
      return "denied";
    case 408:
      return "timeout";
    case 413:
    case 414:
    case 431:
      return "too_large";
    default:
      return "bad_request";
  }
}

// The path in a request line, which may be all that was read of a request; not decoded.
std::string_view path_in(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\r'));
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return {};
  std::string_view target = line.substr(space + 1);
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(std::min(target.find_first_of("/? ", scheme.size()), target.size()));
    break;
  }
  return target.substr(0, target.find_first_of(" ?"));
}

bool has_no_body(int status) {
  return status < 200 || status == 204 || status == 304;
}

}  // namespace

HttpConnection::HttpConnection(std::shared_ptr<HttpContext> context, Socket socket,
                               std::string address)
    : context_(std::move(context)),
      socket_(std::move(socket)),
      address_(std::move(address)),
      parser_(context_->options, context_->names) {}

void HttpConnection::start() {
  set_deadline(context_->options.header_timeout);
  proceed();
}

void HttpConnection::close() {
  if (phase_ == Phase::Closed) return;
  const auto self = shared_from_this();
  phase_ = Phase::Closed;
  boost::system::error_code ignored;
  socket_.close(ignored);
  lose_peer();
  // A parked runner owns this connection; one that waits elsewhere ends when it comes back.
  parked_.reset();
  context_->connections.remove(*this);
  if (awaited_) --context_->awaited;
  if (context_->on_closed) context_->on_closed();
}

void HttpConnection::drain() {
  keep_alive_ = false;
  // One that brings the answer of a request under way ends with that.
  if (stream_ && handler_done_ && !stream_->brings_answer()) stream_->close();
  if (phase_ == Phase::Idle) return;
  awaited_ = true;
  ++context_->awaited;
}

void HttpConnection::sweep() {
  if (phase_ == Phase::Closed) return;
  const SteadyTime now = context_->now;
  if (writing_ && now >= write_deadline_) return close();
  if (stream_ && stream_->open() && now - last_event_ >= context_->options.stream_comment) {
    stream_->comment("keep-alive");
  }
  if (phase_ == Phase::Handling || now < deadline_) return;
  if (phase_ == Phase::Head) {
    return refuse({408, "the head of the request took too long", "limits.header_timeout_s"});
  }
  if (phase_ == Phase::Body) {
    const bool whole = now >= request_deadline_;
    return refuse({408, "the request took too long",
                   whole ? "limits.request_timeout_s" : "limits.body_timeout_s"});
  }
  close();
}

std::string_view HttpConnection::body() const {
  if (parser_.framing() == RequestParser::Framing::Chunked) return parser_.chunked_body();
  return in_.view(head_bytes_).substr(0, parser_.content_length());
}

// Reading.

void HttpConnection::proceed() {
  if (proceeding_) return;
  const auto self = shared_from_this();
  proceeding_ = true;
  while (step()) {
  }
  proceeding_ = false;
}

// One step, as far as it goes without waiting; false where something is waited for.
bool HttpConnection::step() {
  switch (phase_) {
    case Phase::Idle:
      return !waits_for_turn_ && take_head();
    case Phase::Head:
      return take_head();
    case Phase::Body:
      return take_body();
    case Phase::Handling:
      return exchange_is_over() && end_exchange();
    case Phase::Lingering:
      in_.clear();
      if (!reading_) in_.shrink(kIdleBytes);  // its bytes do not count any more
      read();
      return false;
    case Phase::Closed:
      return false;
  }
  return false;
}

bool HttpConnection::take_head() {
  if (in_.size() == 0) {
    read();
    return false;
  }
  if (phase_ == Phase::Idle) {
    phase_ = Phase::Head;
    set_deadline(context_->options.header_timeout);
    request_deadline_ = context_->now + context_->options.request_timeout;
  }
  if (const Refusal refusal = parser_.find_head(in_.view(), head_bytes_)) {
    refuse(refusal);
    return true;
  }
  if (head_bytes_ == 0) {
    read();
    return false;
  }
  if (const Refusal refusal = parser_.read_head(in_.view().substr(0, head_bytes_))) {
    refuse(refusal);
    return true;
  }
  const std::optional<Headers> preflight = context_->origins.preflight(*this);
  Admission admission = preflight ? Admission{} : context_->handler.admit(*this);
  const std::string_view limit = context_->connections.settle(*this, admission);
  sender_ = std::move(admission.sender);
  keep_alive_ = parser_.keep_alive() && !context_->stopping &&
                !ConnectionTable::is_kept_back(place_) && limit.empty();
  if (admission.refusal) {
    turn_away(*admission.refusal);
    return true;
  }
  if (!limit.empty()) {
    refuse_for(limit);
    return true;
  }
  if (preflight) {
    answer_preflight(*preflight);
    return true;
  }
  if (parser_.framing() == RequestParser::Framing::None) {
    request_bytes_ = head_bytes_;
    return handle();
  }
  phase_ = Phase::Body;
  wait_for_body();
  if (!take_room(room_for_body(0))) return true;
  return invite_body();
}

// Bytes of a body may be slow in coming, and the whole request may not.
void HttpConnection::wait_for_body() {
  set_deadline(context_->options.body_timeout);
  deadline_ = std::min(deadline_, request_deadline_);
}

// What a body takes of memory after so many bytes of it. Its length is a claim, and counts no
// further than twice of what has come.
std::uint64_t HttpConnection::room_for_body(std::uint64_t arrived) const {
  return std::min<std::uint64_t>(parser_.content_length(),
                                 std::max<std::uint64_t>(kFirstOfBody, 2 * arrived));
}

// False: the request was refused.
bool HttpConnection::take_room(std::uint64_t bytes) {
  const std::string_view limit = context_->connections.take_bytes(*this, bytes);
  if (limit.empty()) return true;
  refuse_for(limit);
  return false;
}

// A peer that asked whether to send its body is told so, unless that has come already.
bool HttpConnection::invite_body() {
  if (!parser_.expects_continue() || in_.size() > head_bytes_) return true;
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  boost::system::error_code error;
  if (context_->options.before_write) context_->options.before_write();
  const std::size_t sent = socket_.write_some(asio::buffer(kContinue), error);
  if (sent == kContinue.size()) return true;
  close();
  return false;
}

bool HttpConnection::take_body() {
  if (parser_.framing() == RequestParser::Framing::Chunked) return take_chunks();
  const std::uint64_t length = parser_.content_length();  // at most the limit on bodies
  const std::uint64_t arrived = in_.size() - head_bytes_;
  const std::uint64_t room = room_for_body(arrived);
  if (!take_room(room)) return true;
  if (arrived >= length) {
    request_bytes_ = head_bytes_ + length;
    return handle();
  }
  context_->connections.mark_busy(*this, ConnectionTable::Hold::Request);
  in_.reserve(head_bytes_ + room);
  read();
  return false;
}

bool HttpConnection::take_chunks() {
  std::size_t used = 0;
  bool whole = false;
  const Refusal refusal = parser_.read_chunks(in_.view(head_bytes_), used, whole);
  if (refusal) {
    refuse(refusal);
    return true;
  }
  in_.remove(head_bytes_, used);
  if (!take_room(parser_.chunked_bytes())) return true;
  if (!whole) {
    context_->connections.mark_busy(*this, ConnectionTable::Hold::Request);
    read();
    return false;
  }
  request_bytes_ = head_bytes_;
  return handle();
}

void HttpConnection::read() {
  if (reading_) return;
  reading_ = true;
  if (in_.space_bytes() == 0) in_.reserve(std::max(kFirstBytes, 2 * in_.capacity()));
  socket_.async_read_some(
      asio::buffer(in_.space(), in_.space_bytes()),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t bytes) {
        self->on_read(error, bytes);
      });
}

void HttpConnection::on_read(const boost::system::error_code& error, std::size_t bytes) {
  reading_ = false;
  if (phase_ == Phase::Closed) return;
  if (error) return phase_ == Phase::Handling ? lose_peer() : close();
  in_.filled(bytes);
  if (phase_ == Phase::Body) wait_for_body();
  if (phase_ == Phase::Lingering) {
    lingered_bytes_ += bytes;
    if (lingered_bytes_ > kLingerBytes) return close();
  }
  proceed();
}

// Answers without the handler, and ends the connection: after such a head nobody knows where the
// next request would begin.
void HttpConnection::refuse(Refusal refusal) {
  phase_ = Phase::Handling;
  handler_done_ = true;
  keep_alive_ = false;
  linger_after_ = true;
  if (!refusal.limit.empty()) count_refusal(refusal.limit);
  answer_error(refusal.status, kind_of(refusal.status), refusal.reason);
}

ErrorForm HttpConnection::error_form() const {
  const std::string_view known = path();
  return context_->handler.error_form(known.empty() ? path_in(in_.view()) : known);
}

void HttpConnection::answer_error(int status, std::string_view kind, std::string_view message,
                                  const Headers& headers) {
  AnswerHead head;
  head.status = status;
  head.content_type = "application/json";
  begin_answer(head, headers, error_text(error_form(), status, kind, message));
}

// A quota is used up: 429 where it is the sender's own, 503 where it is the host's.
void HttpConnection::refuse_for(std::string_view limit) {
  count_refusal(limit);
  phase_ = Phase::Handling;
  handler_done_ = true;
  keep_alive_ = false;
  linger_after_ = true;
  const bool own = limit.find("_per_") != std::string_view::npos;
  const std::string whose = own ? "this client" : "this host";
  answer_error(own ? 429 : 503, "unavailable",
               whose + " has reached " + std::string(limit) + ": retry later",
               {{"Retry-After", "1"}});
}

void HttpConnection::count_refusal(std::string_view limit) const {
  if (context_->options.on_refusal) context_->options.on_refusal(limit);
}

// A request without a body is over with that; what follows one that has a body is not read.
void HttpConnection::end_unread() {
  phase_ = Phase::Handling;
  handler_done_ = true;
  request_bytes_ = head_bytes_;
  if (parser_.framing() != RequestParser::Framing::None) {
    keep_alive_ = false;
    linger_after_ = true;
  }
}

void HttpConnection::turn_away(const HttpRefusal& refusal) {
  end_unread();
  answer_error(refusal.status, refusal.kind, refusal.message, refusal.headers);
}

// A browser asks before it sends a request, without the key that this will have.
void HttpConnection::answer_preflight(const Headers& headers) {
  end_unread();
  AnswerHead head;
  head.status = 204;
  head.framed = Framed::NoBody;
  begin_answer(head, headers, {});
}

// Handling.

bool HttpConnection::handle() {
  phase_ = Phase::Handling;
  handler_done_ = false;
  if (!runner_started_) {
    runner_started_ = true;
    request_ready_ = true;
    spawn(context_->io.get_executor(), {"transport", "answers the requests of a connection"},
          run(shared_from_this()), [weak = weak_from_this()](const Result<void>& ended) {
            if (const auto self = weak.lock(); self && !ended) self->close();
          });
  } else {
    auto resume = std::move(*parked_);
    parked_.reset();
    resume();
  }
  if (phase_ != Phase::Handling) return false;
  if (exchange_is_over()) return true;
  context_->connections.mark_busy(*this, ConnectionTable::Hold::Handling);
  if (!handler_done_ && disconnected_) watch_later();
  return false;
}

asio::awaitable<void> HttpConnection::run(std::shared_ptr<HttpConnection> self) {
  const auto parking = [connection = self.get()](auto resume) {
    connection->park(std::move(resume));
  };
  std::optional<std::string> fault;
  for (;;) {
    if (!std::exchange(self->request_ready_, false)) {
      co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(parking,
                                                                           asio::use_awaitable);
    }
    if (self->phase_ == Phase::Closed) co_return;
    try {
      co_await self->context_->handler.handle(*self);
    } catch (const std::exception& error) {
      fault = error.what();
    } catch (...) {
      fault = "an unknown exception";
    }
    self->handler_returned(fault ? &*fault : nullptr);
    fault.reset();
    if (self->phase_ == Phase::Closed) co_return;
  }
}

void HttpConnection::park(Resume resume) {
  parked_.emplace(std::move(resume));
}

void HttpConnection::handler_returned(const std::string* fault) {
  handler_done_ = true;
  if (phase_ == Phase::Closed) return;
  if (place_.hold == ConnectionTable::Hold::Handling) context_->connections.mark_idle(*this);
  if (fault != nullptr) {
    fail(*fault);
  } else if (!answered_) {
    fail("the handler gave no answer");
  }
  // Suspended in between: the runner has to park before the next request can be handed to it.
  if (!proceeding_) {
    asio::post(context_->io, [self = shared_from_this()] { self->proceed(); });
  }
}

void HttpConnection::fail(const std::string& fault) {
  const std::string id = random_id(12);
  log::error("transport", "a request failed", {{"id", id}, {"fault", fault}});
  if (stream_) stream_->close();
  if (answered_) return;
  answer_error(500, "internal", "internal error " + id + ": the log of the host explains it");
}

bool HttpConnection::exchange_is_over() const {
  return handler_done_ && answered_ && !writing_ && (!stream_ || stream_finished_);
}

// True where the next request may follow.
bool HttpConnection::end_exchange() {
  disconnected_ = nullptr;
  sender_.reset();
  stream_.reset();
  stream_finished_ = false;
  answered_ = false;
  if (peer_gone_) keep_alive_ = false;  // whatever it has sent ahead
  if (!keep_alive_) {
    if (linger_after_) {
      linger();
    } else {
      close();
    }
    return phase_ == Phase::Lingering;
  }
  in_.remove(0, request_bytes_);
  if (!ahead_.empty()) in_.append(std::exchange(ahead_, {}));
  in_.shrink(8 * kIdleBytes);
  if (out_body_.capacity() > kIdleBytes) out_body_ = std::string();
  parser_.reset();
  phase_ = Phase::Idle;
  set_deadline(context_->options.keep_alive);
  context_->connections.mark_idle(*this);
  if (in_.size() > 0) wait_for_turn();
  return true;
}

void HttpConnection::wait_for_turn() {
  waits_for_turn_ = true;
  context_->turns->wait([self = shared_from_this()] {
    self->waits_for_turn_ = false;
    self->proceed();
  });
}

void HttpConnection::linger() {
  phase_ = Phase::Lingering;
  set_deadline(kLingerTime);
  parser_.reset();
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  context_->connections.mark_idle(*this);
}

// Watching.

void HttpConnection::on_disconnect(std::function<void()> callback) {
  if (peer_gone_) return callback();
  disconnected_ = std::move(callback);
  if (!proceeding_) watch_later();  // the handler had been suspended before
}

// Most calls are over before a watch pays: only who still waits at the next look gets one.
void HttpConnection::watch_later() {
  if (watch_queued_ || watching_) return;
  watch_queued_ = true;
  context_->watch_later(shared_from_this());
}

void HttpConnection::watch_if_waiting() {
  watch_queued_ = false;
  if (phase_ == Phase::Handling && !exchange_is_over() && disconnected_) watch();
}

void HttpConnection::watch() {
  if (watching_ || reading_ || peer_gone_ || phase_ != Phase::Handling) return;
  watching_ = true;
  socket_.async_wait(Socket::wait_read,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       self->watching_ = false;
                       if (!error) self->on_readable();
                     });
}

void HttpConnection::on_readable() {
  if (phase_ != Phase::Handling || reading_) return;  // the next request's own read sees it
  std::array<char, 4096> bytes;
  boost::system::error_code error;
  const std::size_t count = socket_.read_some(asio::buffer(bytes), error);
  if (error && error != asio::error::would_block) return lose_peer();
  ahead_.append(bytes.data(), count);
  // Who sends that much before an answer is read no further; its end shows when the answer is
  // written.
  if (ahead_.size() < kAheadBytes) watch();
}

void HttpConnection::lose_peer() {
  if (std::exchange(peer_gone_, true)) return;
  if (stream_) {
    stream_->lose();
    stream_finished_ = true;
  }
  const auto callback = std::exchange(disconnected_, nullptr);
  if (callback) callback();
  if (phase_ == Phase::Handling && !proceeding_) {
    asio::post(context_->io, [self = shared_from_this()] { self->proceed(); });
  }
}

// Writing.

void HttpConnection::respond(int status, std::string body, std::string_view content_type,
                             Headers headers) {
  if (phase_ != Phase::Handling || answered_) return;
  AnswerHead head;
  head.status = status;
  if (!body.empty()) head.content_type = content_type;
  if (has_no_body(status)) {
    head.framed = Framed::NoBody;
    body.clear();
  }
  begin_answer(head, headers, std::move(body));
}

void HttpConnection::begin_answer(const AnswerHead& wanted, const Headers& headers,
                                  std::string body) {
  answered_ = true;
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
  if (!context_->origins.lists_any()) return write_head(head, headers, out_head_);
  Headers permitted = headers;
  context_->origins.permit(*this, permitted);
  write_head(head, permitted, out_head_);
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
  if (out_head_.empty() && out_body_.empty()) return proceed();
  write();
}

void HttpConnection::write() {
  writing_ = true;
  written_ = 0;
  write_deadline_ = context_->now + context_->options.write_timeout;
  std::vector<std::shared_ptr<HttpConnection>>& writers = context_->writers;
  writers.push_back(shared_from_this());
  if (writers.size() == 1) asio::post(context_->io, [context = context_] { write_all(*context); });
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
      context_->connections.hold_answer(*this, total - written_);
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
  context_->connections.hold_answer(*this, 0);
  out_head_.clear();
  out_body_.clear();
  if (stream_ && !stream_finished_) {
    if (stream_->has_pending() || !stream_->open()) stream_changed();
    return;
  }
  // Within handle() the loop there goes on; after a suspension the runner does, unless it is done.
  if (handler_done_ && !proceeding_) proceed();
}

}  // namespace host::transport
