// Whether the values of an upstream's secrets have changed, for a reload of the configuration.
#pragma once

#include <string>

#include "base/result.h"
#include "config/upstream.h"

namespace host::upstream {

// A digest of the values that `env` or `headers` have now. NotFound: one of them cannot be read.
Result<std::string> digest_of_secrets(const config::Upstream& upstream);

}  // namespace host::upstream
