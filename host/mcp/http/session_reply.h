// Writes the answer to one request of a session, as a JSON body or a stream of events. If the
// connection breaks, or the host closes the connection early (SSE polling), the client can continue
// to read the stream on another connection.
//
// After the connection is closed, the request continues as long as the client can still fetch the
// answer. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "base/cancel.h"
#include "mcp/http/event_log.h"
#include "mcp/http/post_reply.h"

namespace host::mcp {

class SessionReply final : public Outlet {
 public:
  struct Polling {
    bool primes = false;                   // true: the client supports events without data
    std::chrono::milliseconds after{0};    // time until the host closes the connection; 0: never
    std::chrono::milliseconds retry{500};  // time after which the client should reconnect
  };

  // `exchange` and `log` must outlive the SessionReply.
  SessionReply(const boost::asio::any_io_executor& executor, transport::HttpExchange& exchange,
               PostReply::Accepts accepts, EventLog& log, Polling polling);

  bool send(std::string_view message) override;
  void finish(const Reply& reply);

  // Returns the number that the stream has in the event log, or 0 if there is no stream yet.
  EventLog::Stream stream() const { return stream_; }
  // Returns the Cancel that is requested when the client disconnects. The Cancel is not requested
  // when the host itself closes the connection (SSE polling), because the client will reconnect.
  // attach() withdraws the cancel.
  const std::shared_ptr<Cancel>& unheard() const { return unheard_; }
  // Returns the Cancel that is requested if the client disconnects before it has received an event
  // id. A client without an event id cannot reconnect to fetch the answer later.
  const std::shared_ptr<Cancel>& gone() const { return gone_; }
  // The returned function must be called when the current connection ends. The returned function
  // can be called after this object was destroyed. If the host has already closed or replaced the
  // connection, the returned function does nothing.
  std::function<void()> on_disconnect() const;
  // Continues the stream of events on the new connection `connection`. Send the missed events on
  // `connection` before you call attach().
  void attach(std::shared_ptr<transport::EventStream> connection);

 private:
  enum class Opens { Early, WithAnswer };
  void open(Opens opens);
  bool polls() const;
  void wait_to_close();

  transport::HttpExchange& exchange_;
  PostReply::Accepts accepts_;
  EventLog& log_;
  const Polling polling_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<transport::EventStream> connection_;  // null or closed: no client reads now
  std::size_t left_ = 0;  // number of connections that the host has closed early or replaced
  EventLog::Stream stream_ = 0;
  const std::shared_ptr<Cancel> unheard_ = std::make_shared<Cancel>();
  const std::shared_ptr<Cancel> gone_ = std::make_shared<Cancel>();
  std::shared_ptr<SessionReply*> alive_;  // lets a late timer detect that this object is gone
};

}  // namespace host::mcp
