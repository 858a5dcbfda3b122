// An SseSession is one connection to an upstream over HTTP with SSE, the transport of protocol
// version 2024-11-05. Over HTTP with SSE, all messages of the upstream arrive on one stream. The
// first event of the stream gives the URL to which the host sends its messages. When the stream
// ends, the connection ends. The functions of SseSession are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/suspension.h"
#include "upstream/connection/transport.h"
#include "upstream/http/exchange.h"
#include "upstream/http/http_transport.h"

namespace host::upstream {

class SseSession : public std::enable_shared_from_this<SseSession> {
 public:
  SseSession(boost::asio::any_io_executor io, std::shared_ptr<outbound::Gate> gate,
             HttpUpstream settings)
      : io_(io), gate_(std::move(gate)), settings_(std::move(settings)), pause_timer_(io) {}

  void open(TransportListener& listener);
  void send(Outgoing message);
  void cancel(const protocol::Id& request, std::string notification);
  void pause_reading(std::chrono::milliseconds pause);
  void close();
  void drop();  // ends the session; the listener is not called

 private:
  // A Post is a message to the upstream whose HTTP response has not ended. The HTTP response to a
  // Post can come long after the request has arrived, because some servers answer the POST when
  // they have carried out the call.
  struct Post {
    protocol::Id id;        // empty: not a request
    protocol::Id question;  // id of the upstream's request that the message answers
    std::shared_ptr<Exchange> exchange;
    std::unique_ptr<boost::asio::steady_timer> close;  // set when the request was answered
  };

  void took(const ServerEvent& event);
  void found_endpoint(std::string_view reference);
  void stream_ended(const Exchange::Outcome& outcome);
  void answered(const protocol::Id& request);
  void finish(std::uint64_t key);
  void post(Outgoing message);
  void post_ended(std::uint64_t key, const Exchange::Outcome& outcome);
  void give_up(const Outgoing& message);
  void end(const Error& why);

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<outbound::Gate> gate_;
  const HttpUpstream settings_;
  TransportListener* listener_ = nullptr;  // null: the session was not opened, or has ended
  std::shared_ptr<Exchange> stream_;
  std::string endpoint_;  // the absolute URL for messages; empty: the URL has not arrived
  std::deque<Outgoing> waiting_;
  std::map<std::uint64_t, Post> posts_;
  std::uint64_t last_key_ = 0;
  boost::asio::steady_timer pause_timer_;
  SuspensionWatch suspension_;
  bool is_stale_ = false;               // the machine was suspended since the stream was opened
  std::vector<protocol::Id> given_up_;  // requests that were not sent because of is_stale_
};

}  // namespace host::upstream
