#include "store/approval_store.h"

#include <algorithm>
#include <array>
#include <utility>

#include "store/columns.h"
#include "store/sqlite_parts.h"

namespace host::store {
namespace {

constexpr std::array<std::string_view, 6> kStates = {"pending", "approved",  "rejected",
                                                     "expired", "withdrawn", "used"};

std::uint64_t number_of(ApprovalState state) {
  return static_cast<std::uint64_t>(state);
}

#define TP_APPROVAL_COLUMNS                                                                      \
  "id, principal, session, provider, tool, definition, digest, arguments, reason, suggestions, " \
  "covered, created, expires, state, decided, decided_by, note, edited, needs_code, rules, agent"

ApprovalRecord record_of(const Statement& row) {
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
  return record;
}

// A yes before a no before a question.
int rank(const ApprovalRecord& record) {
  return record.state == ApprovalState::Approved  ? 0
         : record.state == ApprovalState::Pending ? 2
                                                  : 1;
}

class SqliteApprovalStore final : public ApprovalStore {
 public:
  SqliteApprovalStore(Sqlite& database, const Clock& clock, std::chrono::milliseconds keep)
      : database_(database), clock_(clock), keep_(keep) {}

  Result<ApprovalRecord> meet(const ApprovalRecord& fresh, const std::set<std::string>& taken,
                              WallTime no_since) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY(expire());
    HOST_TRY_ASSIGN(std::vector<ApprovalRecord> candidates, of_key(fresh.key, no_since));
    std::erase_if(candidates, [&](const auto& one) { return taken.contains(one.id); });
    const auto best =
        std::min_element(candidates.begin(), candidates.end(),
                         [](const auto& a, const auto& b) { return rank(a) < rank(b); });
    ApprovalRecord met = best == candidates.end() ? fresh : *best;
    if (best == candidates.end()) {
      HOST_TRY(check_room(fresh.key.principal));
      HOST_TRY(insert(fresh));
    } else if (met.state == ApprovalState::Approved) {
      HOST_TRY(use(met));
    }
    HOST_TRY(transaction.commit());
    return met;
  }

  Result<std::optional<ApprovalRecord>> look(std::string_view id) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY(expire());
    auto found = find(id);
    if (!found && found.error().kind == ErrorKind::NotFound) return std::optional<ApprovalRecord>();
    if (!found) return found.error();
    if (found->state == ApprovalState::Approved) HOST_TRY(use(*found));
    HOST_TRY(transaction.commit());
    return std::optional<ApprovalRecord>(*std::move(found));
  }

