// One HTTP request to an upstream, and its response: one JSON text, or a stream of events. An
// Exchange does not know which messages belong together.
//
// The exchange reads the response within the upstream's budget, and not while it is paused. Bytes
// that it has not read wait in the exchange, and then in the TCP connection.
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
#include "upstream/http/event_reader.h"

namespace host::upstream {

struct ExchangeLimits {
  std::size_t message_bytes = 0;   // limit of one text and of one event
  std::shared_ptr<Budget> budget;  // of the upstream; not null
  outbound::StreamLimits stream;
};

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  struct Outcome {
    int status = 0;              // 0: there was no response
    std::optional<Error> error;  // the response is incomplete
    bool sent = false;           // a byte of the request's body may have arrived
    bool had_events = false;     // the response was a stream of events
    std::string last_id;         // of the last event
    std::optional<std::chrono::milliseconds> retry;
    std::string refusal;  // the body of a status that is not 2xx
  };
  struct Handlers {
    std::function<void(const outbound::StreamHead&)> head;
    std::function<void(const ServerEvent&)> event;
    std::function<void(std::string_view)> text;  // once: the body of a response without events
    std::function<void(Outcome)> end;            // once, last
  };

  // Sends the request. No handler is called before begin() returns.
  static std::shared_ptr<Exchange> begin(const boost::asio::any_io_executor& io,
                                         outbound::Gate& gate, outbound::Request request,
                                         ExchangeLimits limits, Handlers handlers);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Closes the connection of the response. After that, no handler is called.
  void close();
  void pause();
  void resume();

 private:
  Exchange(const boost::asio::any_io_executor& io, ExchangeLimits limits, Handlers handlers)
      : limits_(std::move(limits)),
        handlers_(std::make_shared<const Handlers>(std::move(handlers))),
        reader_(limits_.message_bytes),
        rest_pause_(io) {}

  void head(const outbound::StreamHead& head);
  void body(std::string_view bytes);
  void text(std::string_view bytes);
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
  std::shared_ptr<const Handlers> handlers_;  // null: closed or ended
  std::unique_ptr<outbound::Stream> stream_;
  EventReader reader_;
  int status_ = 0;
  bool is_events_ = false;
  std::string body_;
  std::string rest_;                // bytes that were not read yet
  std::size_t unfinished_ = 0;      // bytes that were reported to the budget
  bool is_paused_ = false;          // paused by the owner
  bool rests_ = false;              // paused by the budget
  std::optional<End> waiting_end_;  // reported after the unread bytes
  boost::asio::steady_timer rest_pause_;
};

}  // namespace host::upstream
