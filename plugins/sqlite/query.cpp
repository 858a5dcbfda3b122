#include "query.h"

#include <algorithm>

#include "cell.h"
#include "parameters.h"
#include "roots/utf8.h"

namespace {

// Of one answer.
constexpr std::size_t kMostColumns = 4000;
constexpr std::size_t kMostTables = 5000;

std::string printable_text(const Statement& row, int column) {
  const auto* bytes = reinterpret_cast<const char*>(::sqlite3_column_text(row.get(), column));
  const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(row.get(), column));
  return bytes == nullptr ? std::string() : printable({bytes, size});
}

Statement prepare_one(Database& database, std::string_view sql) {
  Statement statement = database.prepare(sql);
  if (!statement) throw toolpost::Error("sql is empty: give one statement");
  if (database.prepare(sql)) throw toolpost::Error("sql has several statements: give one");
  if (::sqlite3_stmt_readonly(statement.get()) == 0)
    throw toolpost::Error("the statement writes: pre_execute is for that");
  return statement;
}

// Of the table whose name is in the row's first column. None for a view whose table is gone, and
// for a virtual table whose module is not there: only its SQL can be told.
std::vector<Column> columns_of(Database& database, const Statement& table) {
  std::string_view sql =
      "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_xinfo(?) ORDER BY cid";
  const Statement row = database.prepare(sql);
  ::sqlite3_bind_value(row.get(), 1, ::sqlite3_column_value(table.get(), 0));
  std::vector<Column> columns;
  while (database.step_if_possible(row)) {
    Column& column = columns.emplace_back();
    column.name = printable_text(row, 0);
    column.type = printable_text(row, 1);
    column.not_null = ::sqlite3_column_int(row.get(), 2) != 0;
    if (::sqlite3_column_type(row.get(), 3) != SQLITE_NULL)
      column.default_value = printable_text(row, 3);
    column.primary_key = ::sqlite3_column_int(row.get(), 4) != 0;
  }
  return columns;
}

}  // namespace

Rows read_rows(Database& database, std::string_view sql,
               const std::optional<toolpost::Json>& parameters, const Bounds& bounds) {
  database.restrict_it();
  const Statement statement = prepare_one(database, sql);
  bind_parameters(statement, parameters ? parameters->text : "[]");
  Rows result;
  const int columns = ::sqlite3_column_count(statement.get());
  for (int i = 0; i < columns; ++i)
    result.columns.push_back(printable(::sqlite3_column_name(statement.get(), i)));
  std::size_t bytes = 0;
  while (database.step(statement)) {
    result.truncated = result.rows.size() == bounds.rows || bytes > bounds.bytes;
    if (result.truncated) break;
    std::vector<toolpost::Json>& row = result.rows.emplace_back();
    for (int i = 0; i < columns; ++i) {
      const std::size_t left = bounds.bytes - std::min(bytes, bounds.bytes);
      row.push_back({cell(statement.get(), i, std::min(left, bounds.cell_bytes))});
      bytes += row.back().text.size();
    }
  }
  return result;
}

Tables read_tables(Database& database) {
  database.restrict_it();
  std::string_view sql =
      "SELECT name, type, sql FROM sqlite_schema "
      "WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name";
  const Statement row = database.prepare(sql);
  Tables told;
  std::size_t columns = 0;
  while (database.step(row)) {
    told.truncated = columns >= kMostColumns || told.tables.size() == kMostTables;
    if (told.truncated) break;
    Table& table = told.tables.emplace_back();
    table.name = printable_text(row, 0);
    table.kind = printable_text(row, 1);
    table.sql = printable_text(row, 2);
    table.columns = columns_of(database, row);
    columns += table.columns.size();
  }
  return told;
}
