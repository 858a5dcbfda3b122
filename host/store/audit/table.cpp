#include "store/audit/table.h"

#include <algorithm>
#include <array>

#include "json/json.h"
#include "store/audit/line.h"
#include "store/audit/parts.h"

namespace host::store {
namespace {

// A host that fills the table from a long file holds it for seconds, on a busy machine for more.
constexpr int kPatienceMs = 30'000;
constexpr std::uint64_t kVersion = 2;
constexpr std::uint64_t kDropAtOnce = 10'000;  // beside as many as came
constexpr std::uint64_t kNever = std::numeric_limits<std::int64_t>::max();

// Calls that went well are the many: what else is asked for by its outcome, event or agent has
// indexes that such calls cost nothing.
constexpr const char* kTables = R"(
CREATE TABLE audit (
  id INTEGER PRIMARY KEY, time INTEGER NOT NULL, event TEXT NOT NULL, principal TEXT NOT NULL,
  agent TEXT NOT NULL, name TEXT NOT NULL, outcome TEXT NOT NULL, line TEXT NOT NULL) STRICT;
CREATE INDEX audit_by_time ON audit (time);
CREATE INDEX audit_by_principal ON audit (principal);
CREATE INDEX audit_by_name ON audit (name);
CREATE INDEX audit_by_outcome ON audit (outcome) WHERE outcome <> 'ok';
CREATE INDEX audit_by_event ON audit (event) WHERE event <> 'call';
CREATE INDEX audit_by_agent ON audit (agent) WHERE agent <> '';
CREATE TABLE origin (
  one INTEGER PRIMARY KEY, head BLOB NOT NULL, offset INTEGER NOT NULL,
  in_long_line INTEGER NOT NULL, first INTEGER NOT NULL, number INTEGER NOT NULL) STRICT;
INSERT INTO origin VALUES (1, x'', 0, 0, 1, 0);
PRAGMA user_version = 2;
)";

enum class Way { Id, Event, Outcome, Agent, Name, Principal };

std::string search_by(const char* index, const char* lead) {
  return std::string("SELECT id, line FROM audit ") + index + " WHERE " + lead +
         " AND id < ?1 AND id >= ?2 AND +time >= ?3 AND +time < ?4"
         " AND (?5 = '' OR principal = ?5) AND (?6 = '' OR agent = ?6)"
         " AND (?7 = '' OR name = ?7) AND (?8 = '' OR outcome = ?8)"
         " AND (?9 = '' OR event = ?9) ORDER BY id DESC";
}

// By the index that is likely to leave the fewest rows to look at; each has them in the order of
// their ids.
const char* search_statement(const AuditQuery& query) {
  static const std::array<std::string, 6> kStatements = {
      search_by("NOT INDEXED", "1"),
      search_by("INDEXED BY audit_by_event", "event = ?9 AND event <> 'call'"),
      search_by("INDEXED BY audit_by_outcome", "outcome = ?8 AND outcome <> 'ok'"),
      search_by("INDEXED BY audit_by_agent", "agent = ?6 AND agent <> ''"),
      search_by("INDEXED BY audit_by_name", "name = ?7"),
      search_by("INDEXED BY audit_by_principal", "principal = ?5")};
  const auto by = [](Way way) { return kStatements[static_cast<std::size_t>(way)].c_str(); };
  if (!query.event.empty() && query.event != "call") return by(Way::Event);
  if (!query.outcome.empty() && query.outcome != "ok") return by(Way::Outcome);
  if (!query.agent.empty()) return by(Way::Agent);
  if (!query.tool.empty()) return by(Way::Name);
  if (!query.principal.empty()) return by(Way::Principal);
  return by(Way::Id);
}

// Numbers only grow, so a part that is not there while later ones are never comes: it was moved
// away, or the table was made anew after it. False: there are no later ones. The place stays,
// because the file that was read may have got another number than was expected.
bool skip_missing(const std::vector<AuditPart>& parts, std::uint64_t& number) {
  if (parts.empty() || parts.back().number < number) return false;
  const auto plain = std::find_if(parts.begin(), parts.end(), [&](const AuditPart& part) {
    return part.number > number && !part.is_compressed;
  });
  number = plain != parts.end() ? plain->number : parts.back().number + 1;
  return true;
}

Result<std::uint64_t> read_bound(std::string_view name, std::string_view text,
                                 std::uint64_t otherwise) {
  if (text.empty()) return otherwise;
  if (const auto time = read_audit_time(text)) return *time;
  return Error{ErrorKind::InvalidArgument,
               std::string(name) + ": expected a time in UTC, or how one begins, like " +
                   "2026-11-21T20:15, not \"" + std::string(text.substr(0, 80)) + "\""};
}

}  // namespace

