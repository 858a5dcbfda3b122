// One open database for one call, that does no more than it may.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <sqlite3.h>

#include <toolpost/toolpost.hpp>

#include "functions.h"

enum class Access { Read, Write };

struct CloseDatabase {
  void operator()(sqlite3* database) const { ::sqlite3_close_v2(database); }
};
struct CloseStatement {
  void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, CloseStatement>;

// For one thread. It stays where it is: SQLite keeps a pointer to it.
class Database {
 public:
  // name is for messages. A file that is not there is not made. Throws toolpost::Error.
  Database(const std::string& name, const std::string& path, Access access,
           std::chrono::milliseconds timeout, const toolpost::Context& call);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // From here on only what the access allows is prepared: reading alone, or writing to tables and
  // their like; never another file, a transaction's own words, or a pragma that changes something.
  void restrict_it();
  void lift_restrictions();

  // The next statement of `sql`, which is moved on behind it; none where nothing but space and
  // comments is left. Throws toolpost::Error.
  Statement prepare(std::string_view& sql) const;

  // Whether there is a row. Throws toolpost::Error and toolpost::Cancelled.
  bool step(const Statement& statement) const;
  // The same, but what is wrong with the database's own schema counts as no row.
  bool step_if_possible(const Statement& statement) const;

  void run(const char* sql) const;

  sqlite3* handle() const { return database_.get(); }

  // What went wrong last, as an Error; Cancelled where that is why.
  [[noreturn]] void fail() const;

 private:
  static int is_over(void* self);

  std::string name_;
  Access access_;
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point until_;
  const toolpost::Context& call_;
  Watch watch_{is_over, this};
  std::unique_ptr<sqlite3, CloseDatabase> database_;
};
