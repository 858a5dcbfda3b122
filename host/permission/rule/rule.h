// The words of permission: modes, behaviours, rules. A rule says what to do with calls of one tool,
// or with those whose arguments fit its content; where it came from changes nothing about what it
// does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/config.h"
#include "json/json.h"

namespace host::permission {

using Mode = config::PermissionMode;
using Behavior = config::Behavior;

// How far a rule reaches.
enum class Scope { Session, Principal, Agent, Host };

struct Rule {
  std::string tool;                    // the exact name
  std::optional<std::string> content;  // none or empty: every call of the tool
  Behavior behavior = Behavior::Ask;
  Scope scope = Scope::Host;
  std::string source;        // for people: "config.toml:12", "suggested", who said "always"
  bool of_approval = false;  // somebody's "always" stored it

  bool whole_tool() const { return !content || content->empty(); }
  bool operator==(const Rule&) const = default;
};

// Letter case does not matter; an unknown word is an error that lists the known ones.
Result<Mode> parse_mode(std::string_view text);
Result<Behavior> parse_behavior(std::string_view text);
Result<Scope> parse_scope(std::string_view text);

std::string_view to_string(Mode mode);          // default, accept_edits, explore, bypass, dont_ask
std::string_view to_string(Behavior behavior);  // allow, ask, deny
std::string_view to_string(Scope scope);        // session, principal, agent, host

std::vector<Rule> rules_of(const std::vector<config::Rule>& rules, Scope scope);

// {"tool", "content": text or null, "behavior", "scope", "source"}
void write(const Rule& rule, std::string& append_to);
// `content`, `scope` (session) and `source` (empty) may be absent; unknown members are refused.
Result<Rule> read_rule(const json::Value& value);

// `git:*` or the tool's name, as a person would name the rule.
std::string describe(const Rule& rule);

}  // namespace host::permission
