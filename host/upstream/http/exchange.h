// An exchange is one HTTP request to an upstream, and its response: one JSON text, or a stream of
// events. An Exchange does not interpret the messages in requests and responses.
//
// With an Authorizer, the exchange adds an access token to the request. If the upstream refuses the
// token (with 401, or with 403 because of the token's scopes) and there is a different token, the
// exchange sends the request a second time. If an exchange sends a request twice, its owner sees
// only the second response. The upstream has not acted on the request with the refused token.
//
// The exchange reads the response within the upstream's budget, and does not read while it is
// paused. Bytes that were not read wait in the exchange, and then in the TCP connection.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "outbound/gate.h"
#include "upstream/connection/budget.h"
#include "upstream/http/authorizer.h"
#include "upstream/http/event_reader.h"

namespace host::upstream {

// Returns `body` without the byte order mark and the white space at its beginning.
std::string_view without_mark(std::string_view body);

struct ExchangeLimits {
  std::size_t message_bytes = 0;   // maximum size of one text, and of one event
  std::shared_ptr<Budget> budget;  // the upstream's budget; not null
  outbound::StreamLimits stream;
  std::shared_ptr<Authorizer> authorizer = nullptr;  // null: requests have no token
};

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  struct Outcome {
    int status = 0;                     // 0: no response arrived
    std::optional<Error> error;         // why no complete response arrived; nullopt: one arrived
    std::optional<Error> denial;        // why the Authorizer gave no token, also after 401 and 403
    bool sent = false;                  // the upstream may have got a byte of the body
    bool had_events = false;            // status 2xx, and the response was a stream of events
    bool refused_in_events = false;     // another status, and the response was a stream of events
    bool events_before_answer = false;  // other events came before the answer in `refusal`
    std::string last_id;                // the id of the last event
    std::optional<std::chrono::milliseconds> retry;
    // If the status is not 2xx: the first 64 KiB of the body. Of a stream of events: the answer
    // that it has, or else the data of its events. With Handlers::is_answer, the body begins
    // without white space and without a byte order mark. With Handlers::expects_result, a body
    // that can be a JSON text is complete.
    std::string refusal;
  };
  struct Handlers {
    std::function<void(const outbound::StreamHead&)> head;
    std::function<void(const ServerEvent&)> event;
    std::function<void(std::string_view)> text;  // called once, if the body has no events
    // Returns true if the data of an event answer the message. The exchange calls `is_answer` only
    // for a stream of events whose status is not 2xx, and ends with the answer.
    std::function<bool(std::string_view)> is_answer = {};
    // True: an answer can be as long as a result. False: the exchange ends after 64 KiB of a body
    // whose status is not 2xx.
    bool expects_result = false;
    std::function<void(Outcome)> end;  // called once, after the other handlers
  };

  // Sends the request. No handler is called before begin() returns. `gate` must outlive the
  // exchange.
  static std::shared_ptr<Exchange> begin(const boost::asio::any_io_executor& io,
                                         outbound::Gate& gate, outbound::Request request,
                                         ExchangeLimits limits, Handlers handlers);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Closes the connection that brings the response. A closed exchange calls no handler.
  void close();
  void pause();
  void resume();

 private:
  Exchange(const boost::asio::any_io_executor& io, outbound::Gate& gate, ExchangeLimits limits,
           Handlers handlers)
      : limits_(std::move(limits)),
        gate_(gate),
        handlers_(std::make_shared<const Handlers>(std::move(handlers))),
        reader_(limits_.message_bytes),
        rest_pause_(io) {}

  void ask_for_token();
  void send(Result<std::string> token);
  void open(outbound::Request request);
  void refused(int status, std::string challenge);
  void head(const outbound::StreamHead& head);
  void body(std::string_view bytes);
  void text(std::string_view bytes);
  bool keeps_all() const;
  void cut_refusal();
  void take_refusal(const ServerEvent& event);
  void take(std::string_view bytes);
  void go_on();
  void read_later(Budget::Duration pause);
  bool is_held() const { return is_paused_ || rests_; }
  bool count_unfinished();
  void stream_ended(std::optional<Error> error, bool sent);
  void end(std::optional<Error> error, bool sent);

  struct End {
    std::optional<Error> error;
    bool sent = false;
  };

  const ExchangeLimits limits_;
  outbound::Gate& gate_;
  std::shared_ptr<const Handlers> handlers_;  // null: closed or ended
  std::unique_ptr<outbound::Stream> stream_;
  EventReader reader_;
  std::optional<outbound::Request> request_;  // the request without a token; unset: no Authorizer
  std::string token_;                         // the token of the sent request; empty: none
  bool was_refused_ = false;                  // the upstream refused the first request
                                              // because of its token
  int status_ = 0;
  std::optional<Error> denial_;
  bool is_events_ = false;
  bool events_before_answer_ = false;
  std::string body_;
  std::string rest_;                // bytes that were not read yet
  std::size_t unfinished_ = 0;      // bytes reported to the budget
  bool is_paused_ = false;          // paused by the owner
  bool rests_ = false;              // paused by the budget
  std::optional<End> waiting_end_;  // the outcome to report after the unread bytes
  boost::asio::steady_timer rest_pause_;
};

}  // namespace host::upstream
