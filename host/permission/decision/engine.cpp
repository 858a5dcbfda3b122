#include "permission/decision/engine.h"

#include <array>
#include <utility>

#include "permission/decision/policy.h"

namespace host::permission {
namespace {

constexpr std::array<std::string_view, 13> kSteps = {
    "deny_rule",  "internal",     "pre_gate", "ask_rule", "ask_always",
    "read_only",  "tool_check",   "safety",   "own_tool", "working_dirs",
    "allow_rule", "auto_approve", "mode"};
static_assert(kSteps.size() == static_cast<std::size_t>(Step::LastWord) + 1);

}  // namespace

std::string_view to_string(Step step) {
  return kSteps[static_cast<std::size_t>(step)];
}

bool Decision::rules_can_allow() const {
  return !safety && step != Step::PreGate && step != Step::AskAlways && step != Step::AskRule &&
         step != Step::DenyRule;
}

std::string Decision::by() const {
  if (rule != nullptr) return "rule " + (rule->source.empty() ? describe(*rule) : rule->source);
  return std::string(to_string(step));
}

void suggest(Decision& decision, std::optional<std::vector<Rule>> suggestions) {
  decision.wants_suggestions = false;
  if (suggestions) decision.suggestions = std::move(*suggestions);
}

Settings settings_of(const config::Permission& permission, Place place) {
  Settings settings;
  settings.mode = permission.mode;
  settings.rules = rules_of(permission.rules, Scope::Host);
  for (const auto& folder : permission.working_dirs) {
    settings.working_dirs.push_back(absolute_path(folder.native(), place));
  }
  settings.dangerous_paths = permission.dangerous_paths;
  settings.place = std::move(place);
  return settings;
}

Engine::Engine(Settings settings)
    : mode_(settings.mode),
      rules_(std::move(settings.rules)),
      working_dirs_(std::move(settings.working_dirs)),
      dangerous_(settings.dangerous_paths),
      place_(std::move(settings.place)) {}

RulePtr Engine::denial_by_name(std::string_view tool) const {
  const ToolRules* rules = rules_.find(tool);
  return rules != nullptr ? rules->denied : nullptr;
}

Needs Engine::needs(const Request& request) const {
  return Policy(*this, request).needs();
}
Decision Engine::decide(const Request& request) const {
  return Policy(*this, request).decide();
}
std::optional<Decision> Engine::decide_without_answers(const Request& request) const {
  Policy policy(*this, request);
  if (policy.needs().any()) return std::nullopt;
  return policy.decide();
}
Decision Engine::decide_post(const Request& request) const {
  return Policy(*this, request).decide_post();
}

Mode Engine::mode(const Request& request) const {
  const Mode mode = mode_without_session(request);
  if (!request.narrowing || !request.narrowing->mode) return mode;
  return stricter(mode, *request.narrowing->mode);
}

Mode Engine::mode_without_session(const Request& request) const {
  if (request.session != nullptr && request.session->mode) return *request.session->mode;
  if (request.agent != nullptr && request.agent->mode) return *request.agent->mode;
  return mode_;
}

std::vector<std::string> Engine::working_dirs(const Request& request) const {
  std::vector<std::string> folders = working_dirs_;
  for (const Overlay* overlay : {request.agent, request.session}) {
    if (overlay == nullptr) continue;
    folders.insert(folders.end(), overlay->working_dirs.begin(), overlay->working_dirs.end());
  }
  if (!request.narrowing || !request.narrowing->working_dirs) return folders;
  return inside(*request.narrowing->working_dirs, folders);
}

}  // namespace host::permission
