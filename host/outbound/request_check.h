// Checks outgoing HTTP requests, and changes them for a redirect. The functions of this header use
// neither threads nor the network.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "outbound/gate.h"

namespace host::outbound {

// Checks the method and the headers of a request. The headers must not break HTTP's framing, and
// must not contain a host that the gate has not checked.
Result<void> check_request(const Request& request);

std::vector<std::string> lines_of(const Headers& headers);

// Prepares the HTTP request for the next hop. If the next hop has a different origin, the function
// removes headers that could be secrets for the first origin.
void redirect(Request& request, int status, std::string location, bool same_origin);

}  // namespace host::outbound
