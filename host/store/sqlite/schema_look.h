// Reads the schema version of a database without changing it; opening a store would migrate it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace host::store {

struct SchemaVersions {
  std::uint64_t found = 0;  // in the file; 0: it is empty
  std::uint64_t known = 0;  // what open_sqlite_store() migrates it to
};

// The file must exist. It is opened read-only and checked completely: damage is an error.
Result<SchemaVersions> look_at_schema(const std::filesystem::path& file);

}  // namespace host::store
