// The answer to one request of a session: a JSON body, or a stream of events that can be taken up
// again on another connection after the first broke off or was closed to spare it (SSE polling).
//
// The request goes on without its connection while the client can come back for the answer. I/O
// thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
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
    bool primes = false;                   // the client's version knows events without data
    std::chrono::milliseconds after{0};    // an open connection is closed then; 0: never
    std::chrono::milliseconds retry{500};  // when the client should come back
  };

  // `exchange` and `log` outlive it.
  SessionReply(const boost::asio::any_io_executor& executor, transport::HttpExchange& exchange,
               PostReply::Accepts accepts, EventLog& log, Polling polling);

  bool send(std::string_view message) override;
  void finish(const Reply& reply);

  // The stream's number in the log; 0 while there is none.
  EventLog::Stream stream() const { return stream_; }
  // Requested when the client goes away. A connection that the host closes itself to spare it is no
  // such thing: the client comes back.
  const std::shared_ptr<Cancel>& unheard() const { return unheard_; }
  // The same where the client has no event to come back after: nobody can fetch the answer.
  const std::shared_ptr<Cancel>& gone() const { return gone_; }
  // To be called when its connection goes away; also when it is gone itself.
  std::function<void()> on_disconnect() const;
  // Goes on here, after what the client missed was sent.
  void attach(std::shared_ptr<transport::EventStream> connection);

 private:
  void open();
  void wait_to_close();

  transport::HttpExchange& exchange_;
  PostReply::Accepts accepts_;
  EventLog& log_;
  const Polling polling_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<transport::EventStream> connection_;  // nullptr, or closed: nobody listens now
  EventLog::Stream stream_ = 0;
  const std::shared_ptr<Cancel> unheard_ = std::make_shared<Cancel>();
  const std::shared_ptr<Cancel> gone_ = std::make_shared<Cancel>();
  std::shared_ptr<SessionReply*> alive_;  // for a timer that may ring late
};

}  // namespace host::mcp
