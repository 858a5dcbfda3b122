#include "parameters.h"

#include <string_view>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& message) {
  throw toolpost::Error(message);
}

std::string_view text(const Statement& rows, int column) {
  const auto* bytes = reinterpret_cast<const char*>(::sqlite3_column_text(rows.get(), column));
  const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(rows.get(), column));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
}

// SQLite's own reader of JSON, in a database of its own that nothing restricts.
class Values {
 public:
  explicit Values(const std::string& json) {
    sqlite3* opened = nullptr;
    const int code = ::sqlite3_open_v2(":memory:", &opened,
                                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    memory_.reset(opened);
    sqlite3_stmt* made = nullptr;
    if (code != SQLITE_OK || ::sqlite3_prepare_v2(opened, "SELECT key, value FROM json_each(?1)",
                                                  -1, &made, nullptr) != SQLITE_OK)
      fail("parameters cannot be read: this SQLite has no json_each");
    rows.reset(made);
    ::sqlite3_bind_text(made, 1, json.data(), static_cast<int>(json.size()), SQLITE_TRANSIENT);
  }

  bool next() const {
    const int code = ::sqlite3_step(rows.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail("parameters are no JSON array or object");
    return code == SQLITE_ROW;
  }

 private:
  std::unique_ptr<sqlite3, CloseDatabase> memory_;  // outlives its statement

 public:
  Statement rows;
};

int position(const Statement& statement, const Statement& row, bool by_name) {
  if (!by_name) return ::sqlite3_column_int(row.get(), 0) + 1;
  const std::string name(text(row, 0));
  for (const char* mark : {":", "@", "$"}) {
    const int at = ::sqlite3_bind_parameter_index(statement.get(), (mark + name).c_str());
    if (at > 0) return at;
  }
  fail("parameters: the statement has no :" + std::string(toolpost::cut(name, 100)));
}

}  // namespace

void bind_parameters(const Statement& statement, const std::string& json) {
  const std::size_t start = json.find_first_not_of(" \t\r\n");
  const char kind = start == json.npos ? '\0' : json[start];
  if (kind != '[' && kind != '{') fail("parameters are neither an array nor an object");
  const int count = ::sqlite3_bind_parameter_count(statement.get());
  std::vector<bool> bound(static_cast<std::size_t>(count) + 1);
  const Values values(json);
  while (values.next()) {
    const int at = position(statement, values.rows, kind == '{');
    if (at > count)
      fail("parameters: the statement has " + std::to_string(count) + ", fewer than were given");
    ::sqlite3_bind_value(statement.get(), at, ::sqlite3_column_value(values.rows.get(), 1));
    bound[static_cast<std::size_t>(at)] = true;
  }
  for (int at = 1; at <= count; ++at) {
    if (bound[static_cast<std::size_t>(at)]) continue;
    const char* name = ::sqlite3_bind_parameter_name(statement.get(), at);
    fail("parameters: no value for " + (name == nullptr ? "? number " + std::to_string(at) : name));
  }
}
