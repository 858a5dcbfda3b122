// A Trace is the trace that a call is part of. protocol/trace_context.h reads the trace from a
// request and drops malformed values.
#pragma once

#include <string>

namespace host::tool {

struct Trace {
  std::string parent;   // W3C traceparent; if empty, state is empty too
  std::string state;    // W3C tracestate, or empty
  std::string baggage;  // W3C Baggage, which can be present without the others

  bool operator==(const Trace&) const = default;
};

}  // namespace host::tool
