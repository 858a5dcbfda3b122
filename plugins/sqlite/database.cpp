#include "database.h"

#include <algorithm>
#include <string_view>

#include "roots/utf8.h"

namespace {

constexpr int kStepsBetweenLooks = 1000;
constexpr int kBusyMs = 2000;
constexpr std::int64_t kMaxLength = 16 << 20;
constexpr std::int64_t kMinLength = 1 << 20;
// Of all statements in this process. SQLite looks at no time while it prepares a statement, and
// where each WITH selects twice from the one before it, that takes twice the memory and time for
// each of them: so it is memory that ends it.
constexpr std::int64_t kMostMemory = 512 << 20;

struct Limit {
  int which, most;
};
constexpr Limit kLimits[] = {
    {SQLITE_LIMIT_ATTACHED, 0},          {SQLITE_LIMIT_LENGTH, kMaxLength},
    {SQLITE_LIMIT_SQL_LENGTH, 100'000},  {SQLITE_LIMIT_EXPR_DEPTH, 200},
    {SQLITE_LIMIT_COMPOUND_SELECT, 100}, {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 50},    {SQLITE_LIMIT_WORKER_THREADS, 0},
    {SQLITE_LIMIT_VDBE_OP, 50'000}};

// Of one value. A statement without a loop is not looked at until it ends, so that the more there
// is to do in it, the shorter its values are.
int most_length(sqlite3_stmt* statement) {
  constexpr std::int64_t kSmallBytes = 64 << 10;  // some 1,000 steps
  const int bytes = ::sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_MEMUSED, 0);
  return static_cast<int>(std::clamp<std::int64_t>(kMaxLength * kSmallBytes / std::max(bytes, 1),
                                                   kMinLength, kMaxLength));
}

// They load code, or touch files of their own.
constexpr std::string_view kFunctions[] = {"load_extension", "fts3_tokenizer", "readfile",
                                           "writefile", "edit"};
// They only tell, whatever their argument is.
constexpr std::string_view kTelling[] = {
    "table_info",     "table_xinfo",      "table_list",        "index_list",      "index_info",
    "index_xinfo",    "foreign_key_list", "foreign_key_check", "integrity_check", "quick_check",
    "collation_list", "function_list",    "compile_options"};
// They tell where they have no argument, and set something where they have one.
constexpr std::string_view kTellingAlone[] = {"user_version", "application_id", "page_count",
                                              "page_size",    "encoding",       "foreign_keys",
                                              "journal_mode", "freelist_count"};

template <std::size_t N>
bool is_one_of(const std::string_view (&names)[N], const char* name) {
  return name != nullptr && std::any_of(std::begin(names), std::end(names), [&](auto each) {
           return ::sqlite3_stricmp(std::string(each).c_str(), name) == 0;
         });
}

bool may_read(int action, const char* first, const char* second) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return true;
    case SQLITE_FUNCTION:
      return !is_one_of(kFunctions, second);
    case SQLITE_UPDATE:
      // SQLite asks for this when it first meets a table-valued function such as json_each. A real
      // change of that table is refused by DEFENSIVE, and by the file that is open to read.
      return std::string_view(first) == "sqlite_master";
    case SQLITE_PRAGMA:
      return is_one_of(kTelling, first) || (second == nullptr && is_one_of(kTellingAlone, first));
    default:
      return false;
  }
}

bool may_write(int action) {
  switch (action) {
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_INDEX:
    case SQLITE_CREATE_VIEW:
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_INDEX:
    case SQLITE_DROP_VIEW:
    case SQLITE_DROP_TRIGGER:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_INDEX:
    case SQLITE_DROP_TEMP_VIEW:
    case SQLITE_DROP_TEMP_TRIGGER:
    case SQLITE_ALTER_TABLE:
    case SQLITE_REINDEX:
    case SQLITE_ANALYZE:
      return true;
    default:
      return false;
  }
}

int authorize(void* access, int action, const char* first, const char* second, const char*,
              const char*) {
  const bool writes = *static_cast<const Access*>(access) == Access::Write;
  return may_read(action, first, second) || (writes && may_write(action)) ? SQLITE_OK : SQLITE_DENY;
}

}  // namespace

