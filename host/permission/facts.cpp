#include "permission/facts.h"

#include <algorithm>

#include "permission/path_rules.h"

namespace host::permission {
namespace {

constexpr std::size_t kMaxPaths = 1024;  // each costs system calls

Rule suggested(std::string_view tool, std::optional<std::string> content) {
  return {std::string(tool), std::move(content), Behavior::Allow, Scope::Session, "suggested"};
}

}  // namespace

bool Facts::is_read_only() {
  if (!request_.trust_read_only) return false;
  const bool asked = request_.tool.has_check_read_only;
  const bool claimed = asked ? request_.answers != nullptr && request_.answers->read_only == true
                             : request_.tool.read_only || has_command();
  if (!claimed) return false;
  // Of a shell command the host judges itself; the tool may only be stricter.
  if (has_command() && (!command().is_read_only() || bad_command_)) return false;
  return danger().empty();
}

const std::string& Facts::danger() {
  if (!danger_) danger_ = find_danger();
  return *danger_;
}

std::string Facts::find_danger() {
  const std::vector<std::string>& extra = request_.tool.dangerous_paths;
  if (has_command()) {
    const shell::Command& shell = command();
    if (bad_command_) return "the command is no text";
    if (auto found = shell.danger(dangerous_, extra)) return std::move(*found);
  }
  if (!has_paths()) return {};
  for (const std::string_view path : paths()) {
    if (auto entry = dangerous_.find(path, place_, extra)) {
      return "it touches the dangerous path " + *entry;
    }
  }
  return too_many_paths_ ? "it names too many paths to look at" : "";
}

const shell::Command& Facts::command() {
  if (!command_) {
    const json::Value* argument = json::at(request_.arguments, request_.tool.command_arg);
    bad_command_ = argument != nullptr && !argument->IsString() && !argument->IsNull();
    command_.emplace(argument != nullptr ? json::text(*argument) : std::string_view(), place_);
  }
  return *command_;
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
  if (rule.whole_tool()) return Match::Yes;
  if (request_.tool.has_match_rule) return answered(*rule.content);
  bool touched = has_command() && command().touched_by(*rule.content);
  if (has_paths() && !touched) {
    touched = std::any_of(paths().begin(), paths().end(), [&](std::string_view path) {
      return path_touched_by(*rule.content, path, place_);
    });
  }
  return touched ? Match::Yes : Match::No;
}

RulePtr Facts::allowed_by(std::span<const RulePtr> rules) {
  for (const RulePtr& rule : rules) {
    if (rule->whole_tool()) return rule;
    if (request_.tool.has_match_rule && answered(*rule->content) == Match::Yes) return rule;
  }
  if (request_.tool.has_match_rule) return nullptr;
  if (has_command()) return command().allowed_by(rules);
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
  if (has_command() && !command().edits_only_inside(real)) return false;
  if (has_command() && paths().empty()) return !bad_command_;
  const auto inside = [&](const std::string& path) {
    return std::any_of(real.begin(), real.end(),
                       [&](const std::string& folder) { return is_inside(path, folder); });
  };
  return !too_many_paths_ && !paths().empty() &&
         std::all_of(paths().begin(), paths().end(), [&](std::string_view path) {
           const std::string absolute = absolute_path(path, place_);
           return inside(real_path(absolute)) && inside(real_path(normal_path(absolute))) &&
                  (!has_command() || command_edits_inside(real, absolute));
         });
}

// A path beside a command is the folder that it runs in: its relative paths are meant from there
// too.
bool Facts::command_edits_inside(const std::vector<std::string>& folders, std::string cwd) {
  const Place there{place_.home, std::move(cwd)};
  const json::Value* text = json::at(request_.arguments, request_.tool.command_arg);
  return text != nullptr && text->IsString() &&
         shell::Command(json::text(*text), there).edits_only_inside(folders);
}

std::vector<Rule> Facts::suggestions() {
  std::vector<Rule> rules;
  const std::string& tool = request_.tool.name;
  if (has_command()) {
    for (std::string& content : command().suggestions()) {
      rules.push_back(suggested(tool, std::move(content)));
    }
  } else if (has_paths() && !paths().empty() && !request_.tool.has_match_rule) {
    rules.push_back(suggested(tool, neighbours_of(paths().front(), place_)));
  } else {
    rules.push_back(suggested(tool, std::nullopt));
  }
  return rules;
}

}  // namespace host::permission
