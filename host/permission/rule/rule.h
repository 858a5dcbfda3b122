// Defines permission modes, behaviours of rules, and rules. A rule decides about the calls of one
// tool, or only about calls whose arguments match its content. The `source` of a rule says where
// the rule is from, and has no effect on decisions.
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

// The enumeration Scope says to which calls a rule applies: all calls of the host, or only calls of
// an agent, a principal or a session.
enum class Scope { Session, Principal, Agent, Host };

struct Rule {
  std::string tool;                    // the exact name
  std::optional<std::string> content;  // nullopt or empty: the rule matches every call
  Behavior behavior = Behavior::Ask;
  Scope scope = Scope::Host;
  std::string source;        // where it is from: "config.toml:12", "suggested", a reviewer
  bool of_approval = false;  // stored because a reviewer chose "always"

  bool whole_tool() const { return !content || content->empty(); }
  bool operator==(const Rule&) const = default;
};

// The functions ignore letter case. For an unknown word, the returned Error lists the known words.
Result<Mode> parse_mode(std::string_view text);
Result<Behavior> parse_behavior(std::string_view text);
Result<Scope> parse_scope(std::string_view text);

std::string_view to_string(Mode mode);          // default, accept_edits, explore, bypass, dont_ask
std::string_view to_string(Behavior behavior);  // allow, ask, deny
std::string_view to_string(Scope scope);        // session, principal, agent, host

std::vector<Rule> rules_of(const std::vector<config::Rule>& rules, Scope scope);

// Writes a rule as {"tool", "content": text or null, "behavior", "scope", "source"}.
void write(const Rule& rule, std::string& append_to);
// Reads a rule in the form that write() writes. `content`, `scope` (default: session) and `source`
// (default: empty) can be absent. If the JSON object has an unknown member, the function returns an
// Error.
Result<Rule> read_rule(const json::Value& value);

// Returns a short text, `TOOL(CONTENT)`, or the tool's name if the rule has no content.
std::string describe(const Rule& rule);

}  // namespace host::permission
