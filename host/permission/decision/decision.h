// Defines the request that the host makes to the permission engine about one call, and the engine's
// decision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "permission/decision/answers.h"
#include "permission/decision/narrowing.h"
#include "permission/rule/rule_set.h"
#include "tool/definition/standing.h"
#include "tool/definition/tool.h"

namespace host::permission {

// The enumeration Step says which step of the permission engine decided about the call.
enum class Step : std::uint8_t {
  DenyRule,
  Internal,  // a tool that only the host may call: never needs approval
  PreGate,   // each call of a pre_ tool (a tool with the name pre_...) needs approval
  AskRule,
  AskAlways,  // auto_approve = false
  ReadOnly,
  ToolCheck,    // an answer of the tool's check function
  Safety,       // a dangerous path or command, or a safety "ask" of the tool's check
  OwnTool,      // a tool of the host that needs no approval
  WorkingDirs,  // accept_edits
  AllowRule,
  AutoApprove,  // auto_approve = true
  LastWord,     // no other step decided: the mode decides
};

std::string_view to_string(Step step);

// A TraceLine is the result of one step of the permission engine, for `toolpost explain`.
struct TraceLine {
  Step step;
  std::string said;
};
using Trace = std::vector<TraceLine>;

// An Overlay contains the rules and folders that an agent profile, a session or a caller adds to
// the host's policy. An Overlay must outlive the calls that use it.
struct Overlay {
  std::optional<Mode> mode;
  RuleSet rules;
  std::vector<std::string> working_dirs;  // absolute
};

struct Request {
  const tool::Declaration& tool;
  const tool::Standing standing;  // which claims of the tool are accepted
  const json::Value& arguments;   // the effective arguments, with presets and a reviewer's changes

  std::optional<bool> auto_approve;  // the operator's setting auto_approve for this tool
  const Overlay* agent = nullptr;
  // The mode of the session overrides the agent's mode, and the agent's mode overrides the host's.
  const Overlay* session = nullptr;
  const Overlay* caller = nullptr;  // rules for this principal and agent

  const Answers* answers = nullptr;  // nullptr: the host called no check function; see Needs
  Trace* trace = nullptr;            // nullptr: no trace

  std::optional<Narrowing> narrowing = {};  // restrictions by the session of the call
};

// The struct Needs lists the tool's check functions that the host must call before decide(). The
// texts in `match_rule` are valid only as long as the permission engine and the overlays of the
// request exist.
struct Needs {
  bool check_permissions = false;
  bool check_read_only = false;
  std::vector<std::string_view> match_rule;  // contents of rules

  bool any() const { return check_permissions || check_read_only || !match_rule.empty(); }
};

struct Decision {
  Behavior behavior = Behavior::Allow;
  Step step = Step::LastWord;
  // `safety` is true if the call needs approval regardless of the rules and the mode. `safety`
  // stays true if the mode dont_ask denies the call.
  bool safety = false;
  bool from_mode = false;          // true: denied because the mode dont_ask allows no approvals
  RulePtr rule;                    // the rule that decided, or null
  std::string message;             // a text for the model and for reviewers
  std::string reason;              // the detailed reason of the decision; may be empty
  std::vector<Rule> suggestions;   // suggested rules for an ask, also if the mode made it a deny
  bool wants_suggestions = false;  // true: call the tool's generate_suggestions, then suggest()
  bool judged_to_read = false;     // the call only reads, regardless of the step that decided

  // Returns true if an allow rule would make the approval of this call unnecessary.
  bool rules_can_allow() const;
  // Returns true if a configured rule or setting asks for approval. If is_by_ask_rule() is true, a
  // one-time code alone is not enough for the call.
  bool is_by_ask_rule() const {
    return behavior == Behavior::Ask && (step == Step::AskRule || step == Step::AskAlways);
  }
  // Returns the rule or step that decided, as in the audit log, for example `rule config.toml:12`
  // or `read_only`.
  std::string by() const;
};

// Replaces the rules that the host suggests by the rules that the tool suggests (`suggestions`),
// unless `suggestions` is empty.
void suggest(Decision& decision, std::optional<std::vector<Rule>> suggestions);

}  // namespace host::permission
