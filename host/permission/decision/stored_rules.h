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

// Returns the rule of a record, with the callers and the source from the record. The Error
// InvalidArgument means that the record contains no valid rule.
Result<OwnedRule> read_stored_rule(const store::RuleRecord& record);

// Returns a text about the calls to which a rule applies, such as "session S", "principal P as
// agent A", "agent A" or "all calls".
std::string whose(const OwnedRule& rule);

// Returns the body of GET /v1/rules and `toolpost rules --json`:
//   {"configured": [RULE, ...], "rules": [STORED, ...]}
//   RULE    has the form that write() writes, with "agent" for a rule of an agent
//   STORED "id", "rule": RULE, "source", "principal", "agent", "session", "created"; "rule" is null
//           if the record contains no valid rule
std::string rules_json(const std::vector<OwnedRule>& configured,
                       const std::vector<store::RuleRecord>& stored);
// Returns only the array [STORED, ...].
std::string stored_rules_json(const std::vector<store::RuleRecord>& stored);

}  // namespace host::permission
