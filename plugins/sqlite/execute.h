// Writing: one or several statements, all or none of them.
#pragma once

#include <cstdint>
#include <optional>

#include "database.h"

struct Changed {
  std::int64_t changes = 0;
  std::int64_t last_row_id = 0;
  int statements = 0;

  TOOLPOST_FIELDS(Changed, TOOLPOST_FIELD(changes, "Rows that were inserted, changed or deleted"),
                  TOOLPOST_FIELD(last_row_id, "Of the last row inserted; 0: none"),
                  TOOLPOST_FIELD(statements))
};

// In one transaction. Parameters belong to the only statement. Throws toolpost::Error and
// toolpost::Cancelled, and nothing has changed then.
Changed execute(Database& database, std::string_view sql,
                const std::optional<toolpost::Json>& parameters);
