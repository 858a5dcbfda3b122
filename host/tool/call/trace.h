// The trace that a call belongs to. protocol/trace_context.h reads it and drops malformed values.
#pragma once

#include <string>

namespace host::tool {

struct Trace {
  std::string parent;   // W3C traceparent; if empty, state is empty too
  std::string state;    // W3C tracestate
  std::string baggage;  // W3C Baggage; independent of the others

  bool operator==(const Trace&) const = default;
};

}  // namespace host::tool
