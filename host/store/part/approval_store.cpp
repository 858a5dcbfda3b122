#include "store/part/approval_store.h"

#include <algorithm>
#include <array>
#include <utility>

#include "json/fault.h"
#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"
#include "tool/definition/class.h"

namespace host::store {
namespace {

constexpr std::array<std::string_view, 6> kStates = {"pending", "approved",  "rejected",
                                                     "expired", "withdrawn", "used"};

std::uint64_t number_of(ApprovalState state) {
  return static_cast<std::uint64_t>(state);
}

#define TP_APPROVAL_COLUMNS                                                                      \
  "id, principal, session, provider, tool, definition, digest, arguments, reason, suggestions, " \
  "covered, created, expires, state, decided, decided_by, note, edited, needs_code, rules, "     \
  "agent, build, input_schema, presets, question, answer, context"
// What a request that nobody decided does not keep.
#define TP_APPROVAL_FORGETS                                                                        \
  "input_schema = '', presets = '', arguments = CASE WHEN state = 0 AND length(CAST(arguments AS " \
  "BLOB)) > 4096 "                                                                                 \
  "THEN '' ELSE arguments END, context = CASE WHEN state = 0 AND length(CAST(context AS BLOB)) > " \
  "4096 THEN '' ELSE context END"
// ?3: the id to go on after, ?4: when that was asked.
#define TP_APPROVAL_AFTER "(?3 = '' OR created < ?4 OR (created = ?4 AND id > ?3))"

// ?1 to ?6: bind_key(), ?7: now.
#define TP_OF_KEY                                                                              \
  " FROM approval WHERE principal = ?1 AND tool = ?2 AND digest = ?3 AND definition = ?4 AND " \
  "agent = ?5 AND build = ?6 AND "
#define TP_OPEN_OF_KEY TP_OF_KEY "state IN (0, 1) AND expires > ?7"

Statement& bind_key(Statement& to, const ApprovalKey& key) {
  to.bind(key.principal).bind(key.tool).bind_blob(bytes_of(key.arguments));
  return to.bind_blob(key.definition).bind(key.agent).bind(key.build);
}

ApprovalRecord approval_of(const Statement& row) {
  ApprovalRecord record;
  record.id = row.text(0);
  record.key.principal = row.text(1);
  record.session = row.text(2);
  record.provider = row.text(3);
  record.key.tool = row.text(4);
  record.key.definition = row.blob(5);
  record.key.arguments = digest_of(row.blob(6));
  record.arguments = row.text(7);
  record.reason = row.text(8);
  record.suggestions = words_in(row.text(9));
  record.covered = words_in(row.text(10));
  record.created = time_of(row.number(11));
  record.expires = time_of(row.number(12));
  record.state =
      static_cast<ApprovalState>(std::min<std::uint64_t>(row.number(13), kStates.size() - 1));
  record.decided = time_of(row.number(14));
  record.decided_by = row.text(15);
  record.note = row.text(16);
  record.edited = row.text(17);
  record.needs_code = row.number(18) != 0;
  record.rules = words_in(row.text(19));
  record.key.agent = row.text(20);
  record.key.build = row.text(21);
  record.input_schema = row.text(22);
  record.presets = row.text(23);
  record.is_question = row.number(24) != 0;
  record.answer = row.text(25);
  record.context = row.text(26);
  return record;
}

std::size_t listed_bytes(const ApprovalRecord& record) {
  return record.arguments.size() + record.context.size() + record.edited.size();
}

// A yes before a no before a question.
int rank(const ApprovalRecord& record) {
  return record.state == ApprovalState::Approved  ? 0
         : record.state == ApprovalState::Pending ? 2
                                                  : 1;
}

bool is_open(const ApprovalRecord& record) {
  return record.state == ApprovalState::Pending || record.state == ApprovalState::Approved;
}

// A request that needs no code has had its code, or was made while an earlier code of its session
// applied. Neither is a code of a different session.
bool fits(const ApprovalRecord& record, const ApprovalRecord& fresh) {
  return !fresh.needs_code || record.needs_code || !is_open(record) ||
         record.session == fresh.session;
}

// True: the code that was sent with the call `fresh` would be a second code for this request.
bool has_its_code(const ApprovalRecord& record, const ApprovalRecord& fresh) {
  if (record.needs_code) return record.state == ApprovalState::Approved;
  return record.session == fresh.session;
}

std::string why_without_rules(const ApprovalRecord& record) {
  if (record.needs_code) return "each call of a priv_ tool needs a one-time code";
  if (tool::classify(record.key.tool) == tool::Class::Pre)
    return "each call of a pre_ tool needs an approval, unless its auto_approve is true";
  return "it is needed every time: " + record.reason;
}

static_assert(kKeptArgumentsBytes == 4096, "TP_APPROVAL_FORGETS has this number");

class SqliteApprovalStore final : public ApprovalStore {
 public:
  SqliteApprovalStore(Sqlite& database, const Clock& clock, const ApprovalBounds& bounds)
      : database_(database), clock_(clock), bounds_(bounds) {}

