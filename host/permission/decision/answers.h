// What a tool's own functions say of one call, gathered before the engine decides. A function that
// failed, or whose answer is malformed, never makes a call easier: it counts as an ask.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "permission/rule/rule.h"
#include "tool/result.h"

namespace host::permission {

enum class Verdict { Passthrough, Allow, Ask, Deny };

struct CheckAnswer {
  Verdict verdict = Verdict::Passthrough;
  bool safety = false;  // an ask that holds in every mode
  std::string message;
  std::string reason;
  std::string cwd;  // absolute: where the call's command runs; empty: it does not say
};

enum class Match { No, Yes, Failed };

// The answer to match_rule for one content.
struct MatchAnswer {
  std::string content;
  Match match = Match::Failed;
};

struct Answers {
  std::optional<CheckAnswer> check;  // check_permissions
  std::vector<MatchAnswer> matches;  // match_rule, one for each content in Needs
  std::optional<bool> read_only;     // check_read_only
};

// Read what a function of the tool gave back. The shapes are those of toolpost/plugin.h.
CheckAnswer read_check(const Result<tool::CallResult>& result);
Match read_match(const Result<tool::CallResult>& result);
bool read_read_only(const Result<tool::CallResult>& result);
// Nothing where it failed: the host's own suggestions stand.
std::optional<std::vector<Rule>> read_suggestions(const Result<tool::CallResult>& result,
                                                  std::string_view tool);

// The functions' context: {"mode", "working_dirs"} and, for match_rule, "rule_content".
std::string context_text(Mode mode, std::span<const std::string> working_dirs,
                         const std::optional<std::string_view>& rule_content = {});

}  // namespace host::permission
