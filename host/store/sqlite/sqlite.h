// SQLite: a connection, its statements, transactions. Only this file uses the library. One thread
// at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/process/private_folder.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace host::store {

class Sqlite;

// A running statement. It is reset and returned to its connection when destroyed.
class Statement {
 public:
  Statement(Statement&& other) noexcept
      : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Binds the next parameter. The argument must outlive the statement's use.
  Statement& bind(std::string_view text);
  Statement& bind_blob(std::string_view bytes);
  Statement& bind(std::uint64_t number);  // below 2^63

  // True: there is a row. False: there are no more.
  Result<bool> step();
  // Runs it to its end and ignores rows.
  Result<void> run();

  // Columns of the row, from 0. Views are valid until the next step.
  std::string_view text(int column) const;
  std::string_view blob(int column) const { return text(column); }
  std::uint64_t number(int column) const;

 private:
  friend class Sqlite;
  Statement(Sqlite& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}

  Sqlite* database_;
  sqlite3_stmt* handle_;
  int next_ = 1;
};

class Sqlite {
 public:
  // Makes the file (0600) and its folder (0700) if absent. Refuses a file or folder that other
  // users control. Uses a write-ahead log. When a commit returns, it is on the disk. Waits up to
  // `patience_ms` for other processes.
  static Result<std::unique_ptr<Sqlite>> open(const std::filesystem::path& file,
                                              int patience_ms = 5000);
  // The same, for data that can be rebuilt. Commits are not synced: after a power loss the file is
  // intact, but the last commits may be missing. A damaged file is emptied. For many small rows:
  // uses up to 8 MiB of memory, and its log grows to 16 MiB.
  static Result<std::unique_ptr<Sqlite>> open_derived(const std::filesystem::path& file,
                                                      int patience_ms = 5000);
  // A database of this process alone, without a file.
  static Result<std::unique_ptr<Sqlite>> open_in_memory();
  // Opens an existing file and never changes it.
  static Result<std::unique_ptr<Sqlite>> open_to_read(const std::filesystem::path& file,
                                                      int patience_ms = 5000);
  ~Sqlite();
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;

  Result<void> run(const char* sql);  // one or more statements, rows ignored

  // `sql` is a literal. It is prepared once and reused. One use at a time.
  Result<Statement> prepare(const char* sql);

  // An error if the file is damaged. Reads the whole file, about 2 ms a MiB.
  Result<void> check_whole();

  std::uint64_t changes() const;  // rows changed by the last statement that wrote

  // The reason if the last write failed because of the disk or the file. Empty: no such failure.
  const std::string& fault() const { return fault_; }
  // True if an error showed that the file is damaged or is not a database.
  bool is_damaged() const { return damaged_; }
  // Removes all contents, damaged or not. Other connections see an empty database. Not within a
  // transaction, and no statement may be in use.
  Result<void> empty();

 private:
  friend class Statement;
  friend class Transaction;
  explicit Sqlite(sqlite3* handle) : handle_(handle) {}

  static Result<std::unique_ptr<Sqlite>> connect(const std::filesystem::path& file, int patience_ms,
                                                 Above above);
  Error failed();
  void wrote() { fault_.clear(); }

  sqlite3* handle_;
  std::string fault_;
  bool damaged_ = false;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
};

// Acquires the write lock at the beginning, so that two writers wait for each other and never fail
// half way. Rolled back unless committed. A nested transaction is part of the outer one: it can be
// rolled back separately, and is stored with the outer one.
class Transaction {
 public:
  static Result<Transaction> begin(Sqlite& database);
  Transaction(Transaction&& other) noexcept
      : database_(std::exchange(other.database_, nullptr)), inner_(other.inner_) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  Transaction(Sqlite& database, bool inner) : database_(&database), inner_(inner) {}
  Sqlite* database_;
  bool inner_;
};

// Detects whether a different process has written. Each user of it needs a separate object.
class SeenVersion {
 public:
  // True if it has changed since the last call; the first call returns true.
  Result<bool> changed(Sqlite& database);

 private:
  std::uint64_t seen_ = 0;
};

}  // namespace host::store
