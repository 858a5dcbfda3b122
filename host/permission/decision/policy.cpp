#include "permission/decision/policy.h"

#include <algorithm>
#include <utility>

namespace host::permission {
namespace {

std::string in_quotes(std::string_view tool) {
  return "\"" + std::string(tool) + "\"";
}

std::string rule_reason(const Rule& rule) {
  std::string reason = "rule: " + describe(rule);
  if (!rule.source.empty()) reason += " (" + rule.source + ")";
  return reason;
}

// The first rule that matches the call, or otherwise the first whose match failed.
struct Touch {
  RulePtr rule;
  bool failed = false;
};

Touch find_touch(const std::array<const ToolRules*, 4>& layers,
                 std::vector<RulePtr> ToolRules::*list, Facts& facts) {
  Touch touch;
  for (const ToolRules* rules : layers) {
    if (rules == nullptr) continue;
    for (const RulePtr& rule : rules->*list) {
      const Match match = facts.touched_by(*rule);
      if (match == Match::Yes) return {rule, false};
      if (match == Match::Failed && touch.rule == nullptr) touch = {rule, true};
    }
  }
  return touch;
}

}  // namespace

Policy::Policy(const Engine& engine, const Request& request)
    : engine_(engine),
      request_(request),
      mode_(engine.mode(request)),
      class_(tool::classify(request.tool.name)),
      facts_(request, engine.dangerous_, engine.place_) {
  const std::string& name = request.tool.name;
  rules_[0] = engine.rules_.find(name);
  if (request.agent != nullptr) rules_[1] = request.agent->rules.find(name);
  if (request.session != nullptr) rules_[2] = request.session->rules.find(name);
  if (request.caller != nullptr) rules_[3] = request.caller->rules.find(name);
}

Decision Policy::decide() {
  const bool decided = by_deny_rules() || by_explore_gate() || by_ask_rules() || by_gate() ||
                       by_read_only() || by_explore() || by_check() || by_safety() ||
                       by_own_tool() || by_working_dirs() || by_allow_rules();
  if (!decided) by_last_word();
  decision_.judged_to_read = decision_.behavior != Behavior::Deny && facts_.is_judged_to_read();
  return std::move(decision_);
}

Decision Policy::decide_post() {
  if (!by_deny_rules()) allow(Step::Internal, "deny rules");
  return std::move(decision_);
}

bool Policy::by_deny_rules() {
  Touch touch = find_touch(rules_, &ToolRules::deny, facts_);
  if (touch.rule == nullptr) {
    note(Step::DenyRule, "none fits");
    if (class_ == tool::Class::Internal) return allow(Step::Internal, "internal");
    return false;
  }
  note_rule(Step::DenyRule, *touch.rule, touch.failed ? "could not be matched" : "fits");
  // It is unknown whether the rule matches, so the call needs approval, unless it is of a class
  // that never does.
  if (touch.failed && class_ != tool::Class::Internal && class_ != tool::Class::Post) {
    return ask(Step::DenyRule, rule_reason(*touch.rule) + " could not be matched", touch.rule);
  }
  return deny(Step::DenyRule, in_quotes(request_.tool.name) + " has been denied by a rule",
              rule_reason(*touch.rule), touch.rule);
}

// In the mode explore there are no approvals.
bool Policy::by_explore_gate() {
  if (mode_ != Mode::Explore || !is_gated()) return false;
  return deny(
      Step::PreGate,
      in_quotes(request_.tool.name) + " needs a person's yes, which explore mode does not ask for",
      "mode: explore");
}

bool Policy::by_ask_rules() {
  Touch touch = find_touch(rules_, &ToolRules::ask, facts_);
  if (touch.rule == nullptr) {
    note(Step::AskRule, "none fits");
    return false;
  }
  note_rule(Step::AskRule, *touch.rule, touch.failed ? "could not be matched" : "fits");
  if (passes_asks()) {
    note(Step::AutoApprove, "auto_approve = true passes the question");
    return false;
  }
  return ask(Step::AskRule, rule_reason(*touch.rule), touch.rule);
}

// Calls that always need approval: no claim to only read, no check of the tool, no allow rule and
// not even the mode bypass skips it. Only denials come before.
bool Policy::by_gate() {
  const bool gated = is_gated();
  if (!gated && !asks_always()) return false;
  if (mode_ == Mode::Explore && !facts_.is_read_only() &&
      request_.standing.own_yes != tool::OwnYes::Always) {
    return by_explore();
  }
  const CheckAnswer& own = check_or_failure();
  if (own.verdict == Verdict::Deny) return by_check();
  return gated ? ask(Step::PreGate, "a person confirms every call of a pre_ tool")
               : ask(Step::AskAlways, "auto_approve = false: every call is asked");
}

bool Policy::by_read_only() {
  if (!facts_.is_read_only()) {
    note(Step::ReadOnly, request_.tool.may_only_read
                             ? "this call is not read-only"
                             : "that it only reads is not believed: " + trust_words());
    return false;
  }
  return allow(Step::ReadOnly, "read-only");
}

bool Policy::by_explore() {
  if (mode_ != Mode::Explore) return false;
  if (request_.standing.own_yes == tool::OwnYes::Always) return allow(Step::OwnTool, "own tool");
  return deny(Step::LastWord, in_quotes(request_.tool.name) + " is not allowed in explore mode",
              facts_.danger().empty() ? "mode: explore allows only what is read-only"
                                      : "mode: explore; " + facts_.danger());
}

bool Policy::by_check() {
  const CheckAnswer& own = check_or_failure();
  if (own.verdict != Verdict::Deny) return false;
  std::string message = in_quotes(request_.tool.name) + " has been denied by its own check";
  if (!own.message.empty()) message += ": " + own.message;
  return deny(Step::ToolCheck, std::move(message), own.reason);
}

bool Policy::by_safety() {
  const CheckAnswer& own = check_or_failure();
  const bool own_safety = own.verdict == Verdict::Ask && own.safety;
  if (facts_.danger().empty() && !own_safety) {
    note(Step::Safety, "nothing dangerous");
    return false;
  }
  return ask(Step::Safety, "");
}

bool Policy::by_own_tool() {
  const tool::OwnYes own_yes = request_.standing.own_yes;
  if (own_yes == tool::OwnYes::Always || own_yes == tool::OwnYes::NotInExplore)
    return allow(Step::OwnTool, "own tool");
  const CheckAnswer* own = check();
  if (own == nullptr || !request_.tool.has_check_permissions) return false;
  if (own->verdict != Verdict::Allow) {
    note(Step::ToolCheck, own->verdict == Verdict::Ask ? "asks" : "passes on");
    return false;
  }
  if (own_yes == tool::OwnYes::ByCheck) return allow(Step::ToolCheck, "own check");
  note(Step::ToolCheck, "its own check allows it, which is not believed: " + trust_words());
  return false;
}

bool Policy::by_working_dirs() {
  if (mode_ != Mode::AcceptEdits) return false;
  if (!facts_.edits_only_inside(engine_.working_dirs(request_))) {
    note(Step::WorkingDirs, "not an edit inside the working directories");
    return false;
  }
  return allow(Step::WorkingDirs, "accept_edits");
}

bool Policy::by_allow_rules() {
  for (const ToolRules* rules : rules_) {
    if (rules == nullptr || rules->allow.empty()) continue;
    if (RulePtr rule = facts_.allowed_by(rules->allow)) {
      return allow(Step::AllowRule, "allow rule", std::move(rule));
    }
  }
  note(Step::AllowRule, "none fits");
  return false;
}

void Policy::by_last_word() {
  if (mode_ == Mode::Bypass) {
    allow(Step::LastWord, "bypass mode");
  } else if (passes_asks()) {
    allow(Step::AutoApprove, "auto_approve");
  } else {
    const CheckAnswer* own = check();
    const bool asked = own != nullptr && own->verdict == Verdict::Ask;
    std::string reason =
        asked && !own->reason.empty() ? own->reason : "mode: " + std::string(to_string(mode_));
    if (!facts_.danger_below().empty()) reason += "; " + facts_.danger_below();
    ask(asked ? Step::ToolCheck : Step::LastWord, std::move(reason));
  }
}

bool Policy::allow(Step step, std::string_view message, RulePtr rule) {
  if (rule != nullptr) note_rule(step, *rule, "fits");
  note(step, "allows");
  decision_.behavior = Behavior::Allow;
  decision_.step = step;
  decision_.message = message;
  decision_.rule = std::move(rule);
  return true;
}

bool Policy::deny(Step step, std::string message, std::string reason, RulePtr rule) {
  note(step, "denies: " + (reason.empty() ? message : reason));
  decision_.behavior = Behavior::Deny;
  decision_.step = step;
  decision_.message = std::move(message);
  decision_.reason = std::move(reason);
  decision_.rule = std::move(rule);
  return true;
}

bool Policy::ask(Step step, std::string reason, RulePtr rule) {
  fill_safety(step, reason);
  const bool never = mode_ == Mode::DontAsk;
  note(step, "asks: " + reason);
  if (never) note(Step::LastWord, "dont_ask turns the question into a no");
  const CheckAnswer* own = check();
  std::string message = never ? in_quotes(request_.tool.name) +
                                    " needs a person's yes, which dont_ask mode does not ask for"
                              : "permission required for " + in_quotes(request_.tool.name);
  if (own != nullptr && own->verdict == Verdict::Ask && !own->message.empty()) {
    message += ": " + own->message;
  }
  decision_.behavior = never ? Behavior::Deny : Behavior::Ask;
  decision_.from_mode = never;
  decision_.step = step;
  decision_.rule = std::move(rule);
  decision_.message = std::move(message);
  decision_.reason = std::move(reason);
  decision_.suggestions = facts_.suggestions();
  // They are in the form of its own match_rule, so they are useless if that is not trusted.
  decision_.wants_suggestions =
      request_.tool.has_generate_suggestions && request_.standing.own_match;
  return true;
}

// Whichever step asked, the reviewer should also see the danger.
void Policy::fill_safety(Step step, std::string& reason) {
  const auto add = [&](std::string_view why) {
    decision_.safety = true;
    if (why.empty()) return;
    reason.append(reason.empty() ? "safety: " : "; safety: ").append(why);
  };
  if (!facts_.danger().empty()) add(facts_.danger());
  // Only if the check could have been called: a check that was not called is not a danger.
  const CheckAnswer* own = step == Step::Safety ? &check_or_failure() : check();
  if (own != nullptr && own->verdict == Verdict::Ask && own->safety) {
    add(!own->reason.empty() ? own->reason : own->message);
  }
  if (decision_.safety && reason.empty()) reason = "safety: the tool's own check asks";
}

// The key of config.toml that decided it.
std::string Policy::trust_words() const {
  if (!request_.tool.may_only_read && request_.standing.trust != config::Trust::None)
    return "read_only = false";
  return "trust = \"" + std::string(tool::to_string(request_.standing.trust)) + "\"";
}

void Policy::note_rule(Step step, const Rule& rule, std::string_view said) {
  if (request_.trace == nullptr) return;
  note(step,
       std::string(to_string(rule.behavior)) + " " + rule_reason(rule) + " " + std::string(said));
}

bool Policy::is_gated() const {
  return class_ == tool::Class::Pre && !passes_asks();
}

// A check that the tool has but that was not called is treated as failed.
const CheckAnswer& Policy::check_or_failure() const {
  static const CheckAnswer kNone;
  static const CheckAnswer kNotAsked{Verdict::Ask, true,
                                     "the tool's own permission check was not asked", "", ""};
  if (!request_.tool.has_check_permissions) return kNone;
  const CheckAnswer* own = check();
  return own != nullptr ? *own : kNotAsked;
}

Needs Policy::needs() const {
  Needs needs;
  const tool::Declaration& tool = request_.tool;
  for (const ToolRules* rules : rules_) {
    if (rules != nullptr && rules->denied != nullptr) return needs;
  }
  if (tool.has_match_rule) {
    for (const ToolRules* rules : rules_) {
      if (rules == nullptr) continue;
      for (const auto* list : {&rules->deny, &rules->ask, &rules->allow}) {
        for (const RulePtr& rule : *list) {
          if (rule->whole_tool()) continue;
          const std::string_view content = *rule->content;
          auto& wanted = needs.match_rule;
          if (std::find(wanted.begin(), wanted.end(), content) == wanted.end()) {
            wanted.push_back(content);
          }
        }
      }
    }
  }
  if (class_ == tool::Class::Internal || class_ == tool::Class::Post) return needs;
  needs.check_read_only = request_.standing.reads == tool::Reads::ByCheck;
  // A tool that only reads with any arguments is allowed before its own check.
  const bool surely_read_only = request_.standing.reads == tool::Reads::Always &&
                                tool.path_args.empty() && tool.command_arg.empty() && !is_gated() &&
                                !asks_always();
  needs.check_permissions = tool.has_check_permissions && !surely_read_only;
  return needs;
}

}  // namespace host::permission
