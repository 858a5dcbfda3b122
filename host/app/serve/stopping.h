// The end of a host. It begins with SIGTERM, SIGINT, or a SIGHUP after the host's terminal was
// closed. Any other SIGHUP is ignored. From then on new calls are refused. Running calls may
// continue for server.stop_timeout_s. Then they are ended and answered. A second signal ends them
// at once. A third signal does not wait for the plugins either. I/O thread only.
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

  // The functions of the transport that it needs.
  struct Transport {
    // Stops accepting requests. Called once. transport_is_done() must follow.
    std::function<void()> close;
    // Closes the remaining connections after this time. Replaces an earlier time.
    std::function<void(Duration)> cut_off_in;
    // Called before the core stops, also without a signal.
    std::function<void()> over;
  };

  // `core`, and all objects that `transport` uses, outlive it.
  Stopping(Core& core, Transport transport);

  // Handles signals from now on, and also a signal that arrived before.
  void listen();
  bool has_begun() const { return stage_ != Stage::Serving; }
  // The transport calls it when every answer is written or its connection is closed. Without a
  // signal, this begins the end of the host.
  void transport_is_done();
  // Stops the core, so that the event loop ends. If code of an inline plugin cannot be ended, exits
  // the process with `exit_code` instead.
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
  bool all_over_ = false;  // does not wait for signals any more, so that the loop can end
};

}  // namespace host::app
