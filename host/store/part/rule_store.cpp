#include "store/part/rule_store.h"

#include <utility>

#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

// How long the rules of a session that has ended are kept at least.
constexpr std::chrono::hours kKeepOfSessions{24 * 30};

#define RULE_COLUMNS "id, rule, source, created, agent, session, principal"

RuleRecord rule_in(Statement& row) {
  return {std::string(row.text(0)), std::string(row.text(1)), std::string(row.text(2)),
          time_of(row.number(3)),   std::string(row.text(4)), std::string(row.text(5)),
          std::string(row.text(6))};
}

class SqliteRuleStore final : public RuleStore {
 public:
  explicit SqliteRuleStore(Sqlite& database) : database_(database) {}

  Result<std::vector<RuleRecord>> list() override {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT " RULE_COLUMNS " FROM rule ORDER BY created, id"));
    std::vector<RuleRecord> rules;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return rules;
      rules.push_back(rule_in(rows));
    }
  }

  Result<RuleRecord> remove(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement forget, database_.prepare("DELETE FROM rule WHERE id = ?1 "
                                                        "RETURNING " RULE_COLUMNS));
    HOST_TRY_ASSIGN(const bool row, forget.bind(id).step());
    if (row) {
      RuleRecord removed = rule_in(forget);
      HOST_TRY(forget.step());  // to its end: then it is removed
      return removed;
    }
    return Error{ErrorKind::NotFound, "there is no stored rule \"" + std::string(id.substr(0, 80)) +
                                          "\": `toolpost rules` names them"};
  }

 private:
  Sqlite& database_;
};

}  // namespace

Result<void> insert_rule(Sqlite& database, const RuleRecord& rule) {
  HOST_TRY_ASSIGN(Statement put, database.prepare("INSERT INTO rule (" RULE_COLUMNS
                                                  ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  put.bind(rule.id).bind(rule.rule).bind(rule.source).bind(milliseconds_of(rule.created));
  HOST_TRY(put.bind(rule.agent).bind(rule.session).bind(rule.principal).run());
  HOST_TRY_ASSIGN(
      Statement forget,
      database.prepare(
          "DELETE FROM rule WHERE session <> '' AND created < ?1 AND " TP_SESSION_HAS_ENDED));
  return forget.bind(milliseconds_of(rule.created - kKeepOfSessions)).run();
}

std::unique_ptr<RuleStore> rules_in(Sqlite& database) {
  return std::make_unique<SqliteRuleStore>(database);
}

}  // namespace host::store
