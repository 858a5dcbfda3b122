// Checks how long a worker takes to start, to answer a ping and to end. look() reports which action
// is due, and the caller performs the action. The functions of this header are called on the I/O
// thread.
#pragma once

#include <chrono>

#include "base/clock.h"

namespace host::plugin {

class Liveness {
 public:
  struct Limits {
    std::chrono::milliseconds start{5000};
    std::chrono::milliseconds ping_every{5000};
    std::chrono::milliseconds pong_within{15000};
  };
  enum class Due { Nothing, Ping, NotUp, NotGone, Silent };

  explicit Liveness(Limits limits) : limits_(limits) {}

  void start(SteadyTime now);
  void up() { phase_ = Phase::Up; }
  void end_by(SteadyTime when);
  void last_words();  // the host has asked the worker to exit; look() then requests no ping

  // `heard` is the time at which the host received the worker's last frame.
  Due look(SteadyTime now, SteadyTime heard);

 private:
  enum class Phase { Starting, Up, Ending };

  Limits limits_;
  Phase phase_ = Phase::Starting;
  bool asked_to_exit_ = false;
  SteadyTime start_by_{};
  SteadyTime end_by_{};
  SteadyTime pinged_{};
};

}  // namespace host::plugin
