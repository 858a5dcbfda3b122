// Lines on two file descriptors: MCP over standard input and output. The functions are called on
// the I/O thread.
//
// All complete lines of one read are passed to the handler before anything is written, so that
// their answers are sent with one write. Reading pauses while the client does not read its answers.
// Pipes, sockets, terminals and regular files work. The descriptors stay open and belong to the
// caller.
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
  std::size_t line_bytes = 4u << 20u;     // a longer line is skipped
  std::size_t backlog_bytes = 1u << 20u;  // if more bytes are queued, reading waits for the client
  std::function<void()> before_write;     // runs before each write to the client; may be empty
};

class Stdio final : public Connection {
 public:
  // The constructor makes the whole process ignore SIGPIPE, so that a closed pipe does not kill the
  // process.
  Stdio(boost::asio::io_context& io, int in, int out, StdioOptions options = {});
  // After the destructor, no callback runs. It can be called in a callback.
  ~Stdio() override;

  // `handler` must outlive this object. Reading begins at the next turn of the event loop.
  void start(LineHandler& handler);

  void send(std::string_view message) override;
  void close() override;

  // `then` runs once, when the client has read all answers or has disconnected. Call when_written()
  // after close().
  void when_written(std::function<void()> then);
  // After `grace`, a client that does not read its answers is treated as disconnected.
  void limit_patience(std::chrono::milliseconds grace);

 private:
  class Loop;
  std::shared_ptr<Loop> loop_;
};

}  // namespace host::transport
