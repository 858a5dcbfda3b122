// Runs `toolpost upstream test`, which starts one upstream from this process, without a host.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"

namespace host::cli {

// Connects to the upstream, reads its tools, and ends the upstream. Returns the upstream's status
// as JSON (upstream::as_json()). The function does not change the store. `last_lines` gets the last
// lines that the upstream's process wrote to its standard error. `waits` gets the names of the
// tools whose definitions wait for a decision in a host with this configuration and this store.
Result<std::string> test_upstream(const config::Config& config, const config::Upstream& upstream,
                                  std::vector<std::string>& last_lines,
                                  std::vector<std::string>& waits);

}  // namespace host::cli
