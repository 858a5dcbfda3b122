// Opens the host's store for a command.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "config/config.h"
#include "store/store.h"

namespace host::cli {

// Makes the store if absent. Unavailable: the configuration has no store. The Error's message ends
// with `without`, which says what is not possible then.
Result<std::unique_ptr<store::Store>> open_store(const config::Config& config,
                                                 const std::string& without);
// Only for reading. Null: there is no store, and none is made.
Result<std::unique_ptr<store::Store>> look_into_store(const config::Config& config);

}  // namespace host::cli
