// The host's store, for a verb of the command line.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "config/config.h"
#include "store/store.h"

namespace host::cli {

// Made where absent. Unavailable where the configuration has none: then `without` is so.
Result<std::unique_ptr<store::Store>> open_store(const config::Config& config,
                                                 const std::string& without);
// Null where there is none: nothing is made for a look.
Result<std::unique_ptr<store::Store>> look_into_store(const config::Config& config);

}  // namespace host::cli
