// A Probe checks whether a connection still leads to the same server, and whether the server's
// process still works. If a check fails, the Probe ends the connection.
//
// The Probe checks the server when a response or a timeout gives a reason for doubt. If a server
// does not understand a request, it can be an older or newer server in the place of the earlier
// one. If a process has sent nothing since it got a request that was not answered in time, the
// process may hang. To check the server, the Probe sends a request that every server of the
// protocol version answers immediately: server/discover (2026-07-28) or ping (older versions).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "upstream/connection/request.h"

namespace host::upstream {

class Probe {
 public:
  struct Line {
    std::function<void(Request)> send;
    // Ends the connection. After the Error NotFound, a new connection finds the protocol version
    // again.
    std::function<void(Error)> end;
  };

  // The probe regards a process that sends nothing for the time `patience` as hung.
  Probe(Line line, std::chrono::milliseconds patience)
      : line_(std::move(line)), patience_(patience) {}

  // Call begin() when the connection is ready.
  void begin(bool is_stateless, bool is_process);
  void end() { is_begun_ = false; }

  // Call heard() for each message of the upstream. messages() returns the number of these messages.
  void heard() { ++heard_; }
  std::uint64_t messages() const { return heard_; }
  // Call saw() for each response, before the response is handed on.
  void saw(const Request& request, const Answer& answer);
  // Call timed_out() for each request that was not answered in time.
  void timed_out(const Request& request);

 private:
  void ask(std::chrono::milliseconds timeout, std::function<void(const Answer&)> then);
  bool is_replaced(const Answer& answer) const;
  void ask_for_life(int round);

  const Line line_;
  const std::chrono::milliseconds patience_;
  bool is_begun_ = false;
  bool is_stateless_ = false;
  bool is_process_ = false;
  bool is_asking_ = false;
  std::uint64_t heard_ = 0;
};

}  // namespace host::upstream
