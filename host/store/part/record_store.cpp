#include "store/part/record_store.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"
#include "store/sqlite/record_columns.h"

namespace host::store {
namespace {

using tool::Executes;
using tool::MadeBy;
using tool::Record;
using tool::RecordState;
using tool::Transition;

// How long the counter of a session that has ended is kept after its last record. Clients may
// follow a session that lives, so its numbers must not begin again.
constexpr std::chrono::hours kCounterKept{24 * 30};
// How long an expired record that has not ended waits for its host.
constexpr std::chrono::hours kOpenKept{24};

#define TP_RECORD_COLUMNS                                                                      \
  "id, session, principal, agent, tool, arguments, definition, tool_use_id, idempotency_key, " \
  "made_by, executes, state, reason, code, lease, holder, worker, version, created, updated, " \
  "heartbeat, client_clock, expires, poll_interval, result, failure, questions, asked, "       \
  "answers, continuation, round_answers, round_state, owner, response, response_code, "        \
  "response_by, checked, twin, webhooks, context, approval, claim, key_tool"
#define TP_RECORD_VALUES                                                                        \
  "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, " \
  "?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, "  \
  "?39, ?40, ?41, ?42, ?43"

// Counts the ends of records that are about to be removed.
#define TP_COUNT_LOST(which)                                                                  \
  "UPDATE call_counter SET lost = max(lost, gone.seq) FROM (SELECT session, max(seq) AS seq " \
  "FROM call_transition WHERE became >= 2 AND " which                                         \
  " GROUP BY session) AS gone WHERE call_counter.session = gone.session"
// Records that expired: at ?1 if they have ended, else at ?2 if ?3 does not own them.
#define TP_IS_LEFT                 \
  "expires > 0 AND expires <= ?1 " \
  "AND (state >= 2 OR (expires <= ?2 AND owner <> ?3))"

// The enumerators' values are their numbers in the table.
template <class Enum>
Enum enum_of(std::uint64_t number, Enum last) {
  return static_cast<Enum>(std::min(number, static_cast<std::uint64_t>(last)));
}

std::uint64_t since_1970(WallTime time) {
  return time == WallTime{} ? 0 : milliseconds_of(time);
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Texts that the bound statement refers to.
struct Texts {
  explicit Texts(const Record& record)
      : client_clock(record.client_clock ? std::to_string(*record.client_clock) : std::string()),
        questions(text_of(record.questions)),
        answers(text_of(record.continuation.answers)),
        round_answers(text_of(record.round_answers)),
        webhooks(record.webhooks.empty() ? std::string() : json_of(record.webhooks)) {}
  const std::string client_clock;
  const std::string questions;
  const std::string answers;
  const std::string round_answers;
  const std::string webhooks;
};

void bind_record(Statement& to, const Record& record, const Texts& texts, std::string_view owner) {
  to.bind(record.id).bind(record.session).bind(record.principal).bind(record.agent);
  to.bind(record.tool).bind(record.arguments).bind(record.definition).bind(record.tool_use_id);
  to.bind(record.idempotency_key).bind(static_cast<std::uint64_t>(record.made_by));
  to.bind(static_cast<std::uint64_t>(record.executes));
  to.bind(static_cast<std::uint64_t>(record.state)).bind(record.reason).bind(record.code);
  to.bind(record.lease.token).bind(record.lease.holder).bind(record.lease.worker);
  to.bind(record.version).bind(since_1970(record.created)).bind(since_1970(record.updated));
  to.bind(since_1970(record.heartbeat)).bind(texts.client_clock).bind(since_1970(record.expires));
  to.bind(static_cast<std::uint64_t>(record.poll_interval.count()));
  to.bind(record.result).bind(record.failure).bind(texts.questions).bind(record.asked);
  to.bind(texts.answers).bind_blob(record.continuation.state).bind(texts.round_answers);
  to.bind_blob(record.round_state).bind(owner);
  to.bind(record.response.result).bind(record.response.code).bind(record.response.by);
  to.bind(std::uint64_t{record.response.checked}).bind(record.twin).bind(texts.webhooks);
  to.bind(record.context).bind(record.approval).bind_blob(record.claim).bind(record.key_tool);
}

Record record_of(const Statement& row) {
  Record record;
  int column = 0;
  const auto text = [&] { return std::string(row.text(column++)); };
  const auto number = [&] { return row.number(column++); };
  record.id = text();
  record.session = text();
  record.principal = text();
  record.agent = text();
  record.tool = text();
  record.arguments = text();
  record.definition = text();
  record.tool_use_id = text();
  record.idempotency_key = text();
  record.made_by = enum_of(number(), MadeBy::WaitingCall);
  record.executes = enum_of(number(), Executes::Caller);
  record.state = enum_of(number(), RecordState::Error);
  record.reason = text();
  record.code = text();
  record.lease.token = number();
  record.lease.holder = text();
  record.lease.worker = text();
  record.version = number();
  record.created = time_of(number());
  record.updated = time_of(number());
  record.heartbeat = time_of(number());
  record.client_clock = number_in(row.text(column++));
  record.expires = time_of(number());
  record.poll_interval = std::chrono::milliseconds(number());
  record.result = text();
  record.failure = text();
  record.questions = questions_in(row.text(column++));
  record.asked = number();
  record.continuation.answers = answers_in(row.text(column++));
  record.continuation.state = text();
  record.round_answers = answers_in(row.text(column++));
  record.round_state = text();
  ++column;  // the owner
  record.response.result = text();
  record.response.code = text();
  record.response.by = text();
  record.response.checked = number() != 0;
  record.twin = text();
  record.webhooks = words_in(row.text(column++));
  record.context = text();
  record.approval = text();
  record.claim = text();
  record.key_tool = text();
  return record;
}

Transition transition_of(const Statement& row) {
  Transition transition;
  transition.seq = row.number(0);
  transition.session = row.text(1);
  transition.record = row.text(2);
  transition.tool = row.text(3);
  // 0 is a record that was made; the others are one more than the state's number.
  if (const std::uint64_t from = row.number(4); from > 0)
    transition.from = enum_of(from - 1, RecordState::Error);
  transition.to = enum_of(row.number(5), RecordState::Error);
  transition.why = row.text(6);
  transition.by = row.text(7);
  transition.at = time_of(row.number(8));
  return transition;
}

class SqliteRecordStore final : public RecordStore {
 public:
  explicit SqliteRecordStore(Sqlite& database) : database_(database) {}

  Result<std::vector<RecordWritten>> write(const std::vector<RecordWrite>& writes,
                                           std::string_view owner) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    std::vector<RecordWritten> written;
    for (const RecordWrite& write : writes) {
      HOST_TRY_ASSIGN(RecordWritten one, write_one(write, owner));
      written.push_back(std::move(one));
    }
    HOST_TRY(transaction.commit());
    return written;
  }

  Result<void> beat(const std::vector<Beat>& beats) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    for (const Beat& beat : beats) {
      const std::string clock = beat.client_clock ? std::to_string(*beat.client_clock) : "";
      HOST_TRY_ASSIGN(Statement set,
                      database_.prepare("UPDATE call_record SET heartbeat = ?1, client_clock = ?2 "
                                        "WHERE id = ?3 AND lease = ?4 AND state = 1"));
      HOST_TRY(set.bind(milliseconds_of(beat.at)).bind(clock).bind(beat.id).bind(beat.lease).run());
    }
    return transaction.commit();
  }