std::filesystem::path AuditTable::file_of(const std::filesystem::path& audit_file) {
  return audit_file.string() + ".db";
}

Result<AuditTable> AuditTable::open(const std::filesystem::path& audit_file,
                                    std::uint64_t most_rows) {
  const auto source = AuditSource::open(audit_file);  // not beside what is no audit file
  if (!source) return source.error();
  auto database = Sqlite::open_derived(file_of(audit_file), kPatienceMs);
  if (!database) return database.error().within("the audit's table");
  AuditTable table(audit_file, most_rows, *std::move(database));
  auto ready = table.ensure_tables();
  if (!ready && table.database_->is_damaged()) ready = table.make_anew();
  if (!ready) return ready.error();
  return table;
}

Result<std::uint64_t> AuditTable::number(const char* sql) {
  HOST_TRY_ASSIGN(Statement ask, database_->prepare(sql));
  HOST_TRY(ask.step());
  return ask.number(0);
}

Result<std::uint64_t> AuditTable::number(const char* sql, std::uint64_t about) {
  HOST_TRY_ASSIGN(Statement ask, database_->prepare(sql));
  HOST_TRY(ask.bind(about).step());
  return ask.number(0);
}

Result<void> AuditTable::ensure_tables() {
  constexpr const char* kAsk = "PRAGMA user_version";
  HOST_TRY_ASSIGN(std::uint64_t version, number(kAsk));
  if (version == 0) {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(*database_));
    HOST_TRY_ASSIGN(version, number(kAsk));
    if (version == 0) {
      HOST_TRY(database_->run(kTables));
      return transaction.commit();
    }
  }
  if (version == kVersion) return {};
  if (version < kVersion) return make_anew();
  return Error{ErrorKind::Unavailable, "the audit's table " + file_of(audit_file_).string() +
                                           ": another version of toolpost made it: delete it, "
                                           "and it is made anew from the audit file"};
}

Result<void> AuditTable::make_anew() {
  HOST_TRY(database_->empty());
  return ensure_tables();
}

Result<AuditTable::Filled> AuditTable::fill(std::uint64_t bytes) {
  Filled all;
  bool made_anew = false;
  for (;;) {
    const auto some = fill_some();
    if (!some && database_->is_damaged() && !made_anew) {
      made_anew = true;
      HOST_TRY(make_anew());
      continue;
    }
    if (!some) return some.error();
    all.lines += some->lines;
    all.faults += some->faults;
    all.bytes += some->bytes;
    all.offset = some->offset;
    all.whole = some->whole;
    all.number = some->number;
    if (all.whole || all.bytes >= bytes) return all;
  }
}

Result<AuditTable::Filled> AuditTable::fill_some() {
  Filled filled;
  HOST_TRY(ensure_tables());  // another connection may have emptied it
  HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(*database_));
  // Only now: a file that was looked at before another process filled the table looks cut.
  HOST_TRY_ASSIGN(Origin origin, this->origin());
  HOST_TRY_ASSIGN(const std::optional<AuditSource> source, open_source(origin));
  filled.number = origin.number;
  if (!source) return filled;
  HOST_TRY(recognize(*source, origin));
  const std::uint64_t from = origin.place.offset;
  HOST_TRY_ASSIGN(const AuditSource::Lines lines, source->read(origin.place));
  filled.faults = lines.too_long;
  filled.bytes = origin.place.offset - from;
  filled.offset = origin.place.offset;
  filled.whole = lines.ended;
  HOST_TRY(insert(lines.text, filled));
  HOST_TRY(drop_oldest(filled.lines));
  if (lines.ended && source->file() != audit_file_) {  // nobody writes to that one any more
    HOST_TRY(go_on(origin));
    filled.whole = false;
  }
  HOST_TRY(note(origin));
  HOST_TRY(transaction.commit());
  return filled;
}

