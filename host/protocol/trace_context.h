// W3C Trace Context and Baggage of a request's `_meta`. Malformed values are dropped, as the
// specifications require. They never make a request fail.
#pragma once

#include <string_view>

#include "tool/call/trace.h"

namespace host::protocol {

using tool::Trace;

Trace read_trace(std::string_view traceparent, std::string_view tracestate,
                 std::string_view baggage);

}  // namespace host::protocol
