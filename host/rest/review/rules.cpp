#include "rest/review/rules.h"

#include "permission/decision/stored_rules.h"
#include "transport/http/json_answer.h"

namespace host::rest {

awaitable<void> RuleRoutes::list(const Asked& asked) {
  if (answers_head(asked)) co_return;
  std::vector<store::RuleRecord> rules;
  if (services_.approvals) {
    auto found = co_await services_.approvals->rules();
    if (!found) co_return transport::answer_error(asked.exchange, found.error());
    rules = *std::move(found);
  }
  transport::answer_json(asked.exchange, 200, permission::rules_json(services_.rules, rules));
}

awaitable<void> RuleRoutes::remove(const Asked& asked) {
  if (!services_.approvals) {
    co_return transport::answer_error(asked.exchange, transport::Problem::NotFound,
                                      "this host keeps no rules: store.file is empty");
  }
  const auto removed = co_await services_.approvals->remove_rule(asked.id());
  if (!removed) co_return transport::answer_error(asked.exchange, removed.error());
  services_.audit.note(store::AuditEvent::Rule, {{"id", asked.id()},
                                                 {"principal", removed->principal},
                                                 {"agent", removed->agent},
                                                 {"session", removed->session},
                                                 {"by", way_of(asked)},
                                                 {"outcome", "removed"}});
  asked.exchange.respond(204, {}, {}, {});
}

}  // namespace host::rest