Result<AuditTable::Origin> AuditTable::origin() {
  HOST_TRY_ASSIGN(
      Statement ask,
      database_->prepare("SELECT head, offset, in_long_line, first, number FROM origin"));
  HOST_TRY(ask.step());
  return Origin{
      {std::string(ask.blob(0)), ask.number(1), ask.number(2) != 0}, ask.number(3), ask.number(4)};
}

Result<void> AuditTable::note(const Origin& origin) {
  HOST_TRY_ASSIGN(Statement update,
                  database_->prepare("UPDATE origin SET head = ?1, offset = ?2, in_long_line = ?3,"
                                     " first = ?4, number = ?5"));
  return update.bind_blob(origin.place.head)
      .bind(origin.place.offset)
      .bind(std::uint64_t{origin.place.in_long_line})
      .bind(origin.first)
      .bind(origin.number)
      .run();
}

// The file that the table goes on with: one that was rotated away as long as it has lines that are
// not in the table, else the one that is written; none: it is not there.
Result<std::optional<AuditSource>> AuditTable::open_source(Origin& origin) {
  for (;;) {
    // In this order: if it is rotated away in between, the next look at the parts tells.
    HOST_TRY_ASSIGN(std::optional<AuditSource> written, AuditSource::open(audit_file_));
    const std::vector<AuditPart> parts = audit_parts(audit_file_);
    const auto plain = std::find_if(parts.begin(), parts.end(),
                                    [](const AuditPart& part) { return !part.is_compressed; });
    if (origin.number == 0) {
      origin.number = plain != parts.end() ? plain->number
                      : parts.empty()      ? 1
                                           : parts.back().number + 1;
    }
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const AuditPart& one) {
      return one.number == origin.number;
    });
    if (part == parts.end()) {
      if (skip_missing(parts, origin.number)) continue;
      return written;
    }
    if (!part->is_compressed) {
      HOST_TRY_ASSIGN(std::optional<AuditSource> rotated, AuditSource::open(part->file));
      if (rotated) return rotated;
    }
    HOST_TRY(go_on(origin));
  }
}

Result<void> AuditTable::go_on(Origin& origin) {
  HOST_TRY_ASSIGN(const std::uint64_t last, number("SELECT max(id) FROM audit"));
  origin = {{}, last + 1, origin.number + 1};
  return {};
}

// Rows of an earlier file stay. Those of a file that lost its end may tell of what it does not have
// any more, or has otherwise: they go, and it is read anew.
Result<void> AuditTable::recognize(const AuditSource& source, Origin& origin) {
  HOST_TRY_ASSIGN(const AuditSource::Known known, source.recognize(origin.place));
  if (known == AuditSource::Known::Same) return {};
  if (known == AuditSource::Known::Cut) {
    HOST_TRY_ASSIGN(Statement drop, database_->prepare("DELETE FROM audit WHERE id >= ?1"));
    HOST_TRY(drop.bind(origin.first).run());
  }
  HOST_TRY_ASSIGN(const std::uint64_t last, number("SELECT max(id) FROM audit"));
  origin = {{}, last + 1, origin.number};
  return {};
}

Result<void> AuditTable::insert(std::string_view lines, Filled& filled) {
  HOST_TRY_ASSIGN(std::uint64_t id, number("SELECT max(id) FROM audit"));
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(line.size() + 1);
    if (line.empty()) continue;
    const auto tree = json::parse(line);
    if (!tree || !tree->root().IsObject()) {
      ++filled.faults;
      continue;
    }
    const AuditLine row = read_audit_line(tree->root());
    HOST_TRY_ASSIGN(
        Statement insert,
        database_->prepare("INSERT INTO audit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"));
    HOST_TRY(insert.bind(++id)
                 .bind(row.time)
                 .bind(row.event)
                 .bind(row.principal)
                 .bind(row.agent)
                 .bind(row.name)
                 .bind(row.outcome)
                 .bind(line)
                 .run());
    ++filled.lines;
  }
  return {};
}

