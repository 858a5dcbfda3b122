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
// check that nobody changes a migration that a host could already have applied.
Sha256 digest_of_steps(std::size_t count);

// Tests whether the database accepts writes, by writing the schema version again.
Result<void> write_version_again(Sqlite& database);

}  // namespace host::store
