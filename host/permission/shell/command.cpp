#include "permission/shell/command.h"

#include <algorithm>
#include <utility>

#include "permission/shell/danger.h"
#include "permission/shell/edits.h"
#include "permission/shell/expansion.h"
#include "permission/shell/pattern.h"
#include "permission/shell/read_only.h"
#include "permission/shell/suggest.h"

namespace host::permission::shell {
namespace {

// How a content and a text are compared: as written, or as the shell may expand them.
struct Comparison {
  Reading reading;
  bool (*meet)(std::string_view content, std::string_view text);
};
constexpr Comparison kWritten{Reading::Written, touches};
constexpr Comparison kExpanded{Reading::Shape, may_touch};

const std::string& first_word(const Act& act, Reading reading) {
  return reading == Reading::Shape ? act.words.front().shape : act.words.front().text;
}

bool act_meets(std::string_view content, const Act& act, const Comparison& comparison) {
  const std::string plain = join(act.words, comparison.reading);
  if (comparison.meet(content, plain)) return true;
  // A guess: `--pre=rm`.
  const std::string_view first = first_word(act, comparison.reading);
  const std::size_t equals = first.find('=');
  if (first.starts_with('-') && equals != first.npos &&
      comparison.meet(content, plain.substr(equals + 1))) {
    return true;
  }
  // /bin/rm is rm.
  const std::size_t slash = first.rfind('/');
  return slash != first.npos && comparison.meet(content, plain.substr(slash + 1));
}

bool words_meet(std::string_view content, const Segment& segment, const Comparison& comparison) {
  if (comparison.meet(content, join(segment.words, comparison.reading))) return true;
  // Only a content with quotes can distinguish the two texts.
  return content.find('\'') != content.npos &&
         comparison.meet(content, rejoin(segment.words, comparison.reading));
}

// The content is about redirections or variables, and one of them may become anything.
bool rest_may_touch(std::string_view content, const Segment& segment) {
  const bool redirects = content.find_first_of("<>") != content.npos &&
                         std::any_of(segment.redirects.begin(), segment.redirects.end(),
                                     [](const Redirect& each) { return is_open(each.target); });
  return redirects || (content.find('=') != content.npos &&
                       std::any_of(segment.values.begin(), segment.values.end(), is_open));
}

// A rule that allows a command does not allow it to write to any file by redirection.
bool writes_beyond(const Segment& segment, std::string_view content) {
  return content.find('>') == std::string_view::npos &&
         std::any_of(segment.redirects.begin(), segment.redirects.end(),
                     [](const Redirect& each) { return each.writes && !is_discarded(each); });
}

bool allows(std::string_view content, const Segment& segment) {
  if (writes_beyond(segment, content)) return false;
  if (covers(content, segment.source)) return true;
  // Quotes do not change the command. Variables before it may.
  return has_harmless_variables(segment) &&
         covers(content, rejoin(segment.words, Reading::Written));
}

bool may_be_relative(const Word& word) {
  const std::string_view text = word.text;
  if (text.empty() || text == ".") return false;
  const std::size_t value = text.starts_with('-') ? text.find('=') + 1 : 0;
  if (value == 0 && text.starts_with('-')) return false;
  return text.find_first_of("/~", value) != value;
}

// Deny and ask rules also look at a command as the shell reads it: without the ends of lines that
// continue.
std::string without_continued_lines(std::string_view text) {
  std::string joined;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = std::min(text.find("\\\n", at), text.size());
    joined += text.substr(at, found - at);
    at = found + 2;
  }
  return joined;
}

bool crude_piece_touched(std::string_view content, std::string_view text) {
  const std::vector<std::string_view> pieces = crude_pieces(text);
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](std::string_view piece) { return touches(content, piece); });
}

RulePtr first_allowing(std::span<const RulePtr> rules, const Segment& segment) {
  for (const RulePtr& rule : rules) {
    if (rule->whole_tool() || allows(*rule->content, segment)) return rule;
  }
  return nullptr;
}

}  // namespace

Command::Command(std::string_view text, const Place& place, std::shared_ptr<Budget> budget)
    : text_(text),
      place_(place),
      budget_(std::move(budget)),
      script_(scan(text, place)),
      acts_(script_, place) {}

template <class Test>
bool Command::any_segment(Test test) const {
  const auto in = [&](const Script& script) {
    return std::any_of(script.segments.begin(), script.segments.end(), test);
  };
  return in(script_) || std::any_of(acts_.inner_scripts().begin(), acts_.inner_scripts().end(), in);
}

template <class Test>
bool Command::any_act(Test test) const {
  return std::any_of(acts_.all().begin(), acts_.all().end(), test) ||
         std::any_of(acts_.possible().begin(), acts_.possible().end(), test);
}

