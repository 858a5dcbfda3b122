#include "store/part/pin_store.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/process/process.h"
#include "json/canonical.h"
#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

constexpr const char* kAll =
    "SELECT upstream, tool, accepted, held, offered, changed, given_by FROM upstream_pin "
    "ORDER BY upstream, tool";
constexpr const char* kOfOne =
    "SELECT upstream, tool, accepted, held, offered, changed, given_by FROM upstream_pin "
    "WHERE upstream = ?1 ORDER BY tool";

constexpr const char* kHeld =
    "SELECT upstream, tool, coalesce(accepted, ''), waits.held, 1, waits.changed, "
    "coalesce(given_by, '') FROM upstream_held AS waits LEFT JOIN upstream_pin USING (upstream, "
    "tool) ORDER BY upstream, tool, waits.changed DESC";
// An upstream can offer each host another definition, and hosts can end without a word.
constexpr std::size_t kMostDefinitions = 8;
constexpr std::size_t kMostHostsOfOne = 8;

// Definitions are compact JSON, so the same definition has the same length in each order.
bool is_same(std::string_view one, std::string_view other) {
  return one == other ||
         (one.size() == other.size() && json::canonical_text(one) == json::canonical_text(other));
}

// A process that holds a definition of a tool.
struct Holder {
  std::uint64_t pid = 0;
  std::string process;
  std::string held;
};

class SqlitePinStore final : public PinStore {
 public:
  explicit SqlitePinStore(Sqlite& database) : database_(database) {}

