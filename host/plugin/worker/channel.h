// The channel is the worker's side of the socket to the host. Any thread can send frames through
// the channel. The channel collects the reader thread's answers to the frames of one read, and
// sends these answers in one write.
#pragma once

#include <mutex>
#include <string>

#include "plugin/wire/frame.h"

namespace host::plugin::worker {

class Channel {
 public:
  explicit Channel(int socket) : socket_(socket) {}

  // Sends the frames that `act(std::string& out)` appends to `out`. On a thread that is collecting
  // a batch, send() usually only collects the frames.
  template <class Act>
  void send(Act act) {
    const std::lock_guard lock(mutex_);
    act(out_);
    if (!gathers_on_this_thread() || out_.size() >= kBatchBytes) flush();
  }

  void begin_batch();
  void end_batch();

  int socket() const { return socket_; }

 private:
  static constexpr std::size_t kBatchBytes = 256u << 10u;

  static bool gathers_on_this_thread();
  void flush();  // lock the mutex first; ends the process if the host has ended

  const int socket_;
  std::mutex mutex_;  // guards out_ and the socket's write side
  std::string out_;
};

}  // namespace host::plugin::worker
