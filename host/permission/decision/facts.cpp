#include "permission/decision/facts.h"

#include <algorithm>
#include <memory>

#include "permission/decision/rule_review.h"
#include "permission/path/path_rules.h"

namespace host::permission {
namespace {

constexpr std::size_t kMaxPaths = 1024;     // each costs system calls
constexpr std::size_t kMaxPathsBeside = 4;  // with a command, which is parsed again for each path

Rule suggested(std::string_view tool, std::optional<std::string> content) {
  return {std::string(tool), std::move(content), Behavior::Allow, Scope::Session, "suggested"};
}

}  // namespace

bool Facts::is_read_only() {
  return is_judged_to_read() && danger().empty() && danger_below().empty();
}

const std::string& Facts::danger_below() {
  if (danger_below_) return *danger_below_;
  danger_below_.emplace();
  if (!has_command() || !is_judged_to_read()) return *danger_below_;
  for (const shell::Command& each : commands()) {
    if (auto found = each.danger_below(dangerous_, request_.tool.dangerous_paths))
      danger_below_ = std::move(*found);
  }
  return *danger_below_;
}

bool Facts::is_judged_to_read() {
  if (request_.standing.reads == tool::Reads::Never) return false;
  if (request_.standing.reads == tool::Reads::ByCheck && !says_it_reads()) return false;
  // For a shell command the host decides itself, and the tool can only be stricter. A relative path
  // could be a link to anything if its base folder is unknown.
  return !has_command() || (command_is_placed() && command_is_read_only());
}

bool Facts::says_it_reads() const {
  return request_.standing.reads == tool::Reads::ByCheck && request_.answers != nullptr &&
         request_.answers->read_only == true;
}

std::string_view Facts::told_cwd() const {
  if (request_.answers == nullptr || !request_.answers->check) return {};
  return request_.answers->check->cwd;
}

bool Facts::command_is_placed() {
  return !told_cwd().empty() || !paths().empty() || !command().names_relative_paths();
}

bool Facts::command_is_read_only() {
  return std::all_of(commands().begin(), commands().end(),
                     [](const shell::Command& each) { return each.is_read_only(); }) &&
         !bad_command_;
}

const std::string& Facts::danger() {
  if (!danger_) danger_ = find_danger();
  return *danger_;
}

std::string Facts::find_danger() {
  const std::vector<std::string>& extra = request_.tool.dangerous_paths;
  if (has_command()) {
    for (const shell::Command& each : commands()) {
      if (bad_command_) return "the command is no text";
      if (auto found = each.danger(dangerous_, extra)) return std::move(*found);
    }
  }
  if (!has_paths()) return {};
  for (const std::string_view path : paths()) {
    if (auto entry = dangerous_.find(path, place_, extra)) {
      return "it touches the dangerous path " + *entry;
    }
  }
  return too_many_paths_ ? "it names too many paths to look at" : "";
}

const std::deque<shell::Command>& Facts::commands() {
  if (!commands_.empty()) return commands_;
  const json::Value* argument = json::at(request_.arguments, request_.tool.command_arg);
  bad_command_ = argument != nullptr && !argument->IsString() && !argument->IsNull();
  const std::string_view text = argument != nullptr ? json::text(*argument) : std::string_view();
  if (!told_cwd().empty()) {
    places_.push_back({place_.home, std::string(told_cwd())});
    commands_.emplace_back(text, places_.back());
    return commands_;
  }
  const auto budget = std::make_shared<Budget>();
  commands_.emplace_back(text, place_, budget);
  if (!has_paths()) return commands_;
  if (paths().size() > kMaxPathsBeside) too_many_paths_ = true;
  for (std::size_t i = 0; i < std::min(paths().size(), kMaxPathsBeside); ++i) {
    places_.push_back({place_.home, absolute_path(paths()[i], place_)});
    commands_.emplace_back(text, places_.back(), budget);
  }
  return commands_;
}

const std::vector<std::string_view>& Facts::paths() {
  if (!paths_) {
    paths_.emplace();
    for (const std::string& pointer : request_.tool.path_args) {
      if (const json::Value* value = json::at(request_.arguments, pointer)) add_paths(*value);
    }
  }
  return *paths_;
}

// A path, or an array of them.
void Facts::add_paths(const json::Value& value) {
  const auto add = [this](const json::Value& each) {
    if (!each.IsString() || each.GetStringLength() == 0) return;
    if (paths_->size() == kMaxPaths) {
      too_many_paths_ = true;
    } else {
      paths_->push_back(json::text(each));
    }
  };
  add(value);
  if (!value.IsArray()) return;
  for (const json::Value& each : value.GetArray()) add(each);
}

Match Facts::answered(std::string_view content) const {
  if (request_.answers == nullptr) return Match::Failed;
  for (const MatchAnswer& answer : request_.answers->matches) {
    if (answer.content == content) return answer.match;
  }
  return Match::Failed;
}

Match Facts::touched_by(const Rule& rule) {
  if (rule.whole_tool() || !takes_content(request_.tool)) return Match::Yes;
  const bool asked = request_.tool.has_match_rule;
  const Match own = asked ? answered(*rule.content) : Match::No;
  if (own == Match::Yes || matches_itself()) return own;
  if (seen_to_touch(*rule.content)) return Match::Yes;
  if (has_command() && command().may_be_touched_by(*rule.content)) return Match::Failed;
  // Its "no" is not trusted, and the host has no facts of its own.
  const bool nobody_knows = asked && !has_command() && !has_paths();
  return nobody_knows ? Match::Failed : own;
}

bool Facts::seen_to_touch(const std::string& content) {
  if (has_command() && command().touched_by(content)) return true;
  return has_paths() && std::any_of(paths().begin(), paths().end(), [&](std::string_view path) {
           return path_touched_by(content, path, place_);
         });
}

RulePtr Facts::allowed_by(std::span<const RulePtr> rules) {
  for (const RulePtr& rule : rules) {
    if (rule->whole_tool()) return rule;
    if (matches_itself() && answered(*rule->content) == Match::Yes) return rule;
  }
  if (matches_itself()) return nullptr;
  if (has_command()) return command().allowed_by(rules, dangerous_, request_.tool.dangerous_paths);
  return has_paths() ? paths_allowed_by(rules) : nullptr;
}

// Each path needs a rule that covers it.
RulePtr Facts::paths_allowed_by(std::span<const RulePtr> rules) {
  RulePtr first;
  for (const std::string_view path : paths()) {
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const RulePtr& each) {
      return path_allowed_by(*each->content, path, place_);
    });
    if (rule == rules.end()) return nullptr;
    if (first == nullptr) first = *rule;
  }
  return too_many_paths_ ? nullptr : first;
}

