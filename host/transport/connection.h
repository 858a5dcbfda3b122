// Connection is the interface of a connection that transfers lines: stdio, or a socket. The
// functions of Connection and LineHandler are called on the I/O thread.
#pragma once

#include <string_view>

namespace host::transport {

// Receives the client's lines as they arrive. The layer mcp/ implements the interface LineHandler.
class LineHandler {
 public:
  virtual ~LineHandler() = default;
  // `line` is one message without its newline. The view `line` is valid until on_line() returns.
  virtual void on_line(std::string_view line) = 0;
  // The connection calls on_overlong_line() for each piece of a line that exceeds the limit. The
  // connection does not keep a line that exceeds the limit. `ends` is true if `piece` is the line's
  // last piece.
  virtual void on_overlong_line(std::string_view piece, bool ends) = 0;
  // The connection calls on_end() when the client has closed its side of the connection. After
  // on_end(), the connection calls no function of the handler.
  virtual void on_end() = 0;
  // The connection calls on_drained() when all queued messages are written, if is_behind() was true
  // before.
  virtual void on_drained() {}
};

class Connection {
 public:
  virtual ~Connection() = default;
  // Queues one message and adds the newline. The connection sends all messages that were queued in
  // one iteration of the event loop with one write.
  virtual void send(std::string_view message) = 0;
  // Queues one message as send() does, and can write all queued messages immediately. Call
  // send_last() if probably no other message follows in this iteration of the event loop.
  virtual void send_last(std::string_view message) { send(message); }
  // Returns true if so many bytes are queued that the connection reads no further requests for now.
  virtual bool is_behind() const { return false; }
  // Writes the queued messages, and then closes the connection.
  virtual void close() = 0;
};

}  // namespace host::transport
