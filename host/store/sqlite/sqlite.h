// An SQLite connection, its statements and its transactions. Only this header and its .cpp file use
// the SQLite library. Only one thread at a time may call the functions of this header.
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

// A running statement. The destructor of a Statement resets the statement and returns it to its
// connection.
class Statement {
 public:
  Statement(Statement&& other) noexcept
      : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Binds the next parameter. A text or a blob must stay valid until the Statement is destroyed.
  Statement& bind(std::string_view text);
  Statement& bind_blob(std::string_view bytes);
  Statement& bind(std::uint64_t number);  // `number` must be below 2^63

  // step() moves to the next row of the result. Returns false if there are no more rows.
  Result<bool> step();
  // Runs the statement to its end and ignores its rows.
  Result<void> run();

  // The functions below return the columns of the current row. The first column is 0. The returned
  // string view is valid until the next step().
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
  // Opens a database. The function open() makes the database file (0600) and its folder (0700) if
  // they do not exist. The function open() returns an Error if other users control the file or the
  // folder. The database uses a write-ahead log. When commit() returns, the data are on the disk.
  // If another process has locked the database, SQLite waits up to `patience_ms` milliseconds for
  // the lock. If somebody moves, removes or replaces the open database file, writes fail, because
  // their data would be lost.
  static Result<std::unique_ptr<Sqlite>> open(const std::filesystem::path& file,
                                              int patience_ms = 5000);
  // Opens a database for data that can be rebuilt. open_derived() does not sync commits to the
  // disk. After a power loss, the file is intact, but the last commits can be missing.
  // open_derived() empties a damaged file. SQLite uses up to 8 MiB of memory and a write-ahead log
  // of up to 16 MiB, for many small rows.
  static Result<std::unique_ptr<Sqlite>> open_derived(const std::filesystem::path& file,
                                                      int patience_ms = 5000);
  // Opens a database in memory, without a file.
  static Result<std::unique_ptr<Sqlite>> open_in_memory();
  // Opens an existing file and never changes it.
  static Result<std::unique_ptr<Sqlite>> open_to_read(const std::filesystem::path& file,
                                                      int patience_ms = 5000);
  ~Sqlite();
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;

  Result<void> run(const char* sql);  // runs one or more statements, ignores their rows

  // `sql` must be a literal. The statement is prepared once and reused. Only one Statement of the
  // same `sql` can exist at a time.
  Result<Statement> prepare(const char* sql);

  // Returns an Error if the file is damaged. check_whole() reads the whole file, which takes about
  // 2 ms per MiB.
  Result<void> check_whole();

  std::uint64_t changes() const;  // number of rows that the last write changed

  // Returns the reason why the last write failed, if it failed because of the disk or the file, or
  // because a different process locked the database. Otherwise, returns an empty text.
  const std::string& fault() const { return fault_; }
  // Returns true if an error showed that the file is damaged or is not a database.
  bool is_damaged() const { return damaged_; }
  // empty() removes all contents of the database, even if the file is damaged. After empty(), other
  // connections see an empty database. Do not call empty() within a transaction or while a
  // statement is in use.
  Result<void> empty();

 private:
  friend class Statement;
  friend class Transaction;
  explicit Sqlite(sqlite3* handle) : handle_(handle) {}

  static Result<std::unique_ptr<Sqlite>> connect(const std::filesystem::path& file, int patience_ms,
                                                 Above above);
  void set_patience(int milliseconds);
  Error failed();
  // Returns an Error if the database file is no longer at its path.
  Result<void> check_place();
  // Call begin_write() before a write, and end_write() after a write that succeeded. end_write()
  // clears fault() only if the write has changed the database file, which shows that the disk
  // accepts data again.
  void begin_write() { pages_before_ = pages_written(); }
  void end_write();
  int pages_written() const;

  sqlite3* handle_;
  int patience_ms_ = 0;  // how long statements wait for other processes, without a fault
  std::string fault_;
  int pages_before_ = 0;  // number of pages that were written before the current write
  bool damaged_ = false;
  bool stays_in_place_ = false;  // true: nothing is written if the file is no longer at its path
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
};

// A transaction acquires the write lock at its beginning. A second transaction that wants to write
// waits for the write lock before it begins, so neither transaction fails half way. The destructor
// of a Transaction rolls the transaction back unless commit() was called. A nested transaction can
// be rolled back separately. A nested transaction is stored only when the outer transaction is
// committed.
class Transaction {
 public:
  // Says when commit() syncs to the disk. With `Later`, commit() does not wait for the disk. A
  // commit with `Later` survives the end of the process, but a power loss can undo it until a
  // commit with `Now` follows. A nested transaction syncs like its outer transaction.
  enum class Sync : std::uint8_t { Now, Later };
  static Result<Transaction> begin(Sqlite& database, Sync sync = Sync::Now);
  Transaction(Transaction&& other) noexcept
      : database_(std::exchange(other.database_, nullptr)),
        inner_(other.inner_),
        syncs_later_(other.syncs_later_) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  Transaction(Sqlite& database, bool inner, bool syncs_later)
      : database_(&database), inner_(inner), syncs_later_(syncs_later) {}
  Sqlite* database_;
  bool inner_;
  bool syncs_later_;
};

// A SeenVersion detects whether a different process has written to the database. Each part of the
// host that calls changed() needs a separate SeenVersion.
class SeenVersion {
 public:
  // Returns true if a different process has written to the database since the last call. The first
  // call of changed() returns true.
  Result<bool> changed(Sqlite& database);

 private:
  std::uint64_t seen_ = 0;
};

}  // namespace host::store
