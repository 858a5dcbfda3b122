// Defines the allowed changes of a record's state. Only the array kAllowedSteps decides which
// changes are allowed.
#pragma once

#include <array>

#include "tool/call/record.h"

namespace host::task {

struct AllowedStep {
  tool::RecordState from;
  tool::RecordState to;
  bool caller;  // true: the step is also allowed if a client executes the call
};

inline constexpr std::array kAllowedSteps{
    // Pending to Pending: the call still waits, but for something else (an approval, a code or the
    // executing client).
    AllowedStep{tool::RecordState::Pending, tool::RecordState::Pending, true},
    // Pending to Processing: the run begins, or the client that executes the call picks the call
    // up.
    AllowedStep{tool::RecordState::Pending, tool::RecordState::Processing, true},
    // Pending to Error: the call was denied or cancelled, or no client picked the call up.
    AllowedStep{tool::RecordState::Pending, tool::RecordState::Error, true},
    // Pending to Complete: the call gets the stored result of its idempotency key, and does not
    // run.
    AllowedStep{tool::RecordState::Pending, tool::RecordState::Complete, false},
    // Processing to Pending: the run ended with questions for the client. After a run that ended
    // with questions, the call waits until its client has answered the questions.
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