  Result<std::optional<ApprovalRecord>> meet(const ApprovalRecord& fresh,
                                             const std::set<std::string>& taken, WallTime no_since,
                                             const std::function<Result<void>()>& spend) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY(expire());
    HOST_TRY_ASSIGN(std::vector<ApprovalRecord> candidates, of_key(fresh.key, no_since));
    std::erase_if(candidates,
                  [&](const auto& one) { return taken.contains(one.id) || !fits(one, fresh); });
    const auto best =
        std::min_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
          return std::pair(rank(a), a.needs_code) < std::pair(rank(b), b.needs_code);
        });
    const bool is_new = best == candidates.end();
    ApprovalRecord met = is_new ? fresh : *best;
    if (is_new) {
      HOST_TRY_ASSIGN(const bool room, has_room(fresh.key.principal));
      if (!room) return std::optional<ApprovalRecord>();
    }
    const bool spends = spend && is_open(met) && (is_new || !has_its_code(met, fresh));
    if (const auto spent = spends ? spend() : Result<void>(); !spent) {
      if (spent.error().kind == ErrorKind::Denied) HOST_TRY(transaction.commit());
      return spent.error();
    }
    if (spends && !is_new) HOST_TRY(take_code(met, fresh.session));
    if (is_new) {
      HOST_TRY_ASSIGN(const std::string other, yes_for_another_build(fresh.key));
      if (!other.empty()) {
        met.reason += "\nApproval " + other +
                      " does not apply: the plugin's build has changed since this was approved.";
      }
      HOST_TRY(insert(met));
      HOST_TRY(forget_beyond(bounds_.settled, fresh.key.principal));
    }
    HOST_TRY(transaction.commit());
    return std::optional<ApprovalRecord>(std::move(met));
  }

  Result<std::optional<ApprovalRecord>> look(std::string_view id) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY(expire());
    auto found = find(id);
    if (!found && found.error().kind == ErrorKind::NotFound) return std::optional<ApprovalRecord>();
    if (!found) return found.error();
    HOST_TRY(transaction.commit());
    return std::optional<ApprovalRecord>(*std::move(found));
  }

  // An expired approval differs from an expired request: somebody decided it.
  Result<bool> use(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("UPDATE approval SET state = 5 WHERE id = ?1 AND "
                                      "(state = 1 OR (state = 3 AND decided_by <> ''))"));
    HOST_TRY(put.bind(id).run());
    return database_.changes() == 1;
  }

  Result<UsedUp> use_up(const ApprovalKey& key, const std::set<std::string>& taken) override {
    UsedUp up;
    HOST_TRY_ASSIGN(std::vector<std::string> ids, open_of(key));
    std::erase_if(ids, [&](const std::string& id) { return taken.contains(id); });
    if (ids.empty()) return up;  // mostly: then nothing is written
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    for (std::string& id : ids) {
      HOST_TRY_ASSIGN(const bool was_pending, withdraw(id));
      HOST_TRY_ASSIGN(const bool was_approved, use(id));
      if (was_approved) up.used.push_back(std::move(id));
      up.withdrew = up.withdrew || was_pending;
    }
    HOST_TRY(transaction.commit());
    return up;
  }

  Result<void> give_back(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("UPDATE approval SET state = 1 WHERE id = ?1 AND state = 5"));
    return put.bind(id).run();
  }

  Result<ApprovalAnswer> decide(std::string_view id, const ApprovalDecision& decision) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY(expire());
    HOST_TRY_ASSIGN(const ApprovalRecord record, find(id));
    ApprovalAnswer answer;
    answer.by_this = record.state == ApprovalState::Pending;
    if (answer.by_this) {
      if (decision.approved && decision.always) {
        HOST_TRY_ASSIGN(answer.rules, rules_of(record, decision));
      }
      if (const auto spent = decision.spend ? decision.spend() : Result<void>(); !spent) {
        if (spent.error().kind == ErrorKind::Denied) HOST_TRY(transaction.commit());
        return spent.error();
      }
      for (const RuleRecord& rule : answer.rules) HOST_TRY(insert_rule(database_, rule));
      HOST_TRY(put_decision(record, decision));
    }
    HOST_TRY(transaction.commit());
    return answer;
  }

  Result<bool> withdraw(std::string_view id) override {
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("UPDATE approval SET state = ?1, decided = ?2, " TP_APPROVAL_FORGETS
                          " WHERE id = ?3 AND state = ?4"));
    put.bind(number_of(ApprovalState::Withdrawn)).bind(milliseconds_of(clock_.wall()));
    HOST_TRY(put.bind(id).bind(number_of(ApprovalState::Pending)).run());
    return database_.changes() == 1;
  }

  // A request of a priv_ tool without `needs_code` has had its code, so only a request of the same
  // session has that code, too.
  Result<bool> withdraw_if_twin(std::string_view id) override {
    HOST_TRY_ASSIGN(const bool takes_codes, is_private(id));
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare(
            "UPDATE approval AS mine SET state = ?1, decided = ?2, " TP_APPROVAL_FORGETS
            " WHERE id = ?3 AND state = ?4 AND EXISTS (SELECT 1 FROM approval AS other WHERE "
            "other.state IN (0, 1) AND other.state = ?4 AND other.id <> mine.id AND "
            "other.principal = mine.principal AND other.tool = mine.tool AND "
            "other.digest = mine.digest AND other.definition = mine.definition AND "
            "other.agent = mine.agent AND other.build = mine.build AND "
            "((other.needs_code = mine.needs_code AND (mine.needs_code <> 0 OR ?5 = 0)) OR "
            "(other.needs_code <= mine.needs_code AND other.session = mine.session)))"));
    put.bind(number_of(ApprovalState::Withdrawn)).bind(milliseconds_of(clock_.wall()));
    put.bind(id).bind(number_of(ApprovalState::Pending)).bind(std::uint64_t{takes_codes ? 1u : 0u});
    HOST_TRY(put.run());
    return database_.changes() == 1;
  }

  Result<ApprovalRecord> find(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare("SELECT " TP_APPROVAL_COLUMNS
                                                      " FROM approval WHERE id = ?1"));
    rows.bind(id);
    HOST_TRY_ASSIGN(const bool there, rows.step());
    if (there) return as_of_now(approval_of(rows));
    return Error{ErrorKind::NotFound, "there is no approval \"" + std::string(id) + "\""};
  }

  Result<std::vector<ApprovalRecord>> list(bool pending_only, std::uint32_t limit,
                                           std::string_view after) override {
    constexpr const char* kPending =
        "SELECT " TP_APPROVAL_COLUMNS
        " FROM approval INDEXED BY approval_open WHERE state IN (0, 1) AND state = 0 AND "
        "expires > ?1 AND " TP_APPROVAL_AFTER " ORDER BY created DESC, id LIMIT ?2";
    constexpr const char* kAll =
        "SELECT " TP_APPROVAL_COLUMNS " FROM approval WHERE ?1 >= 0 AND " TP_APPROVAL_AFTER
        " ORDER BY created DESC, id LIMIT ?2";
    std::uint64_t created = 0;
    if (!after.empty()) {
      const auto last = find(after);
      if (!last) return Error{ErrorKind::InvalidArgument, last.error().message};
      created = milliseconds_of(last->created);
    }
    HOST_TRY_ASSIGN(Statement rows, database_.prepare(pending_only ? kPending : kAll));
    rows.bind(milliseconds_of(clock_.wall())).bind(std::uint64_t{limit}).bind(after).bind(created);
    std::vector<ApprovalRecord> records;
    for (std::size_t bytes = 0; bytes < kApprovalListBytes;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) break;
      bytes += listed_bytes(records.emplace_back(as_of_now(approval_of(rows))));
    }
    return records;
  }

  Result<bool> changed_by_others() override { return seen_.changed(database_); }

 private:
  // What nobody answered in time, and a yes that nothing ran by in time; and some of what was
  // settled so long ago that it is forgotten.
  Result<void> expire() {
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("UPDATE approval SET state = ?1, decided = expires, " TP_APPROVAL_FORGETS
                          " WHERE state IN (0, 1) AND expires <= ?2"));
    put.bind(number_of(ApprovalState::Expired)).bind(milliseconds_of(clock_.wall()));
    HOST_TRY(put.run());
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM approval WHERE id IN (SELECT id FROM approval "
                                      "WHERE created < ?1 AND state NOT IN (0, 1) "
                                      "ORDER BY created LIMIT 100)"));
    return forget.bind(milliseconds_of(clock_.wall() - bounds_.keep)).run();
  }

  // Not what a person answered: that is no more than people answer.
  Result<void> forget_beyond(std::uint32_t kept, const std::string& principal) {
    HOST_TRY_ASSIGN(
        Statement forget,
        database_.prepare("DELETE FROM approval WHERE id IN (SELECT id FROM approval "
                          "WHERE principal = ?1 AND state NOT IN (0, 1) AND "
                          "decided_by = '' ORDER BY created DESC LIMIT 100 OFFSET ?2)"));
    return forget.bind(principal).bind(std::uint64_t{kept}).run();
  }

  Result<void> put_decision(const ApprovalRecord& record, const ApprovalDecision& decision) {
    const WallTime now = clock_.wall();
    const WallTime expires = decision.approved ? now + decision.good_for : record.expires;
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("UPDATE approval SET state = ?1, expires = ?2, decided = ?3, "
                                      "decided_by = ?4, note = ?5, edited = ?6, answer = ?7, "
                                      "input_schema = '', presets = '' WHERE id = ?8"));
    put.bind(number_of(decision.approved ? ApprovalState::Approved : ApprovalState::Rejected));
    put.bind(milliseconds_of(expires)).bind(milliseconds_of(now)).bind(decision.by);
    put.bind(decision.note).bind(decision.edited).bind(decision.answer);
    return put.bind(record.id).run();
  }

  // The call of `session` has given the request's code. A repeated call of this session needs no
  // further code for it.
  Result<void> take_code(ApprovalRecord& record, const std::string& session) {
    if (record.state != ApprovalState::Pending) return {};
    record.needs_code = false;
    record.session = session;
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("UPDATE approval SET needs_code = 0, session = ?1 WHERE id = ?2"));
    return put.bind(session).bind(record.id).run();
  }

  // For who reads without the right to write.
  ApprovalRecord as_of_now(ApprovalRecord record) const {
    if (is_open(record) && milliseconds_of(record.expires) <= milliseconds_of(clock_.wall())) {
      record.state = ApprovalState::Expired;
      record.decided = record.expires;
    }
    return record;
  }

  Result<std::vector<ApprovalRecord>> of_key(const ApprovalKey& key, WallTime no_since) {
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT " TP_APPROVAL_COLUMNS TP_OF_KEY
                          "(state IN (0, 1) OR ((state = 2 OR (state = 3 AND decided_by = '')) AND "
                          "decided >= ?7)) ORDER BY created, id"));
    bind_key(rows, key).bind(milliseconds_of(no_since));
    std::vector<ApprovalRecord> records;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return records;
      records.push_back(approval_of(rows));
    }
  }

  // The ids of the pending and approved ones.
  Result<std::vector<std::string>> open_of(const ApprovalKey& key) {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare("SELECT id" TP_OPEN_OF_KEY));
    bind_key(rows, key).bind(milliseconds_of(clock_.wall()));
    std::vector<std::string> ids;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return ids;
      ids.emplace_back(rows.text(0));
    }
  }

  Result<bool> has_room(const std::string& principal) {
    HOST_TRY_ASSIGN(Statement count,
                    database_.prepare("SELECT count(*) FROM approval INDEXED BY approval_open "
                                      "WHERE state IN (0, 1) AND state = 0 AND principal = ?1"));
    count.bind(principal);
    HOST_TRY(count.step());
    return count.number(0) < bounds_.pending;
  }

  Result<bool> is_private(std::string_view id) {
    HOST_TRY_ASSIGN(Statement row, database_.prepare("SELECT tool FROM approval WHERE id = ?1"));
    HOST_TRY_ASSIGN(const bool there, row.bind(id).step());
    return there && tool::classify(row.text(0)) == tool::Class::Private;
  }

  // The id of the newest; empty: there is none.
  Result<std::string> yes_for_another_build(const ApprovalKey& key) {
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT id FROM approval WHERE principal = ?1 AND tool = ?2 AND digest = "
                          "?3 AND agent = ?4 AND state = 1 AND (build <> ?5 OR definition <> ?6) "
                          "ORDER BY decided DESC LIMIT 1"));
    rows.bind(key.principal).bind(key.tool).bind_blob(bytes_of(key.arguments)).bind(key.agent);
    rows.bind(key.build).bind_blob(key.definition);
    HOST_TRY_ASSIGN(const bool there, rows.step());
    return there ? std::string(rows.text(0)) : std::string();
  }

  Result<void> insert(const ApprovalRecord& fresh) {
    const std::string suggestions = json_of(fresh.suggestions);
    const std::string covered = json_of(fresh.covered);
    const std::string rules = json_of(fresh.rules);
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT INTO approval (" TP_APPROVAL_COLUMNS
                                      ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
                                      "?12, ?13, 0, 0, '', '', '', ?14, ?15, ?16, ?17, ?18, "
                                      "?19, ?20, '', ?21)"));
    put.bind(fresh.id).bind(fresh.key.principal).bind(fresh.session).bind(fresh.provider);
    put.bind(fresh.key.tool)
        .bind_blob(fresh.key.definition)
        .bind_blob(bytes_of(fresh.key.arguments));
    put.bind(fresh.arguments).bind(fresh.reason).bind(suggestions).bind(covered);
    put.bind(milliseconds_of(fresh.created)).bind(milliseconds_of(fresh.expires));
    return put.bind(std::uint64_t{fresh.needs_code ? 1u : 0u})
        .bind(rules)
        .bind(fresh.key.agent)
        .bind(fresh.key.build)
        .bind(fresh.input_schema)
        .bind(fresh.presets)
        .bind(std::uint64_t{fresh.is_question ? 1u : 0u})
        .bind(fresh.context)
        .run();
  }

  Result<std::vector<RuleRecord>> rules_of(const ApprovalRecord& record,
                                           const ApprovalDecision& decision) const {
    if (record.rules.empty()) {
      return json::fault_at("/always", "no stored rule can replace this approval, because " +
                                           why_without_rules(record));
    }
    const bool of_session = decision.always == Reach::Session;
    const bool of_agent = decision.always == Reach::Agent;
    const bool of_principal = decision.always == Reach::Principal;
    if ((of_session && record.session.empty()) || (of_agent && record.key.agent.empty()))
      return Error{ErrorKind::InvalidArgument, "this question came from no " +
                                                   std::string(of_agent ? "agent" : "session") +
                                                   " that a rule could hold for"};
    constexpr std::size_t kIdBytes = 9;
    std::vector<RuleRecord> rules;
    for (const std::string& rule : record.rules) {
      rules.push_back({"rule_" + random_id(kIdBytes), rule,
                       "always, by " + decision.by + " to " + record.id, clock_.wall(),
                       of_agent || of_principal ? record.key.agent : std::string(),
                       of_session ? record.session : std::string(),
                       of_principal ? record.key.principal : std::string()});
    }
    return rules;
  }

  Sqlite& database_;
  const Clock& clock_;
  const ApprovalBounds bounds_;
  SeenVersion seen_;
};

#undef TP_APPROVAL_AFTER
#undef TP_APPROVAL_FORGETS
#undef TP_APPROVAL_COLUMNS
#undef TP_OPEN_OF_KEY
#undef TP_OF_KEY

}  // namespace

bool is_full(const std::vector<ApprovalRecord>& list) {
  std::size_t bytes = 0;
  for (const ApprovalRecord& one : list) bytes += listed_bytes(one);
  return bytes >= kApprovalListBytes;
}

std::string_view to_string(ApprovalState state) {
  return kStates[static_cast<std::size_t>(state)];
}

std::string_view state_of(const ApprovalRecord& record) {
  if (record.is_question && record.state == ApprovalState::Approved) return "answered";
  return to_string(record.state);
}

std::optional<Reach> reach_from(std::string_view word) {
  if (word == "principal") return Reach::Principal;
  if (word == "session") return Reach::Session;
  if (word == "agent") return Reach::Agent;
  if (word == "host") return Reach::Host;
  return std::nullopt;
}

std::unique_ptr<ApprovalStore> approvals_in(Sqlite& database, const Clock& clock,
                                            const ApprovalBounds& bounds) {
  return std::make_unique<SqliteApprovalStore>(database, clock, bounds);
}

}  // namespace host::store
