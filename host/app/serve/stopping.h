// Ends a host after SIGTERM or SIGINT, or after a SIGHUP that followed the close of the host's
// terminal. After a SIGHUP for another reason, the Stopping calls Transport::hang_up(). When the
// end of the host has begun, the host refuses new calls. Running calls can continue for
// server.stop_timeout_s. When server.stop_timeout_s has passed, the host ends the calls that still
// run, and their clients get a response. A second signal ends the running calls immediately. A
// third signal closes the remaining connections. A signal that arrives while the host stops the
// plugins kills all workers immediately. Call the functions of this header on the I/O thread.
#pragma once

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>

namespace host::app {

class Core;

class Stopping {
 public:
  using Duration = std::chrono::milliseconds;

  // The functions with which a Stopping controls the transport (HTTP or stdio).
  struct Transport {
    // Makes the transport accept no more requests. The Stopping calls close() once. After close(),
    // the transport must call transport_is_done() when its requests have ended.
    std::function<void()> close;
    // Closes the remaining connections after the given time. A new call of cut_off_in() replaces
    // the earlier time.
    std::function<void(Duration)> cut_off_in;
    // The Stopping calls over() before the core stops.
    std::function<void()> over;
    // The Stopping calls this function after a SIGHUP that does not end the host.
    std::function<void()> hang_up;
  };

  // `core`, and all objects that `transport` uses, must outlive the Stopping.
  Stopping(Core& core, Transport transport);

  // Begins to handle signals. The function listen() also handles a signal that arrived earlier.
  void listen();
  bool has_begun() const { return stage_ != Stage::Serving; }
  // The transport calls this function when it has written every response or closed the response's
  // connection. If there was no signal, transport_is_done() begins the end of the host.
  void transport_is_done();
  // Stops the Core and the event loop. If code of an inline plugin does not end, finish() exits the
  // process with `exit_code` instead.
  void finish(int exit_code);

 private:
  enum class Stage { Serving, Draining, Ending, Over };

  void hear(int signal);
  void begin();
  void end_calls();
  void finish_if_done();

  Core& core_;
  const Transport transport_;
  const bool had_terminal_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer timer_;
  Stage stage_ = Stage::Serving;
  bool transport_done_ = false;
  bool all_over_ = false;  // true: no more signals are awaited, so that the event loop can end
};

}  // namespace host::app
