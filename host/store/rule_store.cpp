#include "store/rule_store.h"

#include <utility>

#include "store/columns.h"
#include "store/sqlite_parts.h"

namespace host::store {
namespace {

constexpr std::chrono::hours kKeepOfSessions{24 * 30};

class SqliteRuleStore final : public RuleStore {
 public:
  explicit SqliteRuleStore(Sqlite& database) : database_(database) {}

  Result<std::vector<RuleRecord>> list() override {
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT id, rule, source, created, agent, session, principal FROM "
                          "rule ORDER BY "
                          "created, id"));
    std::vector<RuleRecord> rules;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return rules;
      rules.push_back({std::string(rows.text(0)), std::string(rows.text(1)),
                       std::string(rows.text(2)), time_of(rows.number(3)),
                       std::string(rows.text(4)), std::string(rows.text(5)),
                       std::string(rows.text(6))});
    }
  }

  Result<void> remove(std::string_view id) override {
    HOST_TRY_ASSIGN(Statement forget, database_.prepare("DELETE FROM rule WHERE id = ?1"));
    HOST_TRY(forget.bind(id).run());
    if (database_.changes() == 1) return {};
    return Error{ErrorKind::NotFound, "there is no stored rule \"" + std::string(id.substr(0, 80)) +
                                          "\": `toolpost rules` names them"};
  }

 private:
  Sqlite& database_;
};

}  // namespace

Result<void> insert_rule(Sqlite& database, const RuleRecord& rule) {
  HOST_TRY_ASSIGN(Statement put,
                  database.prepare("INSERT INTO rule (id, rule, source, created, agent, "
                                   "session, principal) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  put.bind(rule.id).bind(rule.rule).bind(rule.source).bind(milliseconds_of(rule.created));
  HOST_TRY(put.bind(rule.agent).bind(rule.session).bind(rule.principal).run());
  HOST_TRY_ASSIGN(Statement forget,
                  database.prepare("DELETE FROM rule WHERE session <> '' AND created < ?1"));
  return forget.bind(milliseconds_of(rule.created - kKeepOfSessions)).run();
}

std::unique_ptr<RuleStore> rules_in(Sqlite& database) {
  return std::make_unique<SqliteRuleStore>(database);
}

}  // namespace host::store
