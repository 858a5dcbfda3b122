// What the database holds, as numbered steps: each is taken once, whole or not at all.
#pragma once

#include "base/result.h"
#include "store/sqlite.h"

namespace host::store {

// Takes the steps that this database has not taken yet. An error where a newer host made it.
Result<void> bring_up_to_date(Sqlite& database);

// Changes nothing, on the disk: whether the database takes what is written.
Result<void> write_version_again(Sqlite& database);

}  // namespace host::store
