// What a request may ask for, and what becomes of it on a redirect. No thread, no network.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "outbound/gate.h"

namespace host::outbound {

// Method and headers: nothing that could speak past HTTP's framing, or for a host that was not
// checked.
Result<void> check_request(const Request& request);

std::vector<std::string> lines_of(const Headers& headers);

// Turns it to the next hop. What may be a secret of the first origin does not go to another.
void redirect(Request& request, int status, std::string location, bool same_origin);

}  // namespace host::outbound