  Result<std::vector<PinRecord>> held() override {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare(kHeld));
    HOST_TRY_ASSIGN(std::vector<PinRecord> all, read(rows));
    std::vector<PinRecord> out;
    auto of_tool = out.size();  // where its definitions begin
    for (PinRecord& one : all) {
      if (of_tool < out.size() &&
          (out[of_tool].upstream != one.upstream || out[of_tool].tool != one.tool))
        of_tool = out.size();
      const auto begin = out.begin() + static_cast<std::ptrdiff_t>(of_tool);
      const bool is_known =
          is_same(one.accepted, one.held) || std::any_of(begin, out.end(), [&](const auto& known) {
            return is_same(known.held, one.held);
          });
      if (!is_known) out.push_back(std::move(one));
    }
    return out;
  }

  Result<std::vector<PinRecord>> list() override {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare(kAll));
    return read(rows);
  }

  Result<void> put(const std::vector<PinRecord>& records) override {
    return put_all(records, true);
  }

  Result<void> put_accepted(const std::vector<PinRecord>& records) override {
    return put_all(records, false);
  }

  Result<std::vector<PinRecord>> put_first(std::string_view upstream,
                                           const std::vector<PinRecord>& records) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(std::vector<PinRecord> stored, of(upstream));
    if (stored.empty()) {
      HOST_TRY(put(records));
      HOST_TRY_ASSIGN(stored, of(upstream));
    }
    HOST_TRY(transaction.commit());
    return stored;
  }

  Result<void> forget(std::string_view upstream) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM upstream_pin WHERE upstream = ?1"));
    HOST_TRY(forget.bind(upstream).run());
    HOST_TRY_ASSIGN(Statement release,
                    database_.prepare("DELETE FROM upstream_held WHERE upstream = ?1"));
    HOST_TRY(release.bind(upstream).run());
    return transaction.commit();
  }

 private:
  Result<std::vector<PinRecord>> of(std::string_view upstream) {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare(kOfOne));
    rows.bind(upstream);
    return read(rows);
  }

  static Result<std::vector<PinRecord>> read(Statement& rows) {
    std::vector<PinRecord> records;
    for (;;) {
      HOST_TRY_ASSIGN(const bool more, rows.step());
      if (!more) return records;
      PinRecord record;
      record.upstream = rows.text(0);
      record.tool = rows.text(1);
      record.accepted = rows.text(2);
      record.held = rows.text(3);
      record.offered = rows.number(4) != 0;
      record.changed = time_of(rows.number(5));
      record.by = rows.text(6);
      records.push_back(std::move(record));
    }
  }

  Result<void> put_all(const std::vector<PinRecord>& records, bool releases_own) {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(bool some_held, holds_some());
    for (const PinRecord& record : records) {
      if (some_held) HOST_TRY(release(record, releases_own));
      if (is_empty(record)) {
        HOST_TRY(remove(record));
        continue;
      }
      HOST_TRY_ASSIGN(const bool is_over, is_accepted_meanwhile(record));
      if (is_over) continue;
      HOST_TRY_ASSIGN(
          Statement put,
          database_.prepare("INSERT INTO upstream_pin (upstream, tool, accepted, held, "
                            "offered, changed, given_by) "
                            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) "
                            "ON CONFLICT (upstream, tool) DO UPDATE SET "
                            "accepted = iif((?4 <> '' OR changed > ?6) AND accepted <> '', "
                            "accepted, ?3), "
                            "given_by = iif((?4 <> '' OR changed > ?6) AND accepted <> '', "
                            "given_by, ?7), "
                            "changed = max(changed, ?6), "
                            "held = ?4, offered = ?5"));
      put.bind(record.upstream).bind(record.tool).bind(record.accepted).bind(record.held);
      put.bind(std::uint64_t{record.offered ? 1u : 0u}).bind(milliseconds_of(record.changed));
      HOST_TRY(put.bind(record.by).run());
      const bool is_held = !record.held.empty() && record.offered;
      if (is_held) HOST_TRY(hold(record));
      some_held = some_held || is_held;
    }
    return transaction.commit();
  }

  static bool is_empty(const PinRecord& record) {
    return !record.tool.empty() && !record.offered && record.accepted.empty() &&
           record.held.empty();
  }

  // Another host can have accepted what this host holds.
  Result<bool> is_accepted_meanwhile(const PinRecord& record) {
    if (record.held.empty()) return false;
    HOST_TRY_ASSIGN(Statement rows, database_.prepare("SELECT accepted FROM upstream_pin WHERE "
                                                      "upstream = ?1 AND tool = ?2"));
    HOST_TRY_ASSIGN(const bool is_stored, rows.bind(record.upstream).bind(record.tool).step());
    return is_stored && is_same(rows.text(0), record.held);
  }

  Result<bool> holds_some() {
    HOST_TRY_ASSIGN(Statement ask, database_.prepare("SELECT 1 FROM upstream_held LIMIT 1"));
    return ask.step();
  }

  // An accepted definition waits at no host. What a process has held that does not run any more is
  // removed, too.
  Result<void> release(const PinRecord& record, bool releases_own) {
    HOST_TRY_ASSIGN(const std::vector<Holder> holders, holders_of(record));
    for (const Holder& one : holders) {
      const bool is_over =
          is_own(one) ? releases_own : has_ended(static_cast<pid_t>(one.pid), one.process);
      if (is_over || is_same(one.held, record.accepted)) HOST_TRY(drop(record, one));
    }
    return {};
  }

  bool is_own(const Holder& one) const { return one.pid == pid_ && one.process == process_; }

  // This process is the first, then the latest.
  Result<std::vector<Holder>> holders_of(const PinRecord& record) {
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT pid, process, held FROM upstream_held WHERE upstream = ?1 AND "
                          "tool = ?2 ORDER BY pid = ?3 AND process = ?4 DESC, changed DESC"));
    rows.bind(record.upstream).bind(record.tool).bind(pid_).bind(process_);
    std::vector<Holder> out;
    for (;;) {
      HOST_TRY_ASSIGN(const bool more, rows.step());
      if (!more) return out;
      out.push_back({rows.number(0), std::string(rows.text(1)), std::string(rows.text(2))});
    }
  }

  Result<void> drop(const PinRecord& record, const Holder& holder) {
    HOST_TRY_ASSIGN(Statement gone,
                    database_.prepare("DELETE FROM upstream_held WHERE upstream = ?1 AND "
                                      "tool = ?2 AND pid = ?3 AND process = ?4"));
    gone.bind(record.upstream).bind(record.tool).bind(holder.pid);
    return gone.bind(holder.process).run();
  }

  Result<void> hold(const PinRecord& record) {
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("INSERT OR REPLACE INTO upstream_held (upstream, tool, pid, process, "
                          "held, changed) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
    put.bind(record.upstream).bind(record.tool).bind(pid_).bind(process_).bind(record.held);
    HOST_TRY(put.bind(milliseconds_of(record.changed)).run());
    return trim(record);
  }

  Result<void> trim(const PinRecord& record) {
    HOST_TRY_ASSIGN(const std::vector<Holder> holders, holders_of(record));
    if (holders.size() <= kMostDefinitions) return {};
    std::map<std::string, std::size_t> hosts;  // by the canonical definition
    for (const Holder& one : holders) {
      const std::string definition = json::canonical_text(one.held);
      const bool is_kept = hosts.contains(definition) || hosts.size() < kMostDefinitions;
      if (!is_kept || ++hosts[definition] > kMostHostsOfOne) HOST_TRY(drop(record, one));
    }
    return {};
  }

  Result<void> remove(const PinRecord& record) {
    HOST_TRY_ASSIGN(
        Statement remove,
        database_.prepare("DELETE FROM upstream_pin WHERE upstream = ?1 AND tool = ?2 AND "
                          "changed <= ?3"));
    remove.bind(record.upstream).bind(record.tool).bind(milliseconds_of(record.changed));
    return remove.run();
  }

  Sqlite& database_;
  const std::uint64_t pid_ = static_cast<std::uint64_t>(::getpid());
  const std::string process_ = mark_of_process(::getpid());
};

}  // namespace

std::unique_ptr<PinStore> pins_in(Sqlite& database) {
  return std::make_unique<SqlitePinStore>(database);
}

}  // namespace host::store
