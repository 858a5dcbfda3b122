// Finds the errors that running hosts report about upstreams which they cannot use.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace host::cli {

struct UpstreamFault {
  std::string host;  // the host's address
  std::string upstream;
  std::string why;
};

// Returns the last error of each upstream of each host that serves with the store of `config`. The
// returned list is empty if no host answers.
std::vector<UpstreamFault> faults_of_upstreams(const config::Config& config);

}  // namespace host::cli
