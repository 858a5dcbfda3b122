// What permission is asked about one call, and what it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "permission/decision/answers.h"
#include "permission/rule/rule_set.h"
#include "tool/standing.h"
#include "tool/tool.h"

namespace host::permission {

// What decided.
enum class Step : std::uint8_t {
  DenyRule,
  Internal,  // a tool that only the host may call: no human gate
  PreGate,   // a person confirms every call of a pre_ tool
  AskRule,
  AskAlways,  // auto_approve = false
  ReadOnly,
  ToolCheck,    // the tool's own check
  Safety,       // a dangerous path or command, or a safety ask of the tool's own check
  OwnTool,      // a tool of the host's own that allows itself
  WorkingDirs,  // accept_edits
  AllowRule,
  AutoApprove,  // auto_approve = true
  LastWord,     // nothing else did: the mode decides
};

std::string_view to_string(Step step);

// One line for each step that had something to say, for `toolpost explain`.
struct TraceLine {
  Step step;
  std::string said;
};
using Trace = std::vector<TraceLine>;

// What an agent profile, a session or a caller adds to the host's policy. Outlives the calls that
// use it.
struct Overlay {
  std::optional<Mode> mode;
  RuleSet rules;
  std::vector<std::string> working_dirs;  // absolute
};

struct Request {
  const tool::Declaration& tool;
  const tool::Standing standing;  // of that tool: what of its own word counts
  const json::Value& arguments;   // effective: presets in, a reviewer's edit in

  std::optional<bool> auto_approve;  // the operator's word on the tool's calls
  const Overlay* agent = nullptr;
  const Overlay* session = nullptr;  // its mode goes before the agent's, that before the host's
  const Overlay* caller = nullptr;   // of the principal as this agent: rules alone

  const Answers* answers = nullptr;  // nullptr: nothing was asked; see Needs
  Trace* trace = nullptr;            // nullptr: nobody wants to know
};

// Which of the tool's own functions to ask before decide(). Views into the engine and the overlays.
struct Needs {
  bool check_permissions = false;
  bool check_read_only = false;
  std::vector<std::string_view> match_rule;  // contents of rules

  bool any() const { return check_permissions || check_read_only || !match_rule.empty(); }
};

struct Decision {
  Behavior behavior = Behavior::Allow;
  Step step = Step::LastWord;
  bool safety =
      false;  // of an ask: no rule and no mode lifts it; of a deny: it would have been one
  bool from_mode = false;          // a deny that is an ask in a mode which never asks
  RulePtr rule;                    // the rule that decided, or null
  std::string message;             // for the model and for people
  std::string reason;              // why, in detail; may be empty
  std::vector<Rule> suggestions;   // with an ask, or where an ask became a deny
  bool wants_suggestions = false;  // the tool has generate_suggestions: ask it, see suggest()
  bool judged_to_read = false;     // this call only reads, whatever else speaks against it

  // Would an allow rule make this question unnecessary?
  bool rules_can_allow() const;
  // Somebody wrote that this is asked: a code alone does not answer it.
  bool is_by_ask_rule() const {
    return behavior == Behavior::Ask && (step == Step::AskRule || step == Step::AskAlways);
  }
  // Which rule or step decided, for the audit line: `rule config.toml:12`, `read_only`.
  std::string by() const;
};

// Puts the tool's own suggestions in place of the host's. Does nothing where it gave none.
void suggest(Decision& decision, std::optional<std::vector<Rule>> suggestions);

}  // namespace host::permission
