// Reads and writes permission rules that were stored because a reviewer chose "always" for a call.
// A stored record contains the rule as it was suggested to the reviewer. Separate members of the
// stored record say to whose calls the rule applies. Any thread can call the functions of this
// header.
#pragma once

#include <string>
#include <vector>

#include "permission/decision/rulebook.h"
#include "store/part/rule_store.h"

namespace host::permission {

// Converts a record of the store into a rule. The Error InvalidArgument means that the record
// contains no valid rule.
Result<OwnedRule> read_stored_rule(const store::RuleRecord& record);

// Returns a text about the calls to which a rule applies, such as "session S", "principal P as
// agent A", "agent A" or "all calls".
std::string whose(const OwnedRule& rule);

// Returns the body of GET /v1/rules, which `toolpost rules --json` also prints. The array
// "configured" contains the rules of the configuration, in the form that write() writes. A rule of
// an agent also has the member "agent". The array "rules" contains the stored rules with their
// "id", "rule", "source", "principal", "agent", "session" and "created". The member "rule" is null
// if the stored record contains no valid rule.
std::string rules_json(const std::vector<OwnedRule>& configured,
                       const std::vector<store::RuleRecord>& stored);
std::string stored_rules_json(const std::vector<store::RuleRecord>& stored);

}  // namespace host::permission
