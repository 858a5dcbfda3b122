// Defines the allowed changes of a record's state. Only this table decides which changes are
// allowed.
#pragma once

#include <array>

#include "tool/call/record.h"

namespace host::task {

struct AllowedStep {
  tool::RecordState from;
  tool::RecordState to;
  bool caller;  // true: also allowed if a caller executes the call
};

inline constexpr std::array kAllowedSteps{
    // the reason of the wait has changed: approval, a code, its executor
    AllowedStep{tool::RecordState::Pending, tool::RecordState::Pending, true},
    // the run begins, or a caller picks it up
    AllowedStep{tool::RecordState::Pending, tool::RecordState::Processing, true},
    // denied, cancelled, not picked up
    AllowedStep{tool::RecordState::Pending, tool::RecordState::Error, true},
    // answered without a run: the stored result of the same idempotency key
    AllowedStep{tool::RecordState::Pending, tool::RecordState::Complete, false},
    // the run ended with questions for the client; the call waits until they are answered
    AllowedStep{tool::RecordState::Processing, tool::RecordState::Pending, false},
    AllowedStep{tool::RecordState::Processing, tool::RecordState::Complete, true},
    AllowedStep{tool::RecordState::Processing, tool::RecordState::Error, true},
};

constexpr bool is_allowed(tool::RecordState from, tool::RecordState to, tool::Executes who) {
  for (const AllowedStep& step : kAllowedSteps) {
    if (step.from == from && step.to == to) return step.caller || who == tool::Executes::Host;
  }
  return false;
}

}  // namespace host::task
