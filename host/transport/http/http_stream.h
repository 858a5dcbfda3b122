// An HttpStream is a queue of server-sent events. A higher layer adds the events to the queue, and
// the HTTP connection sends them. If the queue already exceeds its size limit when another event is
// added, the stream closes, so that the host does not run out of memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "transport/http/http.h"

namespace host::transport {

class HttpStream final : public EventStream {
 public:
  // The stream calls `on_change` when there are data to send, when the stream has ended, or when
  // the client was too slow.
  HttpStream(std::size_t limit, std::function<void()> on_change);

  bool send(std::string_view data, std::string_view id) override;
  bool comment(std::string_view text) override;
  bool prime(std::string_view id, std::chrono::milliseconds retry) override;
  void close() override;
  void bring_answer() override { brings_answer_ = true; }
  bool open() const override { return state_ == State::Open; }
  std::size_t waiting() const override { return pending_.size(); }
  void when_taken(std::function<void()> act) override { when_taken_ = std::move(act); }

  // The HTTP connection uses the functions of HttpStream below.
  std::string take();  // the queued bytes
  bool brings_answer() const { return brings_answer_; }
  bool has_pending() const { return !pending_.empty(); }
  bool overflowed() const { return state_ == State::Overflowed; }
  void lose();  // the client has disconnected; no callback runs after that

 private:
  enum class State { Open, Ended, Overflowed, Lost };

  bool make_room();
  void append_lines(std::string_view field, std::string_view text);

  std::size_t limit_;
  std::function<void()> on_change_;
  std::function<void()> when_taken_;
  std::string pending_;
  State state_ = State::Open;
  bool brings_answer_ = false;
};

// Returns `bytes` as one chunk of a chunked body.
std::string as_chunk(std::string_view bytes);

}  // namespace host::transport
