#include "query.h"

#include <algorithm>

#include "cell.h"
#include "parameters.h"
#include "roots/utf8.h"

namespace {

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

std::vector<Table> read_tables(Database& database) {
  database.restrict_it();
  std::string_view sql =
      "SELECT t.name, t.type, t.sql, c.name, c.type, c.\"notnull\", c.dflt_value, c.pk "
      "FROM sqlite_schema t LEFT JOIN pragma_table_xinfo(t.name) c "
      "WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite_%' "
      "ORDER BY t.name, c.cid LIMIT 5000";
  const Statement row = database.prepare(sql);
  std::vector<Table> tables;
  while (database.step(row)) {
    const std::string name = printable_text(row, 0);
    if (tables.empty() || tables.back().name != name)
      tables.push_back({name, printable_text(row, 1), {}, printable_text(row, 2)});
    if (::sqlite3_column_type(row.get(), 3) == SQLITE_NULL) continue;
    Column& column = tables.back().columns.emplace_back();
    column.name = printable_text(row, 3);
    column.type = printable_text(row, 4);
    column.not_null = ::sqlite3_column_int(row.get(), 5) != 0;
    if (::sqlite3_column_type(row.get(), 6) != SQLITE_NULL)
      column.default_value = printable_text(row, 6);
    column.primary_key = ::sqlite3_column_int(row.get(), 7) != 0;
  }
  return tables;
}
