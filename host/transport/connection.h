// A channel of lines: stdio, or a socket of lines. I/O thread only.
#pragma once

#include <string_view>

namespace host::transport {

// Receives the client's lines as they arrive. Implemented by mcp/.
class LineHandler {
 public:
  virtual ~LineHandler() = default;
  // `line` is one message without its newline; valid until return.
  virtual void on_line(std::string_view line) = 0;
  // A piece of a line over the limit, which is not kept. `ends`: this is the last piece.
  virtual void on_overlong_line(std::string_view piece, bool ends) = 0;
  // The client closed its side. No further call follows.
  virtual void on_end() = 0;
};

class Connection {
 public:
  virtual ~Connection() = default;
  // Queues one message and adds the newline. Messages of one turn of the loop leave in one write.
  virtual void send(std::string_view message) = 0;
  // Writes the queued messages, then closes.
  virtual void close() = 0;
};

}  // namespace host::transport
