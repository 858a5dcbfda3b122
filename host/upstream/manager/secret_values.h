// Whether the values of an upstream's secrets have changed, for a reload of the configuration.
#pragma once

#include <string>

#include "config/upstream.h"

namespace host::upstream {

// A digest of the values that `env` or `headers` have now. A value that cannot be read counts as
// such.
std::string digest_of_secrets(const config::Upstream& upstream);

}  // namespace host::upstream