bool Facts::edits_only_inside(const std::vector<std::string>& folders) {
  if (folders.empty() || !(has_command() || has_paths())) return false;
  std::vector<std::string> real;
  for (const std::string& folder : folders)
    real.push_back(real_path(absolute_path(folder, place_)));
  if (has_command()) {
    if (!command_is_placed()) return false;
    const auto& extra = request_.tool.dangerous_paths;
    for (const shell::Command& each : commands()) {
      if (bad_command_ || !each.edits_only_inside(real, dangerous_, extra)) return false;
    }
    if (paths().empty()) return true;
  }
  const auto inside = [&](const std::string& path) {
    return std::any_of(real.begin(), real.end(),
                       [&](const std::string& folder) { return is_inside(path, folder); });
  };
  return !too_many_paths_ && !paths().empty() &&
         std::all_of(paths().begin(), paths().end(), [&](std::string_view path) {
           const std::string absolute = absolute_path(path, place_);
           return inside(real_path(absolute)) && inside(real_path(normal_path(absolute)));
         });
}

std::vector<Rule> Facts::suggestions() {
  std::vector<Rule> rules;
  const std::string& tool = request_.tool.name;
  if (has_command()) {
    for (std::string& content : command().suggestions()) {
      rules.push_back(suggested(tool, std::move(content)));
    }
  } else if (has_paths() && !paths().empty() && !matches_itself()) {
    rules.push_back(suggested(tool, neighbours_of(paths().front(), place_)));
  } else {
    rules.push_back(suggested(tool, std::nullopt));
  }
  return rules;
}

}  // namespace host::permission
