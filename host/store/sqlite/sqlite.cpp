#include "store/sqlite/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "base/process/private_folder.h"
#include "base/unique_fd.h"

namespace host::store {
namespace {

// How long a statement waits for another process that has already made a statement fail. Reads
// queue behind writes, so they would wait as long.
constexpr int kLockedPatienceMs = 250;

constexpr const char* kSyncNow = "PRAGMA synchronous = FULL";

bool is_damage(int code) {
  return (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
}

// The statement waited for another process until the end of its patience.
bool is_locked_out(int code) {
  return (code & 0xff) == SQLITE_BUSY && code != SQLITE_BUSY_SNAPSHOT;
}

// The disk, the file or another process is to blame, and not what was asked: it will fail again.
bool is_lasting(int code) {
  if (is_locked_out(code)) return true;
  switch (code & 0xff) {
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return true;
    default:
      return is_damage(code);
  }
}

// SQLite counts the memory of all connections together, which costs two locks for each piece of
// memory, and nobody asks for the sum. If a plugin of this process has used SQLite before, it goes
// on counting.
int open_handle(const char* file, int flags, sqlite3*& handle) {
  [[maybe_unused]] static const int set = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  return sqlite3_open_v2(file, &handle, flags, nullptr);
}

// SQLite would make it readable for all; its log and index take the mode of this file. One that is
// there is not opened: to close it again would drop every lock that this process has on it by
// another connection (POSIX), and the next process to leave would delete the log beneath that one.
// SQLite opens them by their names, which nobody else can change once the folder was checked.
Result<void> make_private(const std::filesystem::path& file, Above above) {
  HOST_TRY_ASSIGN(const UniqueFd folder, open_private_folder(file.parent_path(), Make::Yes, above));
  const UniqueFd fd(::openat(folder.get(), file.filename().c_str(),
                             O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd && errno != EEXIST)
    return Error{ErrorKind::Io, file.string() + ": " + std::strerror(errno)};
  for (const char* const suffix : {"", "-wal", "-shm", "-journal"}) {
    const auto checked = check_private_file(folder.get(), file.string() + suffix, Others::None);
    if (!checked && checked.error().kind != ErrorKind::NotFound) return checked;
  }
  return {};
}

}  // namespace

Statement::~Statement() {
  if (!handle_) return;
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

Statement& Statement::bind(std::string_view text) {
  sqlite3_bind_text64(handle_, next_++, text.data() ? text.data() : "", text.size(), SQLITE_STATIC,
                      SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_blob(std::string_view bytes) {
  sqlite3_bind_blob64(handle_, next_++, bytes.data() ? bytes.data() : "", bytes.size(),
                      SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind(std::uint64_t number) {
  sqlite3_bind_int64(handle_, next_++, static_cast<sqlite3_int64>(number));
  return *this;
}

Result<bool> Statement::step() {
  const bool writes_alone = sqlite3_get_autocommit(sqlite3_db_handle(handle_)) != 0 &&
                            sqlite3_stmt_readonly(handle_) == 0;
  if (writes_alone && sqlite3_stmt_busy(handle_) == 0) {
    HOST_TRY(database_->check_place());
    database_->begin_write();
  }
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) return database_->failed();
  if (writes_alone) database_->end_write();
  return false;
}

Result<void> Statement::run() {
  for (;;) {
    HOST_TRY_ASSIGN(const bool row, step());
    if (!row) return {};
  }
}

std::string_view Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

std::uint64_t Statement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(handle_, column));
}

Result<std::unique_ptr<Sqlite>> Sqlite::connect(const std::filesystem::path& file, int patience_ms,
                                                Above above) {
  if (const auto mine = make_private(file, above); !mine)
    return mine.error().within("the database");
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = open_handle(file.c_str(), flags, handle);
  std::unique_ptr<Sqlite> database(new Sqlite(handle));  // also on failure there is one to close
  if (code != SQLITE_OK) return database->failed();
  database->set_patience(patience_ms);
  return database;
}

Result<std::unique_ptr<Sqlite>> Sqlite::open(const std::filesystem::path& file, int patience_ms) {
  HOST_TRY_ASSIGN(std::unique_ptr<Sqlite> database, connect(file, patience_ms, Above::Checked));
  HOST_TRY(
      database->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                    "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;"));
  database->stays_in_place_ = true;
  return database;
}

Result<std::unique_ptr<Sqlite>> Sqlite::open_derived(const std::filesystem::path& file,
                                                     int patience_ms) {
  constexpr const char* kSettings =
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF;"
      "PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 4000;";
  HOST_TRY_ASSIGN(std::unique_ptr<Sqlite> database, connect(file, patience_ms, Above::Trusted));
  if (auto set = database->run(kSettings); !set) {
    if (!database->is_damaged()) return set.error();
    HOST_TRY(database->empty());
    HOST_TRY(database->run(kSettings));
  }
  return database;
}

Result<std::unique_ptr<Sqlite>> Sqlite::open_in_memory() {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY |
                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = open_handle(":memory:", flags, handle);
  std::unique_ptr<Sqlite> database(new Sqlite(handle));  // also on failure there is one to close
  if (code != SQLITE_OK) return database->failed();
  return database;
}

Result<std::unique_ptr<Sqlite>> Sqlite::open_to_read(const std::filesystem::path& file,
                                                     int patience_ms) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = open_handle(file.c_str(), flags, handle);
  std::unique_ptr<Sqlite> database(new Sqlite(handle));  // also on failure there is one to close
  if (code != SQLITE_OK) return database->failed();
  database->set_patience(patience_ms);
  HOST_TRY(database->run("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF;"));
  return database;
}

Sqlite::~Sqlite() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

void Sqlite::set_patience(int milliseconds) {
  patience_ms_ = milliseconds;
  sqlite3_busy_timeout(handle_, patience_ms_);
}

Error Sqlite::failed() {
  const int code = handle_ ? sqlite3_extended_errcode(handle_) : SQLITE_NOMEM;
  Error error{(code & 0xff) == SQLITE_BUSY ? ErrorKind::Unavailable : ErrorKind::Io,
              "the database: " + std::string(handle_ ? sqlite3_errmsg(handle_) : "out of memory")};
  if (is_damage(code)) damaged_ = true;
  if (is_lasting(code)) fault_ = error.message;
  if (is_locked_out(code)) sqlite3_busy_timeout(handle_, std::min(patience_ms_, kLockedPatienceMs));
  return error;
}

Result<void> Sqlite::check_place() {
  int moved = 0;
  if (!stays_in_place_ ||
      sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK ||
      moved == 0)
    return {};
  fault_ = "the store's file was removed or replaced while the host runs";
  return Error{ErrorKind::Unavailable, fault_};
}

int Sqlite::pages_written() const {
  int written = 0;
  int ignored = 0;
  sqlite3_db_status(handle_, SQLITE_DBSTATUS_CACHE_WRITE, &written, &ignored, 0);
  return written;
}

void Sqlite::end_write() {
  if (fault_.empty() || pages_written() == pages_before_) return;
  fault_.clear();
  sqlite3_busy_timeout(handle_, patience_ms_);
}

Result<void> Sqlite::run(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return failed();
}

Result<Statement> Sqlite::prepare(const char* sql) {
  sqlite3_stmt*& statement = statements_[sql];
  if (!statement && sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                                       nullptr) != SQLITE_OK) {
    return failed();
  }
  return Statement(*this, statement);
}

Result<void> Sqlite::check_whole() {
  HOST_TRY_ASSIGN(Statement check, prepare("PRAGMA quick_check(1)"));
  const auto row = check.step();
  if (row && *row && check.text(0) == "ok") return {};
  return Error{ErrorKind::Io, "the database is damaged (" +
                                  (row ? std::string(check.text(0)) : row.error().message) +
                                  "): put a copy in its place, or move it away to begin anew"};
}

std::uint64_t Sqlite::changes() const {
  return static_cast<std::uint64_t>(sqlite3_changes64(handle_));
}

// SQLite's own way to reset a database, by its locks: to delete the file beneath other connections
// would leave them with its log.
Result<void> Sqlite::empty() {
  log::warning("store", "a damaged database is emptied and will be rebuilt",
               {{"file", sqlite3_db_filename(handle_, "main")}});
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  statements_.clear();
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_RESET_DATABASE, 1, nullptr);
  auto emptied = run("VACUUM");
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_RESET_DATABASE, 0, nullptr);
  if (!emptied) return emptied;
  damaged_ = false;
  return run("PRAGMA journal_mode = WAL");
}

