// Opens the host's store for a command.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "config/config.h"
#include "store/store.h"

namespace host::cli {

// Opens the store. The function makes the store if it does not exist. The Error Unavailable means
// that the configuration has no store. `without` is the end of the Error's message, and says what
// is not possible without a store.
Result<std::unique_ptr<store::Store>> open_store(const config::Config& config,
                                                 const std::string& without);
// Opens the store only for reading. Returns null if there is no store. The function does not make a
// store.
Result<std::unique_ptr<store::Store>> look_into_store(const config::Config& config);

// Returns true if an older Toolpost version has made the store, or if its version cannot be read.
// The functions above would then migrate the store, and the older version could not open it.
bool awaits_migration(const std::filesystem::path& file);

}  // namespace host::cli
