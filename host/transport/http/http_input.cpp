// How an HttpConnection takes a request, and what it refuses before a handler sees it.
#include <algorithm>
#include <utility>

#include "transport/http/http_connection.h"
#include "transport/http/json_answer.h"

namespace host::transport {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kFirstBytes = 4u << 10u;    // what a small request needs
constexpr std::size_t kFirstOfBody = 16u << 10u;  // more of a body's length is believed as it comes
constexpr std::size_t kMostOfPiece = 128u << 10u;  // of a body that is streamed
constexpr std::size_t kLingerBytes = 32u << 20u;   // thrown away after a refusal

// The path in a request line, which may be all that was read of a request; not
// decoded.
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

}  // namespace

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
  const Refusal refusal = parser_.read_head(in_.view().substr(0, head_bytes_));
  const bool streams = context_->handler.may_stream(*this);
  if (refusal && !(streams && parser_.is_body_too_long())) {
    refuse(refusal);
    return true;
  }
  const std::optional<Headers> preflight = context_->origins.preflight(*this);
  Admission admission = preflight ? Admission{} : context_->handler.admit(*this);
  const std::string_view limit = context_->connections.settle(*this, admission);
  sender_ = std::move(admission.sender);
  admitted_headers_ = std::move(admission.headers);
  sink_ = std::move(admission.sink);
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
  if (refusal && !sink_) {
    refuse(refusal);
    return true;
  }
  if (sink_ && parser_.framing() == RequestParser::Framing::Chunked) {
    turn_away({Problem::LengthRequired, "this body needs a Content-Length", {}});
    return true;
  }
  if (parser_.framing() == RequestParser::Framing::None) {
    const std::string_view unread = context_->connections.full_of_answers(*this);
    if (!unread.empty()) {
      refuse_for(unread);
      return true;
    }
    request_bytes_ = head_bytes_;
    return handle();
  }
  phase_ = Phase::Body;
  if (sink_) {
    request_deadline_ = context_->now + sink_->timeout();
    sink_busy_ = false;
    streamed_bytes_ = 0;
    piece_bytes_ = kFirstOfBody;
  }
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
  if (sink_) return stream_body();
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

// One piece at a time: while the sink is busy, nothing is read, and the client has to wait.
bool HttpConnection::stream_body() {
  if (sink_busy_) return false;
  const std::uint64_t left = parser_.content_length() - streamed_bytes_;
  const std::size_t here = static_cast<std::size_t>(
      std::min<std::uint64_t>({in_.size() - head_bytes_, kMostOfPiece, left}));
  if (left == 0) {
    request_bytes_ = head_bytes_;
    return handle();
  }
  if (!take_room(2 * piece_bytes_)) return true;  // in the buffer, and on its way to the sink
  context_->connections.mark_busy(*this, ConnectionTable::Hold::Request);
  if (here == 0) {
    in_.reserve(head_bytes_ + piece_bytes_);
    read();
    return false;
  }
  if (here >= piece_bytes_) piece_bytes_ = std::min(2 * piece_bytes_, kMostOfPiece);
  std::string piece(in_.view(head_bytes_).substr(0, here));
  in_.remove(head_bytes_, here);
  streamed_bytes_ += here;
  sink_busy_ = true;
  deadline_ = request_deadline_;
  sink_->take(std::move(piece),
              [self = shared_from_this()](const std::optional<HttpRefusal>& refused) {
                self->piece_taken(refused);
              });
  return false;
}

void HttpConnection::piece_taken(const std::optional<HttpRefusal>& refusal) {
  sink_busy_ = false;
  if (phase_ != Phase::Body) return;
  if (refusal) {
    turn_away(*refusal);
  } else {
    wait_for_body();
  }
  proceed();
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
  answer_error(problem_of_head(refusal.status), refusal.reason);
}

ErrorForm HttpConnection::error_form() const {
  const std::string_view known = path();
  if (!known.empty()) return context_->handler.error_form(known);
  bool well_formed = false;  // or cut off, and then the beginning tells enough
  return context_->handler.error_form(decoded_path(path_in(in_.view()), well_formed));
}

void HttpConnection::answer_error(Problem problem, std::string_view message,
                                  const Headers& headers) {
  const ErrorForm form = error_form();
  AnswerHead head;
  head.status = type_of(problem).status;
  head.content_type = error_content_type(form);
  begin_answer(head, headers, error_text(form, problem, message));
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
  answer_error(own ? Problem::LimitReached : Problem::Unavailable,
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
  answer_error(refusal.problem, refusal.message, refusal.headers);
}

// A browser asks before it sends a request, without the key that this will have.
void HttpConnection::answer_preflight(const Headers& headers) {
  end_unread();
  AnswerHead head;
  head.status = 204;
  head.framed = Framed::NoBody;
  begin_answer(head, headers, {});
}

}  // namespace host::transport