Result<Transaction> Transaction::begin(Sqlite& database, Sync sync) {
  const bool inner = sqlite3_get_autocommit(database.handle_) == 0;
  if (!inner) HOST_TRY(database.check_place());
  const bool later = sync == Sync::Later && !inner;  // it cannot be set within a transaction
  if (later) HOST_TRY(database.run("PRAGMA synchronous = NORMAL"));
  auto begun = database.run(inner ? "SAVEPOINT inner_part" : "BEGIN IMMEDIATE");
  if (!begun && later) HOST_TRY(database.run(kSyncNow));
  if (!begun) return begun.error();
  if (!inner) database.begin_write();
  return Transaction(database, inner, later);
}

Transaction::~Transaction() {
  if (!database_) return;
  constexpr const char* kDropPart = "ROLLBACK TO inner_part; RELEASE inner_part";
  static_cast<void>(database_->run(inner_ ? kDropPart : "ROLLBACK"));
  if (syncs_later_) static_cast<void>(database_->run(kSyncNow));
}

Result<void> Transaction::commit() {
  HOST_TRY(database_->run(inner_ ? "RELEASE inner_part" : "COMMIT"));
  Sqlite& database = *std::exchange(database_, nullptr);
  if (!inner_) database.end_write();
  return syncs_later_ ? database.run(kSyncNow) : Result<void>();
}

Result<bool> SeenVersion::changed(Sqlite& database) {
  HOST_TRY_ASSIGN(Statement ask, database.prepare("PRAGMA data_version"));
  HOST_TRY(ask.step());
  return std::exchange(seen_, ask.number(0)) != ask.number(0);
}

}  // namespace host::store
