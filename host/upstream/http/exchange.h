// One HTTP request to an upstream, and what comes back: one JSON text, or a stream of events. It
// says nothing about which messages belong together.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "outbound/gate.h"
#include "upstream/http/event_reader.h"

namespace host::upstream {

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  struct Outcome {
    int status = 0;              // 0: there was no response
    std::optional<Error> error;  // the response is not whole
    bool sent = false;           // a byte of the body may have arrived
    bool had_events = false;     // it was a stream of events
    std::string last_id;         // of the events
    std::optional<std::chrono::milliseconds> retry;
    std::string refusal;  // the body of a status that is not 2xx
  };
  struct Handlers {
    std::function<void(const outbound::StreamHead&)> head;
    std::function<void(const ServerEvent&)> event;
    std::function<void(std::string_view)> text;  // once: the body of a response without events
    std::function<void(Outcome)> end;            // once, last
  };

  // No handler is called before this returns. `message_bytes`: of one text and one event.
  static std::shared_ptr<Exchange> begin(outbound::Gate& gate, outbound::Request request,
                                         outbound::StreamLimits limits, std::size_t message_bytes,
                                         Handlers handlers);

  // Closes the response. No handler is called any more.
  void close();
  void pause();
  void resume();

 private:
  Exchange(std::size_t message_bytes, Handlers handlers)
      : message_bytes_(message_bytes),
        handlers_(std::make_shared<const Handlers>(std::move(handlers))),
        reader_(message_bytes) {}

  void head(const outbound::StreamHead& head);
  void body(std::string_view bytes);
  void events(std::string_view bytes);
  void end(std::optional<Error> error, bool sent);

  const std::size_t message_bytes_;
  std::shared_ptr<const Handlers> handlers_;  // null: closed or ended
  std::unique_ptr<outbound::Stream> stream_;
  EventReader reader_;
  int status_ = 0;
  bool is_events_ = false;
  std::string body_;
};

}  // namespace host::upstream
