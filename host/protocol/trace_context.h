// W3C Trace Context and Baggage of a request's `_meta`. What is malformed is dropped, as their
// specifications want it; it never makes a request fail.
#pragma once

#include <string>
#include <string_view>

namespace host::protocol {

struct Trace {
  std::string parent;   // traceparent; empty: none, and then no state either
  std::string state;    // tracestate
  std::string baggage;  // may stand alone
};

Trace read_trace(std::string_view traceparent, std::string_view tracestate,
                 std::string_view baggage);

}  // namespace host::protocol
