// Runs the steps that decide about one call, in their order. If a step does not decide about the
// call, the next step runs. A Policy object is made for one call of decide().
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "permission/decision/decision.h"
#include "permission/decision/engine.h"
#include "permission/decision/facts.h"

namespace host::permission {

class Policy {
 public:
  Policy(const Engine& engine, const Request& request);

  Decision decide();
  Decision decide_post();
  Needs needs() const;

 private:
  // The functions below are the steps of the decision, in their order. A step that decides about
  // the call sets decision_ and returns true.
  bool by_deny_rules();
  bool by_explore_gate();
  bool by_ask_rules();
  bool by_gate();
  bool by_read_only();
  bool by_explore();
  bool by_check();
  bool by_safety();
  bool by_own_tool();
  bool by_working_dirs();
  bool by_allow_rules();
  void by_last_word();

  bool allow(Step step, std::string_view message, RulePtr rule = nullptr);
  bool deny(Step step, std::string message, std::string reason, RulePtr rule = nullptr);
  // Decides that the call needs approval. In the mode dont_ask, a call that needs approval is
  // denied, and the decision keeps its suggestions.
  bool ask(Step step, std::string reason, RulePtr rule = nullptr);
  void fill_safety(Step step, std::string& reason);

  void note(Step step, std::string_view said) {
    if (request_.trace != nullptr) request_.trace->push_back({step, std::string(said)});
  }
  void note_rule(Step step, const Rule& rule, std::string_view said);

  std::string trust_words() const;

  bool is_gated() const;  // a pre_ tool, unless the operator disabled its approval
  bool asks_always() const { return request_.auto_approve == false; }
  bool passes_asks() const { return request_.auto_approve == true; }
  const CheckAnswer* check() const {
    return request_.answers != nullptr && request_.answers->check ? &*request_.answers->check
                                                                  : nullptr;
  }
  const CheckAnswer& check_or_failure() const;

  const Engine& engine_;
  const Request& request_;
  const Mode mode_;
  const tool::Class class_;
  // `rules_` contains the rules of the host, the agent, the session and the caller. A null pointer
  // means that the host, the agent, the session or the caller has no rules.
  std::array<const ToolRules*, 4> rules_{};
  Facts facts_;
  Decision decision_;
};

}  // namespace host::permission
