// W3C Trace Context and Baggage of a request's `_meta`. Malformed values are dropped, as the
// specifications require. They never make a request fail.
#pragma once

#include <string>
#include <string_view>

namespace host::protocol {

struct Trace {
  std::string parent;   // traceparent; if empty, state is empty too
  std::string state;    // tracestate
  std::string baggage;  // independent of the others
};

Trace read_trace(std::string_view traceparent, std::string_view tracestate,
                 std::string_view baggage);

}  // namespace host::protocol
