#include "plugin/process/liveness.h"

namespace host::plugin {

void Liveness::start(SteadyTime now) {
  pinged_ = now;
  start_by_ = now + limits_.start;
}

void Liveness::end_by(SteadyTime when) {
  phase_ = Phase::Ending;
  end_by_ = when;
}

void Liveness::last_words() {
  asked_to_exit_ = true;
}

Liveness::Due Liveness::look(SteadyTime now, SteadyTime heard) {
  if (phase_ == Phase::Starting) return now >= start_by_ ? Due::NotUp : Due::Nothing;
  if (phase_ == Phase::Ending && now >= end_by_) return Due::NotGone;
  if (asked_to_exit_) return Due::Nothing;
  if (heard < pinged_)  // another ping would only put off the end
    return now - pinged_ > limits_.pong_within ? Due::Silent : Due::Nothing;
  if (now - heard < limits_.ping_every) return Due::Nothing;
  pinged_ = now;
  return Due::Ping;
}

}  // namespace host::plugin
