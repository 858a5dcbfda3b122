// Finds out whether the values of an upstream's secrets have changed, when the configuration is
// reloaded.
#pragma once

#include <string>

#include "base/result.h"
#include "config/upstream.h"

namespace host::upstream {

// Returns a digest of the values that `env` or `headers` have now. The Error NotFound means that
// one of the values cannot be read.
Result<std::string> digest_of_secrets(const config::Upstream& upstream);

}  // namespace host::upstream