Database::Database(const std::string& name, const std::string& path, Access access,
                   std::chrono::milliseconds timeout, const toolpost::Context& call)
    : name_(name),
      access_(access),
      timeout_(timeout),
      until_(std::chrono::steady_clock::now() + timeout),
      call_(call) {
  if (call.deadline()) until_ = std::min(until_, *call.deadline() - std::chrono::milliseconds(500));
  if (::sqlite3_hard_heap_limit64(-1) == 0) ::sqlite3_hard_heap_limit64(kMostMemory);
  sqlite3* opened = nullptr;
  const int flags = access == Access::Write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  const int code = ::sqlite3_open_v2(path.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) fail();
  for (const Limit& limit : kLimits) ::sqlite3_limit(opened, limit.which, limit.most);
  ::sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  ::sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  if (replace_slow_functions(opened, watch_) != SQLITE_OK) fail();
  ::sqlite3_busy_timeout(opened, kBusyMs);
  ::sqlite3_progress_handler(opened, kStepsBetweenLooks, is_over, this);
  run("PRAGMA temp_store = MEMORY");  // it may write nowhere else
  run("PRAGMA foreign_keys = ON");
}

void Database::restrict_it() {
  ::sqlite3_set_authorizer(handle(), authorize, &access_);
}

void Database::lift_restrictions() {
  ::sqlite3_set_authorizer(handle(), nullptr, nullptr);
}

int Database::is_over(void* self) {
  const auto& me = *static_cast<const Database*>(self);
  return me.call_.cancelled() || std::chrono::steady_clock::now() >= me.until_ ? 1 : 0;
}

Statement Database::prepare(std::string_view& sql) const {
  // SQLite takes a NUL for the end, so that the rest would never be reached.
  if (sql.find('\0') != sql.npos)
    throw toolpost::Error("sql has a NUL character: leave it out, or write char(0)");
  sqlite3_stmt* made = nullptr;
  // Space and comments alone make no statement, and the tail moves on behind them.
  while (!sql.empty()) {
    const char* tail = nullptr;
    const int code =
        ::sqlite3_prepare_v3(handle(), sql.data(), static_cast<int>(sql.size()), 0, &made, &tail);
    if (code != SQLITE_OK) fail();
    if (tail == sql.data()) break;  // nothing was read, and nothing would be the next time
    sql.remove_prefix(static_cast<std::size_t>(tail - sql.data()));
    if (made != nullptr) {
      ::sqlite3_limit(handle(), SQLITE_LIMIT_LENGTH, most_length(made));
      break;
    }
  }
  return Statement(made);
}

bool Database::step(const Statement& statement) const {
  const int code = ::sqlite3_step(statement.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail();
  return false;
}

bool Database::step_if_possible(const Statement& statement) const {
  const int code = ::sqlite3_step(statement.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE && code != SQLITE_ERROR) fail();
  return false;
}

void Database::run(const char* sql) const {
  if (::sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void Database::fail() const {
  const std::string about = "database \"" + name_ + "\": ";
  if (!database_) throw toolpost::Error(about + "out of memory");
  switch (::sqlite3_errcode(handle())) {
    case SQLITE_INTERRUPT:
      call_.check();
      throw toolpost::Error(about + "the statement took longer than " +
                            std::to_string(timeout_.count() / 1000) +
                            " s (timeout_s), or than the call may: narrow it");
    case SQLITE_NOMEM:
      throw toolpost::Error(about +
                            "out of memory: the statement is too large, or all statements together "
                            "need more than 512 MiB (or memory_mib, if that is less): narrow it");
    case SQLITE_AUTH:
      throw toolpost::Error(about +
                            "this is not permitted here: " + printable(::sqlite3_errmsg(handle())));
    default:
      throw toolpost::Error(about + printable(::sqlite3_errmsg(handle())));
  }
}
