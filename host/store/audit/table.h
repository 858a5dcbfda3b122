// The audit table is an SQLite database next to the audit file. The host searches the table by
// caller, tool, time and outcome. The audit file is authoritative, and the table is derived from
// the file. fill() continues where the last fill() of any process ended. fill() adds each line
// once, even if the file was rotated in between. If the table is damaged, the host empties the
// table and fills it again.
//
// The table `audit` has the columns id, time, event, principal, agent, name, outcome and line.
//
// `id` increases in the order of the lines in the audit file. `time` is milliseconds since 1970.
// `line` is the text of the audit line. line.h describes the other columns.
//
// Only one thread at a time may call the functions of this header. Any number of processes can have
// tables of the same file open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/audit/source.h"
#include "store/sqlite/sqlite.h"

namespace host::store {

// The filter for a search in the audit table: only lines with the given values are found. An empty
// member of an AuditQuery matches all lines.
struct AuditQuery {
  std::string principal;
  std::string agent;
  std::string tool;  // name of the tool or prompt, or URI of the resource
  std::string outcome;
  std::string event;  // "call" for calls, or the name of another event
  std::string since;  // finds lines from this time on; can be a prefix of a time: 2026-11-21T20
  std::string until;  // finds lines from before this time
  std::size_t limit = 100;
  std::uint64_t bytes = 64u << 20u;  // maximum size of all found lines; one line is always found
  std::optional<std::uint64_t> before = std::nullopt;  // AuditFound::older of an earlier search
};

struct AuditFound {
  std::vector<std::string> lines;  // JSON objects, the newest first
  bool whole = true;               // false: the file contains lines that are not in the table yet
  // To find older audit lines, search again with `older` as AuditQuery::before, unless the table
  // was rebuilt since the search. The value nullopt means that there are no older lines.
  std::optional<std::uint64_t> older;
};

class AuditTable {
 public:
  // Returns the path of the table's database, which is audit.jsonl.db for audit.jsonl.
  static std::filesystem::path file_of(const std::filesystem::path& audit_file);

  // Opens the table of `audit_file`, which can be absent. The function makes the database if it is
  // absent. The table keeps the newest `most_rows` lines, including those of earlier files.
  static Result<AuditTable> open(const std::filesystem::path& audit_file, std::uint64_t most_rows);

  struct Filled {
    std::uint64_t lines = 0;   // number of lines that were added as rows
    std::uint64_t faults = 0;  // lines that are not JSON objects, or longer than 8 MiB
    std::uint64_t bytes = 0;   // number of bytes that were read
    std::uint64_t offset = 0;  // position in the audit file; all before it is in the table
    bool whole = true;         // false: the audit file has further lines
    std::uint64_t number = 0;  // number of the audit file; all earlier files are in the table
  };
  // Adds lines of the audit file that are not in the table yet, up to about `bytes` bytes. The
  // lines are added in pieces, so that other processes wait only some milliseconds.
  Result<Filled> fill(std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max());

  // Searches the table. Returns InvalidArgument if a time is not valid, or if the row id `before`
  // is beyond the end of the table (for example because the table was rebuilt).
  Result<AuditFound> search(const AuditQuery& query);

 private:
  AuditTable(std::filesystem::path audit_file, std::uint64_t most_rows,
             std::unique_ptr<Sqlite> database)
      : audit_file_(std::move(audit_file)), most_rows_(most_rows), database_(std::move(database)) {}

  // The audit file from which the table's rows come. `first` is the id of the row of the file's
  // first line. `number` is the file's number among all files of the audit (file.h).
  struct Origin {
    AuditPlace place;
    std::uint64_t first = 1;
    std::uint64_t number = 0;  // 0: not known yet
  };

  Result<void> ensure_tables();  // call it within a transaction
  Result<Filled> fill_some();
  Result<Origin> origin();
  Result<std::optional<AuditSource>> open_source(Origin& origin);
  Result<void> go_on(Origin& origin);
  Result<void> note(const Origin& origin);
  Result<void> recognize(const AuditSource& source, Origin& origin);
  Result<void> insert(std::string_view lines, Filled& filled);
  Result<void> drop_oldest(std::uint64_t inserted);
  Result<std::uint64_t> number(const char* sql);
  Result<std::uint64_t> number(const char* sql, std::uint64_t about);
  Result<AuditFound> look(const AuditQuery& query);
  Result<void> make_anew();

  std::filesystem::path audit_file_;
  std::uint64_t most_rows_;
  std::unique_ptr<Sqlite> database_;
};

// Adds at most `fill_bytes` bytes of the audit file to its audit table, and searches the table.
// Makes no table if the audit file does not exist.
Result<AuditFound> search_audit(
    const std::filesystem::path& audit_file, std::uint64_t most_rows, const AuditQuery& query,
    std::uint64_t fill_bytes = std::numeric_limits<std::uint64_t>::max());

}  // namespace host::store
