// Runs `toolpost upstream test`, which starts one upstream from this process, without a host.
#pragma once

#include <string>

#include "base/result.h"
#include "config/config.h"

namespace host::cli {

// Connects to the upstream, reads its tools, and ends it. Returns the upstream's status as JSON
// (upstream::as_json()). The function does not change the store.
Result<std::string> test_upstream(const config::Config& config, const config::Upstream& upstream);

}  // namespace host::cli
