#include "store.h"

#include <stdexcept>

namespace {

[[noreturn]] void fail(sqlite3* database) {
  throw std::runtime_error("the warehouse's file: " + std::string(::sqlite3_errmsg(database)));
}

}  // namespace

Store::Store(const std::string& path) {
  sqlite3* opened = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = ::sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) fail(opened);
  ::sqlite3_busy_timeout(opened, 5000);
  script("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY");
}

void Store::script(const char* sql) {
  if (::sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(database_.get());
}

void Store::run(const std::string& sql, std::initializer_list<Value> values) {
  Row row = rows(sql, values);
  while (row.next()) {
  }
}

Row Store::rows(const std::string& sql, std::initializer_list<Value> values) {
  return {*this, sql, values};
}

std::int64_t Store::number(const std::string& sql, std::initializer_list<Value> values,
                           std::int64_t otherwise) {
  Row row = rows(sql, values);
  return row.next() ? row.number(0) : otherwise;
}

Row::Row(Store& store, const std::string& sql, std::initializer_list<Value> values)
    : store_(store) {
  sqlite3_stmt* made = nullptr;
  sqlite3* const database = store.database_.get();
  if (::sqlite3_prepare_v2(database, sql.c_str(), -1, &made, nullptr) != SQLITE_OK) fail(database);
  statement_.reset(made);
  int at = 0;
  for (const Value& value : values) {
    ++at;
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      ::sqlite3_bind_int64(made, at, *number);
    } else {
      const auto& text = std::get<std::string>(value);
      ::sqlite3_bind_text(made, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
  }
}

bool Row::next() {
  const int code = ::sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(store_.database_.get());
  return code == SQLITE_ROW;
}

std::int64_t Row::number(int column) const {
  return ::sqlite3_column_int64(statement_.get(), column);
}

std::string Row::text(int column) const {
  const auto* bytes =
      reinterpret_cast<const char*>(::sqlite3_column_text(statement_.get(), column));
  const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(statement_.get(), column));
  return bytes == nullptr ? std::string() : std::string(bytes, size);
}

Transaction::~Transaction() {
  try {
    if (store_.in_transaction()) store_.run("ROLLBACK");
  } catch (const std::exception&) {  // SQLite has rolled it back by itself
  }
}
