// Lines on two file descriptors: MCP on standard input and output. I/O thread only.
//
// Every complete line of what one read brought is handed on before anything is written, so that
// what those lines ask leaves in one write. Reading pauses while the peer does not take its
// answers. Pipes, sockets, terminals and regular files are served alike; the descriptors stay the
// caller's.
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
  std::size_t line_bytes = 4u << 20u;     // a longer line is skipped whole
  std::size_t backlog_bytes = 1u << 20u;  // beyond it, reading waits for the peer
  std::function<void()> before_write;     // runs before each write to the peer; may be empty
};

class Stdio final : public Connection {
 public:
  // SIGPIPE is ignored from here on, in the whole process: a peer that is gone is an end, not a
  // death.
  Stdio(boost::asio::io_context& io, int in, int out, StdioOptions options = {});
  // Nothing is called back after it. May run inside a callback.
  ~Stdio() override;

  // `handler` outlives this object. Reading begins with the next turn of the loop.
  void start(LineHandler& handler);

  void send(std::string_view message) override;
  void close() override;

  // `then` runs once, when the peer has taken all that was sent, or is gone. After close().
  void when_written(std::function<void()> then);
  // From `grace` on, a peer that does not take its answers counts as gone.
  void limit_patience(std::chrono::milliseconds grace);

 private:
  class Loop;
  std::shared_ptr<Loop> loop_;
};

}  // namespace host::transport