bool Command::touched_by(std::string_view content) const {
  if (any_segment([&](const Segment& segment) {
        return touches(content, segment.source) || words_meet(content, segment, kWritten);
      })) {
    return true;
  }
  if (any_act([&](const Act& act) { return act_meets(content, act, kWritten); })) return true;
  if (trouble().empty() && !acts_.guesses()) return false;
  return crude_piece_touched(content, text_) ||
         crude_piece_touched(content, without_continued_lines(text_));
}

bool Command::may_be_touched_by(std::string_view content) const {
  const auto open = [](std::span<const Word> words) {
    return std::any_of(words.begin(), words.end(), is_open);
  };
  return any_segment([&](const Segment& segment) {
           return rest_may_touch(content, segment) ||
                  (open(segment.words) && words_meet(content, segment, kExpanded));
         }) ||
         any_act(
             [&](const Act& act) { return open(act.words) && act_meets(content, act, kExpanded); });
}

const std::vector<bool>& Command::read_only() const {
  if (!read_only_) read_only_ = read_only_segments(script_, place_, *budget_);
  return *read_only_;
}

const std::vector<std::optional<std::string>>& Command::dangers(
    const DangerousPaths& paths, std::span<const std::string> extra) const {
  if (!dangers_) dangers_ = dangers_below(script_, place_, paths, extra, *budget_);
  return *dangers_;
}

std::vector<bool> Command::harmless_segments(const DangerousPaths& paths,
                                             std::span<const std::string> extra) const {
  std::vector<bool> harmless = read_only();
  const auto& below = dangers(paths, extra);
  for (std::size_t i = 0; i < harmless.size(); ++i) harmless[i] = harmless[i] && !below[i];
  return harmless;
}

std::optional<std::string> Command::danger_below(const DangerousPaths& paths,
                                                 std::span<const std::string> extra) const {
  for (const auto& danger : dangers(paths, extra)) {
    if (danger) return "it searches a folder that holds " + *danger;
  }
  return std::nullopt;
}

RulePtr Command::allowed_by(std::span<const RulePtr> rules, const DangerousPaths& paths,
                            std::span<const std::string> extra) const {
  if (!trouble().empty() || script_.segments.empty()) return nullptr;
  RulePtr first;
  const std::vector<bool> harmless = harmless_segments(paths, extra);
  for (std::size_t i = 0; i < script_.segments.size(); ++i) {
    RulePtr rule = first_allowing(rules, script_.segments[i]);
    if (rule == nullptr && !harmless[i]) return nullptr;
    if (first == nullptr) first = std::move(rule);
  }
  return first;
}

bool Command::is_read_only() const {
  return trouble().empty() && !script_.segments.empty() &&
         std::all_of(read_only().begin(), read_only().end(), [](bool each) { return each; });
}

bool Command::names_relative_paths() const {
  return std::any_of(script_.segments.begin(), script_.segments.end(), [](const Segment& segment) {
    const std::span<const Word> words(segment.words);
    return std::any_of(words.begin() + (words.empty() ? 0 : 1), words.end(), may_be_relative) ||
           std::any_of(segment.redirects.begin(), segment.redirects.end(),
                       [](const Redirect& each) { return may_be_relative(each.target); });
  });
}

std::optional<std::string> Command::danger(const DangerousPaths& paths,
                                           std::span<const std::string> extra) const {
  if (!trouble().empty()) return "the command cannot be analysed: " + trouble();
  if (!is_read_only()) {
    if (auto found = find_dangerous_command(text_, acts_)) return "it holds " + *found;
    if (auto found = find_odd_sed(acts_)) return "it holds " + *found;
  }
  if (auto found = find_dangerous_word(script_, acts_, paths, place_, extra, *budget_))
    return found;
  if (auto found = find_critical_removal(script_, acts_, place_, *budget_))
    return "it holds the " + *found;
  if (adds_unknown_words(acts_)) {
    return "it may touch a dangerous path: the words that a program such as xargs adds to a "
           "command "
           "are not known before it runs";
  }
  return std::nullopt;
}

bool Command::edits_only_inside(std::span<const std::string> folders, const DangerousPaths& paths,
                                std::span<const std::string> extra) const {
  if (!trouble().empty() || script_.segments.empty() || folders.empty()) return false;
  const Grounds grounds{place_, folders, paths, extra, *budget_};
  const std::vector<bool> harmless = harmless_segments(paths, extra);
  // Its paths are resolved before it runs. A second change could meet what the first one moved
  // there.
  bool changes = false;
  for (std::size_t i = 0; i < script_.segments.size(); ++i) {
    const Segment& segment = script_.segments[i];
    // After `cd`, relative paths have a different base.
    if (segment.command() == "cd") return false;
    if (harmless[i]) continue;
    if (changes || !edits_inside(segment, grounds)) return false;
    changes = true;
  }
  return true;
}

std::vector<std::string> Command::suggestions() const {
  if (!trouble().empty()) return {};
  return suggest(script_);
}

}  // namespace host::permission::shell
