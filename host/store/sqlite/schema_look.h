// Reads the schema version of a database without changing the database. When the host opens its
// store, it migrates the database to the newest schema, but SchemaVersions does not.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace host::store {

struct SchemaVersions {
  std::uint64_t found = 0;  // the schema version in the file; 0: the file is empty
  std::uint64_t known = 0;  // the schema version to which open_sqlite_store() migrates the file
};

// The file must exist. look_at_schema() opens the file read-only and checks the whole file.
// look_at_schema() returns an Error if the file is damaged.
Result<SchemaVersions> look_at_schema(const std::filesystem::path& file);

}  // namespace host::store
