// Reads the answers that a tool's own check functions give about one call. The host collects the
// answers of the check functions before the permission engine decides. If a check function fails or
// its answer is malformed, the host treats this as the answer "ask" (the call needs approval).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "permission/rule/rule.h"
#include "tool/call/result.h"

namespace host::permission {

enum class Verdict { Passthrough, Allow, Ask, Deny };

struct CheckAnswer {
  Verdict verdict = Verdict::Passthrough;
  bool safety = false;  // true: an Ask that applies in every mode
  std::string message;
  std::string reason;
  std::string cwd;  // the absolute folder in which the call's command runs; empty: unknown
};

enum class Match { No, Yes, Failed };

// A MatchAnswer is the answer of the tool's function match_rule: whether the call matches the
// content of one rule.
struct MatchAnswer {
  std::string content;
  Match match = Match::Failed;
};

struct Answers {
  std::optional<CheckAnswer> check;  // check_permissions
  std::vector<MatchAnswer> matches;  // match_rule's answers, one for each content in Needs
  std::optional<bool> read_only;     // check_read_only
};

// read_check(), read_match() and read_read_only() read the answer of a check function.
// toolpost/plugin.h describes the form of the answers.
CheckAnswer read_check(const Result<tool::CallResult>& result);
Match read_match(const Result<tool::CallResult>& result);
bool read_read_only(const Result<tool::CallResult>& result);
// Returns nullopt if the tool's function failed or its answer is malformed. If the result is
// nullopt, the host itself suggests rules.
std::optional<std::vector<Rule>> read_suggestions(const Result<tool::CallResult>& result,
                                                  std::string_view tool);

// Returns the context that the check functions get: {"mode", "working_dirs"} and, for match_rule,
// "rule_content".
std::string context_text(Mode mode, std::span<const std::string> working_dirs,
                         const std::optional<std::string_view>& rule_content = {});

}  // namespace host::permission
