// Reading: rows of one statement, and what tables there are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "database.h"

struct Rows {
  std::vector<std::string> columns;
  std::vector<std::vector<toolpost::Json>> rows;
  bool truncated = false;

  TOOLPOST_FIELDS(Rows, TOOLPOST_FIELD(columns), TOOLPOST_FIELD(rows, "In the order of columns"),
                  TOOLPOST_FIELD(truncated, "There are more: narrow the query, or page through it"))
};

struct Bounds {
  std::size_t rows;
  std::size_t bytes;       // of all rows
  std::size_t cell_bytes;  // of one text
};

// Throws toolpost::Error for what is not one statement that reads.
Rows read_rows(Database& database, std::string_view sql,
               const std::optional<toolpost::Json>& parameters, const Bounds& bounds);

struct Column {
  std::string name;
  std::string type;
  bool not_null = false;
  bool primary_key = false;
  std::optional<std::string> default_value;

  TOOLPOST_FIELDS(Column, TOOLPOST_FIELD(name), TOOLPOST_FIELD(type), TOOLPOST_FIELD(not_null),
                  TOOLPOST_FIELD(primary_key), TOOLPOST_FIELD(default_value, "As SQL"))
};

struct Table {
  std::string name;
  std::string kind;
  std::vector<Column> columns;
  std::string sql;

  TOOLPOST_FIELDS(Table, TOOLPOST_FIELD(name), TOOLPOST_FIELD(kind, "table or view"),
                  TOOLPOST_FIELD(columns), TOOLPOST_FIELD(sql, "How it was made"))
};

struct Tables {
  std::vector<Table> tables;
  bool truncated = false;  // there are more
};

Tables read_tables(Database& database);
