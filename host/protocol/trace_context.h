// Reads W3C Trace Context and Baggage from a request's `_meta` or headers. The functions drop
// malformed values, as the specifications require. No request fails because of malformed trace
// values.
#pragma once

#include <string_view>

#include "tool/call/trace.h"

namespace host::protocol {

using tool::Trace;

Trace read_trace(std::string_view traceparent, std::string_view tracestate,
                 std::string_view baggage);

}  // namespace host::protocol
