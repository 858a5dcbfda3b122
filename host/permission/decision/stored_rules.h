// Rules that a reviewer's "always" stored. A record has the suggested rule, and says separately to
// whose calls the rule applies. Any thread.
#pragma once

#include <string>
#include <vector>

#include "permission/decision/rulebook.h"
#include "store/part/rule_store.h"

namespace host::permission {

// The rule, with the callers and the source of its record. InvalidArgument: the record has no valid
// rule.
Result<OwnedRule> read_stored_rule(const store::RuleRecord& record);

// The calls to which a rule applies: "session S", "principal P as agent A", "agent A", "all calls".
std::string whose(const OwnedRule& rule);

// The body of GET /v1/rules and `toolpost rules --json`:
//   {"configured": [RULE, ...], "rules": [STORED, ...]}
//   RULE    as write() gives it, with "agent" for a rule of an agent
//   STORED  "id", "rule": RULE, "source", "principal", "agent", "session", "created"; "rule" is
//           null if the record has no valid rule
std::string rules_json(const std::vector<OwnedRule>& configured,
                       const std::vector<store::RuleRecord>& stored);
// [STORED, ...]
std::string stored_rules_json(const std::vector<store::RuleRecord>& stored);

}  // namespace host::permission
