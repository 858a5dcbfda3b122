// How a host ends. SIGTERM or SIGINT begins it, and so does a SIGHUP where the host's terminal is
// gone; any other SIGHUP is ignored. From then on new calls are refused. Calls that run may go on
// for server.stop_timeout_s, then they are ended and answered. A second signal ends them at once,
// a third one does not wait for the plugins either. I/O thread only.
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

  // What it asks of the transport.
  struct Transport {
    // Nothing new is taken; once. transport_is_done() follows.
    std::function<void()> close;
    // What is still under way is cut off so long from now, in place of an earlier time.
    std::function<void(Duration)> cut_off_in;
    // Before the core stops; also where no signal came.
    std::function<void()> over;
  };

  // The core outlives it, and what `transport` refers to.
  Stopping(Core& core, Transport transport);

  // From here on signals are heard; one that came before is heard now.
  void listen();
  bool has_begun() const { return stage_ != Stage::Serving; }
  // Every answer is written, or its connection is gone. Also where no signal came: then that is the
  // end.
  void transport_is_done();
  // Stops the core, after which nothing keeps the loop running. Where code inside this process
  // cannot be ended, it leaves the process with `exit_code` instead.
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
  bool all_over_ = false;  // no signal is waited for any more, so that the loop can end
};

}  // namespace host::app
