// The database schema, as numbered migrations. Each migration is applied once, completely or not at
// all.
#pragma once

#include <cstddef>

#include "base/digest.h"
#include "base/result.h"
#include "store/sqlite/sqlite.h"

namespace host::store {

// Applies the missing migrations. Returns an Error if a newer version of the host made the
// database.
Result<void> bring_up_to_date(Sqlite& database);

// Returns the digest of the text of the first `count` migrations. A test uses digest_of_steps() to
// check that no migration changes after a host could have applied the migration.
Sha256 digest_of_steps(std::size_t count);

// Tests whether the database accepts writes, by writing the schema version again.
Result<void> write_version_again(Sqlite& database);

}  // namespace host::store
