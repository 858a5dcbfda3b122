// The database schema, as numbered migrations. Each is applied once, completely or not at all.
#pragma once

#include "base/result.h"
#include "store/sqlite/sqlite.h"

namespace host::store {

// Applies the missing migrations. An error if a newer host made the database.
Result<void> bring_up_to_date(Sqlite& database);

// Tests whether the database accepts writes, by writing the version again.
Result<void> write_version_again(Sqlite& database);

}  // namespace host::store
