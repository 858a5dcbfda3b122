// Opens the host's store for a command.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "config/config.h"
#include "store/store.h"

namespace host::cli {

// Opens the store. The function open_store() makes the store if it does not exist. The Error
// Unavailable means that the configuration has no store. `without` is the last part of the Error's
// message, and says what is not possible without a store.
Result<std::unique_ptr<store::Store>> open_store(const config::Config& config,
                                                 const std::string& without);
// Opens the store only for reading. Returns null if there is no store. The function
// look_into_store() never makes a store.
Result<std::unique_ptr<store::Store>> look_into_store(const config::Config& config);

// Returns true if an older version of Toolpost has made the store, or if the store's version cannot
// be read. open_store() and look_into_store() would migrate an older store, and the older version
// of Toolpost could then not open it any more.
bool awaits_migration(const std::filesystem::path& file);

}  // namespace host::cli
