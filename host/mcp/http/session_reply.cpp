#include "mcp/http/session_reply.h"

namespace host::mcp {

SessionReply::SessionReply(const boost::asio::any_io_executor& executor,
                           transport::HttpExchange& exchange, PostReply::Accepts accepts,
                           EventLog& log, Polling polling)
    : exchange_(exchange),
      accepts_(accepts),
      log_(log),
      polling_(polling),
      timer_(executor),
      alive_(std::make_shared<SessionReply*>(this)) {
  wait_to_close();
}

void SessionReply::open(Opens opens) {
  if (polls() && opens == Opens::Early) exchange_.close_after_stream();
  connection_ = exchange_.stream();
  stream_ = log_.open();
  if (polling_.primes) connection_->prime(log_.add(stream_, {}), polling_.retry);
}

bool SessionReply::polls() const {
  return polling_.primes && accepts_.events && polling_.after.count() != 0;
}

// Nothing may have been sent yet: then the stream is opened to be closed, so that the client knows
// where to come back.
void SessionReply::wait_to_close() {
  if (!polls()) return;
  timer_.expires_after(polling_.after);
  timer_.async_wait([alive = std::weak_ptr(alive_)](const boost::system::error_code& stopped) {
    const auto self = alive.lock();
    if (stopped || !self) return;
    if ((*self)->stream_ == 0) (*self)->open(Opens::Early);
    ++(*self)->left_;
    (*self)->connection_->close();
  });
}

bool SessionReply::send(std::string_view message) {
  if (!accepts_.events) return false;
  if (stream_ == 0) open(Opens::Early);
  connection_->send(message, log_.add(stream_, message));
  return true;  // who is away now can ask for it later
}

void SessionReply::finish(const Reply& reply) {
  timer_.cancel();
  if (stream_ != 0 && reply.cancelled) return connection_->close();
  if (stream_ == 0 && !reply.cancelled && accepts_.events && !accepts_.json &&
      reply.status == 200) {
    open(Opens::WithAnswer);
  }
  if (stream_ == 0) {
    PostReply plain(exchange_, accepts_);
    plain.finish(reply);
    return;
  }
  connection_->send(reply.text, log_.add(stream_, reply.text));
  connection_->close();
}

std::function<void()> SessionReply::on_disconnect() const {
  return [unheard = unheard_, gone = gone_, alive = std::weak_ptr(alive_), left = left_] {
    const auto self = alive.lock();
    if (self && (*self)->left_ != left) return;
    const bool can_come_back = self && (*self)->stream_ != 0;
    unheard->request();
    if (!can_come_back) gone->request();
  };
}

void SessionReply::attach(std::shared_ptr<transport::EventStream> connection) {
  ++left_;
  connection_->close();
  connection_ = std::move(connection);
  connection_->bring_answer();
  unheard_->take_back();
  wait_to_close();
}

}  // namespace host::mcp
