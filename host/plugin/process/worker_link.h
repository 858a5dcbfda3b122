// The host's end of a worker's socket: whole frames in, bytes out, gathered to one write a turn of
// the loop. I/O thread only; what is under way on the socket holds it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "plugin/wire/frame.h"

namespace host::plugin {

class WorkerLink : public std::enable_shared_from_this<WorkerLink> {
 public:
  using Heard = std::function<Result<void>(const Frame&)>;
  // Nothing is read any more: the other end was closed, where `why` is empty, or told nonsense.
  using Broken = std::function<void(const std::string& why)>;

  WorkerLink(boost::asio::any_io_executor io, Heard heard, Broken broken);

  void open(UniqueFd socket);
  void close();
  // Hears what was sent before the other end was closed, then calls `heard_all`; nothing more is
  // read.
  void read_last(std::function<void()> heard_all);

  std::string& out() { return out_; }  // frames are appended to it, then:
  std::size_t unread() const { return out_.size() + on_way_.size(); }  // that it did not take yet
  void send();  // later in this turn of the loop, with whatever else is to go
  SteadyTime heard_at() const { return heard_at_; }
  // Frees the room that large frames left in the buffers of what is sent. What is read frees its
  // own.
  void trim();

 private:
  void read();
  void drain(bool more);
  Result<void> handle_frames();
  void flush();

  boost::asio::any_io_executor io_;
  boost::asio::local::stream_protocol::socket socket_;
  Heard heard_;
  Broken broken_;
  FrameReader reader_;
  std::string out_;     // to be sent
  std::string on_way_;  // being sent
  bool flush_posted_ = false;
  bool writing_ = false;
  bool open_ = false;
  bool reading_ = false;
  std::function<void()> heard_all_;  // null: reading goes on
  SteadyTime heard_at_{};
};

}  // namespace host::plugin
