// The audit as a table: an SQLite database beside the audit file, made of the file's lines, that
// can be asked by who, what, when and how it ended. The file is the record. The table is derived
// from it: its fill continues where the last one ended, by whichever process that was, and takes
// each line once, also across a rotation; where it is damaged it is emptied and filled anew.
//
//   audit(id, time, event, principal, agent, name, outcome, line)   `id` rises as in the file,
//   `time` is milliseconds since 1970, `line` the line as it stands there; the rest audit_line.h
//
// One thread at a time; any number of tables of one file, in any number of processes.
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
#include "store/sqlite.h"

namespace host::store {

// What is empty fits every line.
struct AuditQuery {
  std::string principal;
  std::string agent;
  std::string tool;  // or the URI or prompt that was asked for
  std::string outcome;
  std::string event;  // "call", or what a line that is none says
  std::string since;  // nothing older: a time as lines have it, or how one begins: 2026-11-21T20
  std::string until;  // nothing of that time or later
  std::size_t limit = 100;
  std::uint64_t bytes = 64u << 20u;                    // of lines, at most, where there are several
  std::optional<std::uint64_t> before = std::nullopt;  // AuditFound::older of an earlier search
};

struct AuditFound {
  std::vector<std::string> lines;  // JSON objects, the newest first
  bool whole = true;               // false: the file has lines that the table has not yet
  // Where to look on for older ones; nothing: there are none. Stays good until the table is made
  // anew.
  std::optional<std::uint64_t> older;
};

class AuditTable {
 public:
  // audit.jsonl.db of audit.jsonl
  static std::filesystem::path file_of(const std::filesystem::path& audit_file);

  // Of `audit_file`, which need not be there. The database is made where absent. It keeps the
  // newest `most_rows` lines, earlier files' too.
  static Result<AuditTable> open(const std::filesystem::path& audit_file, std::uint64_t most_rows);

  struct Filled {
    std::uint64_t lines = 0;   // that are rows now
    std::uint64_t faults = 0;  // lines that are no JSON objects, or longer than 8 MiB
    std::uint64_t bytes = 0;   // that were read
    std::uint64_t offset = 0;  // in the file: what stands before it is in the table
    bool whole = true;         // false: there is more in the file
    std::uint64_t number = 0;  // of that file: all lines of those before it are in the table
  };
  // Takes what the file has and the table has not, some `bytes` of it. Other processes wait for no
  // more than a piece of it, some milliseconds.
  Result<Filled> fill(std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max());

  // What is in the table. InvalidArgument: a time that is none, or a `before` that this table never
  // gave.
  Result<AuditFound> search(const AuditQuery& query);

 private:
  AuditTable(std::filesystem::path audit_file, std::uint64_t most_rows,
             std::unique_ptr<Sqlite> database)
      : audit_file_(std::move(audit_file)), most_rows_(most_rows), database_(std::move(database)) {}

  // Where the rows come from: the file, the first row that is of it, and its number among all
  // (audit_file.h).
  struct Origin {
    AuditPlace place;
    std::uint64_t first = 1;
    std::uint64_t number = 0;  // not known yet
  };

  Result<void> ensure_tables();  // within a transaction
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

// Fills the table by at most `fill_bytes` of the file, and searches it. Of a file that is not there
// no table is made.
Result<AuditFound> search_audit(
    const std::filesystem::path& audit_file, std::uint64_t most_rows, const AuditQuery& query,
    std::uint64_t fill_bytes = std::numeric_limits<std::uint64_t>::max());

}  // namespace host::store
