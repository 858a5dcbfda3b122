// Transfers lines on two file descriptors: MCP over standard input and output. The functions of
// Stdio are called on the I/O thread.
//
// The handler gets all complete lines of one read before the Stdio object writes anything. So the
// Stdio object sends the responses to the lines of one read with one write. The Stdio object stops
// reading while the client does not read its responses. The descriptors of a Stdio object can be
// pipes, sockets, terminals and regular files. The descriptors stay open and belong to the caller
// of the constructor.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "transport/connection.h"

namespace boost::asio {
class io_context;
}

namespace host::transport {

struct StdioOptions {
  std::size_t line_bytes = 4u << 20u;     // the host skips a longer line
  std::size_t backlog_bytes = 1u << 20u;  // while more bytes are queued, the host reads nothing
  std::function<void()> before_write;     // runs before each write to the client; may be empty
};

class Stdio final : public Connection {
 public:
  // The constructor of Stdio makes the whole process ignore SIGPIPE, so that a closed pipe does not
  // kill the process.
  Stdio(boost::asio::io_context& io, int in, int out, StdioOptions options = {});
  // After the destructor has run, Stdio calls no callback. A callback of Stdio can destroy the
  // Stdio object.
  ~Stdio() override;

  // `handler` must outlive the Stdio object. Reading begins in the next iteration of the event
  // loop.
  void start(LineHandler& handler);

  void send(std::string_view message) override;
  void send_last(std::string_view message) override;
  bool is_behind() const override;
  void close() override;

  // The Stdio object calls `then` once, when the client has read all responses or has disconnected.
  // Call when_written() after close().
  void when_written(std::function<void()> then);
  // After the time `grace`, the Stdio object treats a client that does not read its responses as
  // disconnected.
  void limit_patience(std::chrono::milliseconds grace);

 private:
  class Loop;
  std::shared_ptr<Loop> loop_;
};

}  // namespace host::transport
