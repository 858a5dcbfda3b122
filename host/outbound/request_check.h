// Checks requests, and changes them for a redirect. No threads, no network.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "outbound/gate.h"

namespace host::outbound {

// Checks method and headers. They must not break HTTP's framing, and must not name a host that was
// not checked.
Result<void> check_request(const Request& request);

std::vector<std::string> lines_of(const Headers& headers);

// Prepares the request for the next hop. Possible secrets of the first origin are not sent to a
// different one.
void redirect(Request& request, int status, std::string location, bool same_origin);

}  // namespace host::outbound
