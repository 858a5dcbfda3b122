// An HttpSession is one connection to an upstream over Streamable HTTP.
//
// Each message to the upstream is a separate HTTP request, and the HTTP response contains the
// JSON-RPC responses. Protocol versions with sessions (until 2025-11-25) have one more stream, for
// messages that belong to no request. In protocol versions with sessions, the host can resume an
// interrupted response. Protocol version 2026-07-28 has neither a stream for messages that belong
// to no request nor the resumption of responses. Closing a response cancels its request, and an
// interrupted response is lost. The functions of HttpSession are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/suspension.h"
#include "upstream/connection/transport.h"
#include "upstream/http/exchange.h"
#include "upstream/http/http_requests.h"
#include "upstream/http/http_transport.h"
#include "upstream/http/retry_pause.h"

namespace host::upstream {

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(boost::asio::any_io_executor io, std::shared_ptr<outbound::Gate> gate,
              HttpUpstream settings)
      : io_(io), gate_(std::move(gate)), settings_(std::move(settings)), pause_timer_(io) {}

  void open(TransportListener& listener) { listener_ = &listener; }
  void send(Outgoing message);
  void cancel(const protocol::Id& request, std::string notification);
  void negotiated(protocol::Version version);
  void pause_reading(std::chrono::milliseconds pause);
  bool may_be_replaced() const { return session_.empty() && !standing_.is_open; }
  void close();
  void drop();  // ends the session; the listener is not called

 private:
  // A Sent is a message that was sent and whose response has not arrived yet.
  struct Sent {
    protocol::Id id;  // empty: not a request
    bool stateless = false;
    bool is_answered = false;
    bool initializes = false;
    bool unblocks = false;   // later messages wait until this one has arrived
    bool is_answer = false;  // the message answers a request of the upstream
    protocol::Id question;   // id of the upstream's request that the message answers
    protocol::Id asker;      // see Outgoing::asker
    bool has_head = false;
    std::optional<Outgoing> again;  // the message, until its response begins or it is resent
    std::shared_ptr<Exchange> exchange;
    std::string last_id;  // id of the last event of the response
    std::optional<std::chrono::milliseconds> retry;
    std::uint32_t resumptions = 0;  // number of resumptions since the last event
    std::unique_ptr<boost::asio::steady_timer> pause;

    const protocol::Id& about() const { return is_answer ? question : id; }
  };
  // The struct Standing is the stream that brings messages that belong to no request.
  struct Standing {
    std::shared_ptr<Exchange> exchange;
    std::string last_id;
    bool is_open = false;
    bool was_open = false;
    bool has_gap = false;  // messages may have been lost since the last open stream
    StandingPause pauses;
    std::unique_ptr<boost::asio::steady_timer> pause;
  };
  using Key = std::uint64_t;
  using Sents = std::map<Key, Sent>;
  using milliseconds = std::chrono::milliseconds;

  void post(Outgoing message);
  void transmit(Key key, Outgoing message);
  void try_again(Key key);
  outbound::Headers headers_of(const Outgoing& message) const;
  outbound::Request session_request(std::string_view method) const;
  std::shared_ptr<Exchange> begin(outbound::Request request, outbound::StreamLimits limits,
                                  Exchange::Handlers handlers);
  Exchange::Handlers handlers_of(Key key);
  void head(Key key, const outbound::StreamHead& head);
  enum class Response { Open, Ends };
  void message(Key key, std::string_view text, Response response);
  void answered(Key key, Response response);
  void finish(Key key);
  void ended(Key key, Exchange::Outcome outcome);
  void broke_off(Key key, const Exchange::Outcome& outcome);
  void refused(const Sent& sent, const Exchange::Outcome& outcome);
  void resume(Key key);
  void reopen(Key key);
  void unblock();
  void open_standing();
  void open_standing_again();
  void standing_opened();
  void standing_ended(const Exchange::Outcome& outcome);
  static bool is_stateless(const std::optional<protocol::Version>& version);
  bool is_alive() const;
  std::vector<std::shared_ptr<Exchange>> exchanges() const;
  void fail(const protocol::Id& id, Reached reached, const Error& why);
  void lost();
  void leave();
  bool waits_for_answers() const;
  void end_if_answered();
  void end_soon_if_answered();
  void refuse_to_send(const Outgoing& message);
  SessionLoss loss_of(const Sent& sent, const Exchange::Outcome& outcome) const;
  void lose_answer(const protocol::Id& asker);
  Sents::iterator find(const protocol::Id& request);
  void end(const Error& why);

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<outbound::Gate> gate_;
  const HttpUpstream settings_;
  TransportListener* listener_ = nullptr;  // null: the session was not opened, or has ended
  std::optional<protocol::Version> version_;
  std::string session_;  // empty: the upstream has sent no session id
  Sents sent_;
  // `answered_` contains the keys in `sent_` of answered requests whose HTTP responses have not
  // ended, the oldest first.
  std::deque<Key> answered_;
  std::uint32_t unreachable_ = 0;  // number of failed connections since the last success
  Key last_key_ = 0;
  std::deque<Outgoing> blocked_;
  bool is_blocked_ = false;
  bool waits_to_stand_ = false;  // open_standing() waits until no message is blocked
  bool is_closing_ = false;
  bool is_lost_ = false;  // the upstream has forgotten the session; open responses are still read
  Standing standing_;
  SuspensionWatch suspension_;
  std::shared_ptr<Exchange> farewell_;
  boost::asio::steady_timer pause_timer_;
  bool is_paused_ = false;
};

}  // namespace host::upstream
