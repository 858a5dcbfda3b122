// A connection that transfers lines: stdio, or a socket. The functions are called on the I/O
// thread.
#pragma once

#include <string_view>

namespace host::transport {

// Receives the client's lines as they arrive. Implemented by mcp/.
class LineHandler {
 public:
  virtual ~LineHandler() = default;
  // `line` is one message without its newline; valid until return.
  virtual void on_line(std::string_view line) = 0;
  // Called for each piece of a line that exceeds the limit. The line is not kept. `ends`: this is
  // the line's last piece.
  virtual void on_overlong_line(std::string_view piece, bool ends) = 0;
  // Called when the client has closed its side. No other function is called after that.
  virtual void on_end() = 0;
};

class Connection {
 public:
  virtual ~Connection() = default;
  // Queues one message and adds the newline. Messages that are queued in one turn of the event loop
  // are sent with one write.
  virtual void send(std::string_view message) = 0;
  // Writes the queued messages, then closes.
  virtual void close() = 0;
};

}  // namespace host::transport
