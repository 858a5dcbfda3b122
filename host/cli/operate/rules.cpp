// `toolpost rules`: what is allowed, asked or denied without a person's look: by the configuration,
// and by people who said "always". It speaks to the store, not to the host.
#include <iostream>

#include "cli/access/open_store.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "cli/output/noted.h"
#include "cli/output/table.h"
#include "permission/decision/stored_rules.h"

namespace host::cli {
namespace {

using permission::OwnedRule;
using permission::Rule;
using store::RuleRecord;

Result<std::vector<RuleRecord>> stored_rules(const config::Config& config) {
  HOST_TRY_ASSIGN(const auto store, look_into_store(config));
  if (!store) return std::vector<RuleRecord>();
  return store->rules().list();
}

void print_rules(const std::vector<OwnedRule>& configured, const std::vector<RuleRecord>& stored) {
  Table table({"ID", "TOOL", "CONTENT", "SAYS", "FOR", "FROM"});
  const auto add = [&table](const std::string& id, const Rule& rule, const std::string& whom,
                            const std::string& source) {
    table.add({id, rule.tool, rule.content.value_or(""),
               std::string(permission::to_string(rule.behavior)), whom, source});
  };
  for (const OwnedRule& one : configured)
    add("-", one.rule, permission::whose(one), one.rule.source);
  for (const RuleRecord& one : stored) {
    const auto read = permission::read_stored_rule(one);
    if (read) add(one.id, read->rule, permission::whose(*read), one.source);
  }
  std::cout << (configured.empty() && stored.empty() ? "There are no rules.\n" : table.text());
}

int remove_rule(const CommandLine& line, const config::Config& config) {
  const auto store = open_store(config, "no rules are stored");
  if (!store) return complain(store.error());
  const auto removed = (*store)->rules().remove(line.name);
  if (!removed) return complain(removed.error());
  note(config, store::AuditEvent::Rule,
       {{"id", line.name},
        {"principal", removed->principal},
        {"agent", removed->agent},
        {"session", removed->session},
        {"by", who_answers()},
        {"outcome", "removed"}});
  std::cout << line.name << " is removed\n";
  return kExitOk;
}

}  // namespace

int rules(const CommandLine& line, const config::Config& config) {
  if (line.verb == Verb::RulesRemove) return remove_rule(line, config);
  const auto stored = stored_rules(config);
  if (!stored) return complain(stored.error());
  std::vector<OwnedRule> configured;
  if (line.has_operating_part_only) {
    Line(std::cerr) << "toolpost: warning: rules of the file are not listed; the running host uses "
                       "those that it read before";
  } else {
    configured = permission::configured_rules(config);
  }
  if (line.json) {
    std::cout << permission::rules_json(configured, *stored) << '\n';
  } else {
    print_rules(configured, *stored);
  }
  return kExitOk;
}

}  // namespace host::cli
