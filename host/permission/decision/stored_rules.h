// Rules that a reviewer's "always" stored. The record says for whom a rule is; the rule in it is as
// it was suggested, before anybody said that. Any thread.
#pragma once

#include <string>
#include <vector>

#include "permission/decision/rulebook.h"
#include "store/rule_store.h"

namespace host::permission {

// The rule with the reach and the source of its record. InvalidArgument: the record has no rule.
Result<OwnedRule> read_stored_rule(const store::RuleRecord& record);

// For whose calls it holds: "session S", "principal P as agent A", "agent A", "all calls".
std::string whose(const OwnedRule& rule);

// Of GET /v1/rules and `toolpost rules --json`: {"configured": [RULE, ...], "rules": [STORED,
// ...]}. RULE: as write() gives it, and "agent" where it is one's. STORED: "id", "rule": RULE,
// "source", "principal", "agent", "session", "created"; "rule" is null where the record has none
// that is valid.
std::string rules_json(const std::vector<OwnedRule>& configured,
                       const std::vector<store::RuleRecord>& stored);
// [STORED, ...]
std::string stored_rules_json(const std::vector<store::RuleRecord>& stored);

}  // namespace host::permission
