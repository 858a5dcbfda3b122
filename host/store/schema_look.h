// Which schema a database has, without a change to it: opening a store migrates it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace host::store {

struct SchemaVersions {
  std::uint64_t found = 0;  // in the file; 0: it is empty
  std::uint64_t known = 0;  // what open_sqlite_store() migrates it to
};

// The file exists. It is opened for reading only, and checked as a whole: damage is an error.
Result<SchemaVersions> look_at_schema(const std::filesystem::path& file);

}  // namespace host::store
