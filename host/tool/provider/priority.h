// Decides which resources upstreams cannot serve because the host or a plugin has priority.
#pragma once

#include <string_view>

#include "tool/provider/offers.h"

namespace host::tool {

// Returns true if the host or a plugin has the resource `uri`, or a template that matches `uri`. If
// is_kept_from_upstreams() returns true for a resource, no upstream gets requests for this
// resource.
bool is_kept_from_upstreams(const Offers& offers, std::string_view uri);

}  // namespace host::tool
