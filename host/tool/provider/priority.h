// Decides which resources upstreams cannot serve, because the host or a plugin has priority.
#pragma once

#include <string_view>

#include "tool/provider/offers.h"

namespace host::tool {

// True if the host or a plugin has the resource `uri`, or a template that matches it. No upstream
// gets requests for a resource for which the result is true.
bool is_kept_from_upstreams(const Offers& offers, std::string_view uri);

}  // namespace host::tool
