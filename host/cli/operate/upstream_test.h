// `toolpost upstream test`: starts one upstream from this process, without a host.
#pragma once

#include <string>

#include "base/result.h"
#include "config/config.h"

namespace host::cli {

// Connects, reads the tools, and ends the upstream. Returns its status as JSON
// (upstream::as_json()). The store is not changed.
Result<std::string> test_upstream(const config::Config& config, const config::Upstream& upstream);

}  // namespace host::cli
