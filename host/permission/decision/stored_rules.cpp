#include "permission/decision/stored_rules.h"

#include "json/json.h"
#include "json/object_text.h"

namespace host::permission {
namespace {

std::string configured_json(const OwnedRule& one) {
  std::string out;
  write(one.rule, out);
  if (one.agent.empty()) return out;
  out.pop_back();
  json::add_text(out, "agent", one.agent);
  return out + "}";
}

std::string stored_json(const store::RuleRecord& record) {
  std::string rule = "null";
  if (const auto read = read_stored_rule(record)) {
    rule.clear();
    write(read->rule, rule);
  }
  std::string out = "{";
  json::add_text(out, "id", record.id);
  json::add_member(out, "rule", rule);
  json::add_text(out, "source", record.source);
  if (!record.principal.empty()) json::add_text(out, "principal", record.principal);
  if (!record.agent.empty()) json::add_text(out, "agent", record.agent);
  if (!record.session.empty()) json::add_text(out, "session", record.session);
  json::add_text(out, "created", to_rfc3339(record.created));
  return out + "}";
}

template <class Items, class AsJson>
std::string array_of(const Items& items, AsJson as_json) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ",\n";
    out += as_json(item);
  }
  return out + "]";
}

}  // namespace

Result<OwnedRule> read_stored_rule(const store::RuleRecord& record) {
  const auto tree = json::parse(record.rule);
  if (!tree) return Error(tree.error());
  HOST_TRY_ASSIGN(Rule rule, read_rule(tree->root()));
  rule.scope = !record.session.empty()     ? Scope::Session
               : !record.principal.empty() ? Scope::Principal
               : !record.agent.empty()     ? Scope::Agent
                                           : Scope::Host;
  rule.source = record.id + " (" + record.source + ")";
  rule.of_approval = true;
  return OwnedRule{std::move(rule), record.agent, record.session, record.principal};
}

std::string whose(const OwnedRule& rule) {
  if (!rule.session.empty()) return "session " + rule.session;
  const std::string agent = rule.agent.empty() ? std::string() : "agent " + rule.agent;
  if (rule.principal.empty()) return agent.empty() ? "all calls" : agent;
  return "principal " + rule.principal + (agent.empty() ? "" : " as " + agent);
}

std::string rules_json(const std::vector<OwnedRule>& configured,
                       const std::vector<store::RuleRecord>& stored) {
  return "{\"configured\":" + array_of(configured, configured_json) +
         ",\n\"rules\":" + stored_rules_json(stored) + "}";
}

std::string stored_rules_json(const std::vector<store::RuleRecord>& stored) {
  return array_of(stored, stored_json);
}

}  // namespace host::permission
