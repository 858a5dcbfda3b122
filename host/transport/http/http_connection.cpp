#include "transport/http/http_connection.h"

#include <array>
#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "base/process/spawn.h"

namespace host::transport {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kIdleBytes = 16u << 10u;   // kept by an idle connection
constexpr std::size_t kAheadBytes = 64u << 10u;  // read while a request is handled
constexpr HttpOptions::Duration kLingerTime{2'000};

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
  const bool in_use = phase_ == Phase::Handling && !handler_done_;  // the handler reads the request
  phase_ = Phase::Closed;
  boost::system::error_code ignored;
  socket_.close(ignored);
  lose_peer();
  // A parked runner owns this connection; one that waits elsewhere ends when it comes back.
  parked_.reset();
  sink_.reset();
  source_.reset();
  context_->connections.remove(*this, in_use);
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
  if (sink_) return {};
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
  if (phase_ == Phase::Closed) return context_->connections.forget(*this);
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
  answer_error(Problem::Internal, "internal error " + id + ": the log of the host explains it");
}

bool HttpConnection::exchange_is_over() const {
  return handler_done_ && answered_ && !writing_ && !source_ && (!stream_ || stream_finished_);
}

// True where the next request may follow.
bool HttpConnection::end_exchange() {
  disconnected_ = nullptr;
  sender_.reset();
  admitted_headers_.clear();
  sink_.reset();
  stream_.reset();
  stream_finished_ = false;
  gathered_ = 0;
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
  // Also if the peer was lost before: the exchange may have waited for a write that failed now.
  if (phase_ == Phase::Handling && !proceeding_) {
    asio::post(context_->io, [self = shared_from_this()] { self->proceed(); });
  }
  if (std::exchange(peer_gone_, true)) return;
  source_.reset();
  if (stream_) {
    stream_->lose();
    stream_finished_ = true;
  }
  const auto callback = std::exchange(disconnected_, nullptr);
  if (callback) callback();
}

}  // namespace host::transport