  Result<std::optional<Record>> find(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement row, database_.prepare("SELECT " TP_RECORD_COLUMNS
                                                     " FROM call_record WHERE id = ?1"));
    HOST_TRY_ASSIGN(const bool found, row.bind(id).step());
    if (!found) return std::optional<Record>();
    return std::optional<Record>(record_of(row));
  }

  Result<std::vector<Record>> list(std::string_view owner) override {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT " TP_RECORD_COLUMNS
                                      " FROM call_record WHERE owner = ?1 ORDER BY created, id"));
    rows.bind(owner);
    std::vector<Record> records;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return records;
      records.push_back(record_of(rows));
    }
  }

  Result<std::vector<Record>> newest(const Filter& filter, std::uint32_t limit) override {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT " TP_RECORD_COLUMNS
                                      " FROM call_record WHERE (?1 = '' OR session = ?1) AND "
                                      "(?2 = 0 OR state = ?2 - 1) "
                                      "ORDER BY created DESC, id LIMIT ?3"));
    // 0 is any state.
    const std::uint64_t state = filter.state ? static_cast<std::uint64_t>(*filter.state) + 1 : 0;
    rows.bind(filter.session).bind(state).bind(std::uint64_t{limit});
    std::vector<Record> records;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return records;
      records.push_back(record_of(rows));
    }
  }

  Result<std::vector<Transition>> transitions_after(std::string_view session, std::uint64_t seq,
                                                    std::uint32_t limit) override {
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT seq, session, record, tool, was, became, why, actor, at "
                          "FROM call_transition WHERE session = ?1 AND seq > ?2 "
                          "ORDER BY seq LIMIT ?3"));
    return transitions_in(rows.bind(session).bind(seq).bind(std::uint64_t{limit}));
  }

  Result<std::vector<Transition>> ends_after(std::string_view session, std::uint64_t seq,
                                             std::uint32_t limit) override {
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT seq, session, record, tool, was, became, why, actor, at "
                          "FROM call_transition WHERE session = ?1 AND seq > ?2 AND "
                          "became >= 2 ORDER BY seq LIMIT ?3"));
    return transitions_in(rows.bind(session).bind(seq).bind(std::uint64_t{limit}));
  }

  Result<std::uint64_t> last_lost(std::string_view session) override {
    HOST_TRY_ASSIGN(Statement row,
                    database_.prepare("SELECT lost FROM call_counter WHERE session = ?1"));
    HOST_TRY_ASSIGN(const bool found, row.bind(session).step());
    return found ? row.number(0) : std::uint64_t{0};
  }

  Result<void> forget(const std::vector<std::string>& ids) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    for (const std::string& id : ids) {
      HOST_TRY_ASSIGN(Statement lost, database_.prepare(TP_COUNT_LOST("record = ?1")));
      HOST_TRY(lost.bind(id).run());
      HOST_TRY_ASSIGN(Statement rows,
                      database_.prepare("DELETE FROM call_transition WHERE record = ?1"));
      HOST_TRY(rows.bind(id).run());
      HOST_TRY_ASSIGN(Statement record, database_.prepare("DELETE FROM call_record WHERE id = ?1"));
      HOST_TRY(record.bind(id).run());
    }
    return transaction.commit();
  }

  Result<void> forget_expired(WallTime now, std::string_view owner) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    for (const char* const sql :
         {TP_COUNT_LOST("record IN (SELECT id FROM call_record WHERE " TP_IS_LEFT ")"),
          "DELETE FROM call_transition WHERE record IN "
          "(SELECT id FROM call_record WHERE " TP_IS_LEFT ")",
          "DELETE FROM call_record WHERE " TP_IS_LEFT}) {
      HOST_TRY_ASSIGN(Statement statement, database_.prepare(sql));
      statement.bind(milliseconds_of(now)).bind(milliseconds_of(now - kOpenKept)).bind(owner);
      HOST_TRY(statement.run());
    }
    HOST_TRY_ASSIGN(
        Statement counters,
        database_.prepare("DELETE FROM call_counter WHERE used < ?1 AND session NOT IN "
                          "(SELECT session FROM call_transition) AND " TP_SESSION_HAS_ENDED));
    HOST_TRY(counters.bind(milliseconds_of(now - kCounterKept)).run());
    return transaction.commit();
  }

 private:
  Result<RecordWritten> write_one(const RecordWrite& write, std::string_view owner) {
    HOST_TRY_ASSIGN(const bool written,
                    write.expected == 0 ? insert(*write.record, owner) : replace(write, owner));
    if (!written) return RecordWritten();
    std::vector<Transition> numbered = write.transitions;
    for (Transition& transition : numbered) {
      HOST_TRY_ASSIGN(transition.seq, next_number(transition));
      HOST_TRY(add(transition));
    }
    return RecordWritten(std::move(numbered));
  }

  Result<bool> insert(const Record& record, std::string_view owner) {
    HOST_TRY_ASSIGN(Statement row,
                    database_.prepare("INSERT OR IGNORE INTO call_record (" TP_RECORD_COLUMNS
                                      ") VALUES (" TP_RECORD_VALUES ")"));
    const Texts texts(record);
    bind_record(row, record, texts, owner);
    HOST_TRY(row.run());
    return database_.changes() > 0;
  }

  // The compare and swap: the version that the writer has seen, and no newer lease.
  Result<bool> replace(const RecordWrite& write, std::string_view owner) {
    HOST_TRY_ASSIGN(
        Statement row,
        database_.prepare("UPDATE call_record SET (" TP_RECORD_COLUMNS ") = (" TP_RECORD_VALUES
                          ") WHERE id = ?1 AND version = ?44 AND lease <= ?15"));
    const Texts texts(*write.record);
    bind_record(row, *write.record, texts, owner);
    HOST_TRY(row.bind(write.expected).run());
    return database_.changes() > 0;
  }

  Result<std::uint64_t> next_number(const Transition& of) {
    HOST_TRY_ASSIGN(Statement count,
                    database_.prepare("INSERT INTO call_counter (session, last, used) "
                                      "VALUES (?1, 1, ?2) ON CONFLICT "
                                      "(session) DO UPDATE SET last = last + 1, used = ?2 "
                                      "RETURNING last"));
    HOST_TRY(count.bind(of.session).bind(milliseconds_of(of.at)).step());
    const std::uint64_t number = count.number(0);
    HOST_TRY(count.step());  // the row is stored when the statement has ended
    return number;
  }

  Result<void> add(const Transition& transition) {
    HOST_TRY_ASSIGN(
        Statement row,
        database_.prepare("INSERT INTO call_transition (session, seq, record, tool, "
                          "was, became, why, actor, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, "
                          "?7, ?8, ?9)"));
    row.bind(transition.session).bind(transition.seq).bind(transition.record);
    row.bind(transition.tool);
    row.bind(transition.from ? static_cast<std::uint64_t>(*transition.from) + 1 : std::uint64_t{0});
    row.bind(static_cast<std::uint64_t>(transition.to)).bind(transition.why).bind(transition.by);
    return row.bind(milliseconds_of(transition.at)).run();
  }

  static Result<std::vector<Transition>> transitions_in(Statement& rows) {
    std::vector<Transition> found;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return found;
      found.push_back(transition_of(rows));
    }
  }

  Sqlite& database_;
};

#undef TP_IS_LEFT
#undef TP_COUNT_LOST
#undef TP_RECORD_VALUES
#undef TP_RECORD_COLUMNS

}  // namespace

std::unique_ptr<RecordStore> records_in(Sqlite& database) {
  return std::make_unique<SqliteRecordStore>(database);
}

}  // namespace host::store
