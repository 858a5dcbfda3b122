#include "permission/shell_command.h"

#include <algorithm>

#include "permission/sed_script.h"
#include "permission/shell_danger.h"
#include "permission/shell_pattern.h"
#include "permission/shell_read_only.h"
#include "permission/shell_suggest.h"

namespace host::permission::shell {
namespace {

std::string join(std::span<const Word> words) {
  std::string text;
  for (const Word& word : words) text.append(text.empty() ? "" : " ").append(word.text);
  return text;
}

bool act_matches(std::string_view content, const Act& act) {
  const std::string plain = join(act.words);
  if (matches(content, plain)) return true;
  // /bin/rm is rm.
  const std::string_view name = act.name();
  return name.size() != act.words.front().text.size() &&
         matches(content, std::string(name) + plain.substr(act.words.front().text.size()));
}

bool is_discarded(const Redirect& redirect) {
  return redirect.target.literal &&
         (redirect.target.text == "/dev/null" || redirect.target.text == "/dev/stdout" ||
          redirect.target.text == "/dev/stderr");
}

// A rule that allows a command does not allow it to write to any file by redirection.
bool writes_beyond(const Segment& segment, std::string_view content) {
  return content.find('>') == std::string_view::npos &&
         std::any_of(segment.redirects.begin(), segment.redirects.end(),
                     [](const Redirect& each) { return each.writes && !is_discarded(each); });
}

bool allows(std::string_view content, const Segment& segment) {
  if (writes_beyond(segment, content)) return false;
  if (matches(content, segment.source)) return true;
  // Quotes do not make another command of it; variables before it may.
  return has_harmless_variables(segment) && matches(content, join(segment.words));
}

RulePtr first_allowing(std::span<const RulePtr> rules, const Segment& segment) {
  for (const RulePtr& rule : rules) {
    if (rule->whole_tool() || allows(*rule->content, segment)) return rule;
  }
  return nullptr;
}

bool edits_files(std::string_view name) {
  constexpr std::string_view kNames[] = {"mkdir", "touch", "rm", "rmdir", "mv", "cp", "sed"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool lies_inside(const Word& word, const Place& place, std::span<const std::string> folders) {
  if (!word.literal || word.wildcard || word.text.empty()) return false;
  const std::string absolute = absolute_path(word.text, place);
  const std::string normal = normal_path(absolute);
  const auto inside = [&](const std::string& path) {
    return std::any_of(folders.begin(), folders.end(),
                       [&](const std::string& folder) { return is_inside(path, folder); });
  };
  return inside(real_path(absolute)) && inside(real_path(normal));
}

// Options may name a target too: --target-directory=x, -tx.
std::optional<Word> option_target(const Word& option) {
  const std::string_view text = option.text;
  Word target = option;
  if (text.starts_with("--")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    target.text = text.substr(equals + 1);
    return target;
  }
  const std::size_t t = text.find('t');
  if (t == std::string_view::npos || t + 1 >= text.size()) return std::nullopt;
  target.text = text.substr(t + 1);
  return target;
}

std::vector<Word> targets_of(const Segment& segment) {
  std::vector<Word> targets;
  std::span<const Word> words = std::span(segment.words).subspan(1);
  bool options = true;
  if (segment.command() == "sed") {
    words = words.subspan(sed_files(words));
    options = false;
  }
  for (const Word& word : words) {
    if (options && word.text == "--") {
      options = false;
    } else if (options && word.text.starts_with('-')) {
      if (auto target = option_target(word)) targets.push_back(std::move(*target));
    } else {
      targets.push_back(word);
    }
  }
  return targets;
}

bool segment_edits_inside(const Segment& segment, const Place& place,
                          std::span<const std::string> folders) {
  if (!segment.variables.empty()) return false;
  for (const Redirect& redirect : segment.redirects) {
    if (redirect.writes && !is_discarded(redirect) &&
        !lies_inside(redirect.target, place, folders)) {
      return false;
    }
  }
  if (!edits_files(segment.command())) return false;
  const std::vector<Word> targets = targets_of(segment);
  return !targets.empty() && std::all_of(targets.begin(), targets.end(), [&](const Word& target) {
    return lies_inside(target, place, folders);
  });
}

}  // namespace

Command::Command(std::string_view text, const Place& place)
    : text_(text), place_(place), script_(scan(text, place)), acts_(script_, place) {}

bool Command::touched_by(std::string_view content) const {
  const auto any_segment = [&](const Script& script) {
    return std::any_of(script.segments.begin(), script.segments.end(),
                       [&](const Segment& segment) { return matches(content, segment.source); });
  };
  if (any_segment(script_)) return true;
  for (const Script& inner : acts_.inner_scripts()) {
    if (any_segment(inner)) return true;
  }
  for (const Act& act : acts_.all()) {
    if (act_matches(content, act)) return true;
  }
  if (trouble().empty()) return false;
  const std::vector<std::string_view> pieces = crude_pieces(text_);
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](std::string_view piece) { return matches(content, piece); });
}

RulePtr Command::allowed_by(std::span<const RulePtr> rules) const {
  if (!trouble().empty() || script_.segments.empty()) return nullptr;
  RulePtr first;
  for (const Segment& segment : script_.segments) {
    RulePtr rule = first_allowing(rules, segment);
    if (rule == nullptr && !shell::is_read_only(segment)) return nullptr;
    if (first == nullptr) first = std::move(rule);
  }
  return first;
}

bool Command::is_read_only() const {
  return trouble().empty() && shell::is_read_only(script_);
}

std::optional<std::string> Command::danger(const DangerousPaths& paths,
                                           std::span<const std::string> extra) const {
  if (!trouble().empty()) return "the command cannot be analysed: " + trouble();
  if (!is_read_only()) {
    if (auto found = find_dangerous_command(text_, acts_)) return "it holds " + *found;
    if (auto found = find_odd_sed(acts_)) return "it holds " + *found;
  }
  if (auto found = find_dangerous_word(script_, paths, place_, extra)) {
    return "it touches the dangerous path " + *found;
  }
  for (const Script& inner : acts_.inner_scripts()) {
    if (auto found = find_dangerous_word(inner, paths, place_, extra)) {
      return "it touches the dangerous path " + *found;
    }
  }
  if (auto found = find_critical_removal(acts_, place_)) return "it holds the " + *found;
  return std::nullopt;
}

bool Command::edits_only_inside(std::span<const std::string> folders) const {
  if (!trouble().empty() || script_.segments.empty() || folders.empty()) return false;
  for (const Segment& segment : script_.segments) {
    // After it, relative paths are meant from elsewhere.
    if (segment.command() == "cd") return false;
    if (!segment_edits_inside(segment, place_, folders) && !shell::is_read_only(segment)) {
      return false;
    }
  }
  return true;
}

std::vector<std::string> Command::suggestions() const {
  if (!trouble().empty()) return {};
  return suggest(script_);
}

}  // namespace host::permission::shell
