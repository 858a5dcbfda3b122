// The one door to SQLite: a connection, its statements, transactions. One thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/private_folder.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace host::store {

class Sqlite;

// A statement that is being run; goes back to its connection, reset, when this goes away.
class Statement {
 public:
  Statement(Statement&& other) noexcept
      : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Binds the next parameter; what is given outlives the statement's use.
  Statement& bind(std::string_view text);
  Statement& bind_blob(std::string_view bytes);
  Statement& bind(std::uint64_t number);  // below 2^63

  // True: there is a row. False: it is over.
  Result<bool> step();
  // Runs it to its end, rows or none.
  Result<void> run();

  // Columns of the row, from 0. Views are good until the next step.
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
  // Makes the file (0600) and its folder (0700) where absent, and takes none that other users
  // control; write-ahead log, every commit on disk before it returns. Waits up to `patience_ms` for
  // other processes.
  static Result<std::unique_ptr<Sqlite>> open(const std::filesystem::path& file,
                                              int patience_ms = 5000);
  // The same for what can be made again from elsewhere: whole after a loss of power, but perhaps
  // without its last commits, which cost no sync; emptied where it is damaged. For many small rows:
  // it holds up to 8 MiB in memory, and its log grows to 16 MiB.
  static Result<std::unique_ptr<Sqlite>> open_derived(const std::filesystem::path& file,
                                                      int patience_ms = 5000);
  // An existing file, of which nothing is changed.
  static Result<std::unique_ptr<Sqlite>> open_to_read(const std::filesystem::path& file,
                                                      int patience_ms = 5000);
  ~Sqlite();
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;

  Result<void> run(const char* sql);  // one or more statements, rows ignored

  // `sql` is a literal: prepared once, kept for the next time. One use at a time.
  Result<Statement> prepare(const char* sql);

  // An error where the file is damaged. Reads all of it: some 2 ms a MiB.
  Result<void> check_whole();

  std::uint64_t changes() const;  // rows of the last statement that wrote

  // Why the last attempt to write failed, where the disk or the file is to blame; empty: it did
  // not.
  const std::string& fault() const { return fault_; }
  // Some error told that the file is damaged, or no database.
  bool is_damaged() const { return damaged_; }
  // Drops all that is in it, damaged or not; other connections see an empty database. Not within a
  // transaction, and no statement is in use.
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

// Takes the right to write at once, so that two writers wait for each other and never fail half
// way. Rolled back unless committed. One that begins within another is a part of it: it can be
// rolled back alone, and is stored when the outer one is.
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

// For one of those who look whether another process has written.
class SeenVersion {
 public:
  // Since the last time that this was asked; the first time: true.
  Result<bool> changed(Sqlite& database);

 private:
  std::uint64_t seen_ = 0;
};

}  // namespace host::store