// Ids have no gaps. A bound that became lower is reached by and by, so that nobody waits for it.
Result<void> AuditTable::drop_oldest(std::uint64_t inserted) {
  HOST_TRY_ASSIGN(const std::uint64_t first, number("SELECT min(id) FROM audit"));
  HOST_TRY_ASSIGN(const std::uint64_t last, number("SELECT max(id) FROM audit"));
  if (last < first + most_rows_) return {};
  HOST_TRY_ASSIGN(Statement drop, database_->prepare("DELETE FROM audit WHERE id <= ?1"));
  return drop.bind(std::min(last - most_rows_, first + inserted + kDropAtOnce)).run();
}

Result<AuditFound> AuditTable::search(const AuditQuery& query) {
  auto found = look(query);
  if (found || !database_->is_damaged()) return found;
  HOST_TRY(make_anew());
  HOST_TRY(fill());
  return look(query);
}

Result<AuditFound> AuditTable::look(const AuditQuery& query) {
  HOST_TRY_ASSIGN(const std::uint64_t since, read_bound("since", query.since, 0));
  HOST_TRY_ASSIGN(const std::uint64_t until, read_bound("until", query.until, kNever));
  HOST_TRY_ASSIGN(const std::uint64_t last, number("SELECT max(id) FROM audit"));
  if (query.before && *query.before > last + 1) {
    return Error{ErrorKind::InvalidArgument,
                 "before: the audit's table ends in front of that, so it is another one now: look "
                 "again from its end"};
  }
  // Lines stand in the order in which they were written, which clocks may differ from by a little.
  std::uint64_t from = 0;
  std::uint64_t below = query.before.value_or(last + 1);
  if (since > 0) {
    HOST_TRY_ASSIGN(from, number("SELECT ifnull(min(id), 9223372036854775807) FROM audit"
                                 " INDEXED BY audit_by_time WHERE time >= ?1",
                                 since));
  }
  if (until < kNever) {
    HOST_TRY_ASSIGN(const std::uint64_t newest, number("SELECT ifnull(max(id), 0) FROM audit"
                                                       " INDEXED BY audit_by_time WHERE time < ?1",
                                                       until));
    below = std::min(below, newest + 1);
  }
  HOST_TRY_ASSIGN(Statement ask, database_->prepare(search_statement(query)));
  ask.bind(below).bind(from).bind(since).bind(until);
  for (const std::string* text :
       {&query.principal, &query.agent, &query.tool, &query.outcome, &query.event}) {
    ask.bind(audit_name(*text));
  }
  AuditFound found;
  std::uint64_t oldest = 0;
  std::uint64_t bytes = 0;
  for (;;) {
    HOST_TRY_ASSIGN(const bool row, ask.step());
    if (!row) return found;
    bytes += ask.text(1).size();
    if (found.lines.size() >= query.limit || (bytes > query.bytes && !found.lines.empty())) break;
    found.lines.emplace_back(ask.text(1));
    oldest = ask.number(0);
  }
  found.older = oldest;
  return found;
}

Result<AuditFound> search_audit(const std::filesystem::path& audit_file, std::uint64_t most_rows,
                                const AuditQuery& query, std::uint64_t fill_bytes) {
  HOST_TRY_ASSIGN(const auto source, AuditSource::open(audit_file));
  std::error_code error;
  if (!source && !std::filesystem::exists(AuditTable::file_of(audit_file), error))
    return AuditFound();
  HOST_TRY_ASSIGN(AuditTable table, AuditTable::open(audit_file, most_rows));
  HOST_TRY_ASSIGN(const AuditTable::Filled filled, table.fill(fill_bytes));
  HOST_TRY_ASSIGN(AuditFound found, table.search(query));
  found.whole = filled.whole;
  return found;
}

}  // namespace host::store
