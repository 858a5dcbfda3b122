// A stream of server-sent events between the floor that fills it and the connection that sends it.
// What is queued is bounded: a receiver that does not keep up loses the stream, not the host its
// memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "transport/http.h"

namespace host::transport {

class HttpStream final : public EventStream {
 public:
  // `on_change` runs when there is something to send, the stream ended, or its receiver was too
  // slow.
  HttpStream(std::size_t limit, std::function<void()> on_change);

  bool send(std::string_view data, std::string_view id) override;
  bool comment(std::string_view text) override;
  bool prime(std::string_view id, std::chrono::milliseconds retry) override;
  void close() override;
  void bring_answer() override { brings_answer_ = true; }
  bool open() const override { return state_ == State::Open; }

  // The connection's side.
  std::string take();  // what is queued
  bool brings_answer() const { return brings_answer_; }
  bool has_pending() const { return !pending_.empty(); }
  bool overflowed() const { return state_ == State::Overflowed; }
  void lose();  // the peer is gone; nothing is called back any more

 private:
  enum class State { Open, Ended, Overflowed, Lost };

  bool make_room(std::size_t bytes);
  void append_lines(std::string_view field, std::string_view text);

  std::size_t limit_;
  std::function<void()> on_change_;
  std::string pending_;
  State state_ = State::Open;
  bool brings_answer_ = false;
};

// `bytes` as one chunk of a chunked body.
std::string as_chunk(std::string_view bytes);

}  // namespace host::transport