  Result<bool> decide(std::string_view id, const ApprovalDecision& decision) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY(expire());
    HOST_TRY_ASSIGN(const ApprovalRecord record, find(id));
    if (record.state != ApprovalState::Pending) {
      HOST_TRY(transaction.commit());
      return false;
    }
    if (decision.approved && decision.always) HOST_TRY(make_rules(record, decision));
    const WallTime now = clock_.wall();
    const WallTime expires = decision.approved ? now + decision.good_for : record.expires;
    {
      HOST_TRY_ASSIGN(Statement put,
                      database_.prepare("UPDATE approval SET state = ?1, expires = ?2, decided = "
                                        "?3, decided_by = ?4, note = ?5, edited = ?6 WHERE id = "
                                        "?7"));
      put.bind(number_of(decision.approved ? ApprovalState::Approved : ApprovalState::Rejected));
      put.bind(milliseconds_of(expires)).bind(milliseconds_of(now)).bind(decision.by);
      HOST_TRY(put.bind(decision.note).bind(decision.edited).bind(id).run());
    }
    HOST_TRY(transaction.commit());
    return true;
  }

  Result<bool> withdraw(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement put, database_.prepare("UPDATE approval SET state = ?1, decided = ?2 "
                                                     "WHERE id = ?3 AND state = ?4"));
    put.bind(number_of(ApprovalState::Withdrawn)).bind(milliseconds_of(clock_.wall()));
    HOST_TRY(put.bind(id).bind(number_of(ApprovalState::Pending)).run());
    return database_.changes() == 1;
  }

  Result<ApprovalRecord> find(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement rows, database_.prepare("SELECT " TP_APPROVAL_COLUMNS
                                                      " FROM approval WHERE id = ?1"));
    rows.bind(id);
    HOST_TRY_ASSIGN(const bool there, rows.step());
    if (there) return as_of_now(record_of(rows));
    return Error{ErrorKind::NotFound, "there is no approval \"" + std::string(id) + "\""};
  }

  Result<std::vector<ApprovalRecord>> list(bool pending_only, std::uint32_t limit) override {
    constexpr const char* kPending =
        "SELECT " TP_APPROVAL_COLUMNS
        " FROM approval INDEXED BY approval_open WHERE state IN (0, 1) AND state = 0 AND "
        "expires > ?1 ORDER BY created DESC, id LIMIT ?2";
    constexpr const char* kAll = "SELECT " TP_APPROVAL_COLUMNS
                                 " FROM approval WHERE ?1 >= 0 ORDER BY created DESC, id LIMIT ?2";
    HOST_TRY_ASSIGN(Statement rows, database_.prepare(pending_only ? kPending : kAll));
    rows.bind(milliseconds_of(clock_.wall())).bind(std::uint64_t{limit});
    std::vector<ApprovalRecord> records;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return records;
      records.push_back(as_of_now(record_of(rows)));
    }
  }

  Result<bool> changed_by_others() override { return seen_.changed(database_); }

 private:
  // What nobody answered in time, and a yes that nothing ran by in time; and some of what was
  // settled so long ago that it is forgotten.
  Result<void> expire() {
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("UPDATE approval SET state = ?1, decided = expires "
                                      "WHERE state IN (0, 1) AND expires <= ?2"));
    put.bind(number_of(ApprovalState::Expired)).bind(milliseconds_of(clock_.wall()));
    HOST_TRY(put.run());
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM approval WHERE id IN (SELECT id FROM approval "
                                      "WHERE created < ?1 AND state NOT IN (0, 1) "
                                      "ORDER BY created LIMIT 100)"));
    return forget.bind(milliseconds_of(clock_.wall() - keep_)).run();
  }

  // For who reads without the right to write.
  ApprovalRecord as_of_now(ApprovalRecord record) const {
    const bool open =
        record.state == ApprovalState::Pending || record.state == ApprovalState::Approved;
    if (open && milliseconds_of(record.expires) <= milliseconds_of(clock_.wall())) {
      record.state = ApprovalState::Expired;
      record.decided = record.expires;
    }
    return record;
  }

  Result<std::vector<ApprovalRecord>> of_key(const ApprovalKey& key, WallTime no_since) {
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare(
            "SELECT " TP_APPROVAL_COLUMNS
            " FROM approval WHERE principal = ?1 AND tool = ?2 AND digest = ?3 AND definition = ?4 "
            "AND agent = ?6 AND (state IN (0, 1) OR ((state = 2 OR (state = 3 AND decided_by = "
            "'')) AND decided "
            ">= ?5)) "
            "ORDER BY created, id"));
    rows.bind(key.principal).bind(key.tool).bind_blob(bytes_of(key.arguments));
    rows.bind_blob(key.definition).bind(milliseconds_of(no_since)).bind(key.agent);
    std::vector<ApprovalRecord> records;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return records;
      records.push_back(record_of(rows));
    }
  }

  Result<void> check_room(const std::string& principal) {
    HOST_TRY_ASSIGN(Statement count,
                    database_.prepare("SELECT count(*) FROM approval INDEXED BY approval_open "
                                      "WHERE state IN (0, 1) AND principal = ?1"));
    count.bind(principal);
    HOST_TRY(count.step());
    if (count.number(0) < kMostOpenApprovals) return {};
    return Error{ErrorKind::Unavailable,
                 "too many calls of \"" + principal +
                     "\" wait for a person already: " + std::to_string(kMostOpenApprovals)};
  }

  Result<void> insert(const ApprovalRecord& fresh) {
    const std::string suggestions = json_of(fresh.suggestions);
    const std::string covered = json_of(fresh.covered);
    const std::string rules = json_of(fresh.rules);
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT INTO approval (" TP_APPROVAL_COLUMNS
                                      ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
                                      "?12, ?13, 0, 0, '', '', '', ?14, ?15, ?16)"));
    put.bind(fresh.id).bind(fresh.key.principal).bind(fresh.session).bind(fresh.provider);
    put.bind(fresh.key.tool)
        .bind_blob(fresh.key.definition)
        .bind_blob(bytes_of(fresh.key.arguments));
    put.bind(fresh.arguments).bind(fresh.reason).bind(suggestions).bind(covered);
    put.bind(milliseconds_of(fresh.created)).bind(milliseconds_of(fresh.expires));
    return put.bind(std::uint64_t{fresh.needs_code ? 1u : 0u})
        .bind(rules)
        .bind(fresh.key.agent)
        .run();
  }

  Result<void> make_rules(const ApprovalRecord& record, const ApprovalDecision& decision) {
    if (record.rules.empty())
      return Error{ErrorKind::InvalidArgument,
                   "no rule would spare this question: it is asked "
                   "every time"};
    const bool of_session = decision.always == Reach::Session;
    const bool of_agent = decision.always == Reach::Agent ||
                          (decision.always == Reach::Narrow && !record.key.agent.empty());
    if ((of_session && record.session.empty()) || (of_agent && record.key.agent.empty()))
      return Error{ErrorKind::InvalidArgument, "this question came from no " +
                                                   std::string(of_agent ? "agent" : "session") +
                                                   " that a rule could hold for"};
    constexpr std::size_t kIdBytes = 9;
    for (const std::string& rule : record.rules) {
      HOST_TRY(insert_rule(database_, {"rule_" + random_id(kIdBytes), rule,
                                       "always, by " + decision.by + " to " + record.id,
                                       clock_.wall(), of_agent ? record.key.agent : std::string(),
                                       of_session ? record.session : std::string()}));
    }
    return {};
  }

  // The record given back is still the yes.
  Result<void> use(const ApprovalRecord& record) {
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("UPDATE approval SET state = ?1 WHERE id = ?2"));
    return put.bind(number_of(ApprovalState::Used)).bind(record.id).run();
  }

  Sqlite& database_;
  const Clock& clock_;
  const std::chrono::milliseconds keep_;
  SeenVersion seen_;
};

#undef TP_APPROVAL_COLUMNS

}  // namespace

std::string_view to_string(ApprovalState state) {
  return kStates[static_cast<std::size_t>(state)];
}

std::optional<Reach> reach_from(std::string_view word) {
  if (word == "session") return Reach::Session;
  if (word == "agent") return Reach::Agent;
  if (word == "host") return Reach::Host;
  return std::nullopt;
}

std::unique_ptr<ApprovalStore> approvals_in(Sqlite& database, const Clock& clock,
                                            std::chrono::milliseconds keep) {
  return std::make_unique<SqliteApprovalStore>(database, clock, keep);
}

}  // namespace host::store
