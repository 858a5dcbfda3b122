#include "permission/shell/folders.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace host::permission::shell {
namespace {

constexpr std::size_t kMaxFolders = 8;  // each costs system calls for each word

constexpr std::string_view kChangers[] = {"cd", "chdir", "pushd"};
// They decide where `cd` and `~` lead, or to which files a wildcard expands.
constexpr std::string_view kVariables[] = {"HOME", "CDPATH", "OLDPWD", "GLOBIGNORE"};
// Builtins that can set a variable which they name in an argument.
constexpr std::string_view kSetters[] = {
    "export",    "declare", "typeset", "readonly", "local",   "read", "getopts", "unset", "mapfile",
    "readarray", "let",     "eval",    "command",  "builtin", "trap", "!",       "time"};

bool continues_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// JAVA_HOME is not HOME.
bool has_name(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !continues_name(text[at - 1])) &&
        (end == text.size() || !continues_name(text[end])))
      return true;
  }
  return false;
}

bool names_variable(const Word& word) {
  return std::any_of(std::begin(kVariables), std::end(kVariables),
                     [&](std::string_view name) { return has_name(word.text, name); });
}

// `printf -v HOME`, and `%n` of bash.
bool prints_to_variable(const Word& word) {
  return is_one_of(kVariables, word.text) || word.text.starts_with("-v");
}

bool sets_variable(const Segment& segment) {
  for (const std::string& name : segment.variables) {
    if (is_one_of(kVariables, name)) return true;
  }
  const auto any_word = [&](bool (*test)(const Word&)) {
    return std::any_of(segment.words.begin(), segment.words.end(), test);
  };
  if (segment.command() == "printf") return any_word(prints_to_variable);
  return is_one_of(kSetters, segment.command()) && any_word(names_variable);
}

bool is_known_option(std::string_view text) {
  return text.size() > 1 && text[0] == '-' && text.find_first_not_of("LPe@", 1) == text.npos;
}

// The folder that a `cd` names, `~` if it names none; nullopt: it could be any folder.
std::optional<std::string_view> target_of(const Segment& segment) {
  std::optional<std::string_view> target;
  bool options = true;
  for (std::size_t at = 1; at < segment.words.size(); ++at) {
    const Word& word = segment.words[at];
    if (!word.literal || word.wildcard) return std::nullopt;
    if (options && word.text == "--") {
      options = false;
    } else if (!options || !is_known_option(word.text)) {
      if (target || word.text.starts_with('-') || word.text.starts_with('+')) return std::nullopt;
      target = word.text;
      options = false;
    }
  }
  return target.value_or("~");
}

}  // namespace

void Folders::follow(const Segment& segment) {
  if (sets_variable(segment)) return stop("it sets a variable that decides about folders");
  if (segment.command() == "shopt") return stop("it changes how the shell reads wildcards");
  if (!changes_folder(segment.command())) return;
  const auto target = target_of(segment);
  if (!target) return stop("the folder to which it changes is not known before it runs");
  lead_to(*target);
}

void Folders::lead_to(std::string_view text) {
  if (!unknown_.empty()) return;
  const std::vector<Place> from = places_;
  for (const std::string& reading : path_readings(text)) {
    for (const Place& place : from) {
      const std::string absolute = absolute_path(reading, place);
      if (!budget_->take_path(2 * absolute.size()))
        return stop("it changes its folder too often to follow");
      // A shell drops `..` by its letters, from the folder's name that it knows, or leaves `..` to
      // the kernel, which follows links first.
      add(place, normal_path(absolute));
      add(place, normal_path(absolute_path(reading, {place.home, real_path(place.cwd)})));
      add(place, real_path(absolute));
    }
  }
}

void Folders::add(const Place& from, std::string folder) {
  if (std::any_of(places_.begin(), places_.end(),
                  [&](const Place& each) { return each.cwd == folder; })) {
    return;
  }
  if (places_.size() == kMaxFolders) return stop("it changes its folder too often to follow");
  places_.push_back({from.home, std::move(folder)});
}

void Folders::stop(std::string_view why) {
  if (unknown_.empty()) unknown_ = why;
}

bool changes_folder(std::string_view command) {
  return is_one_of(kChangers, command);
}

std::vector<std::string> path_readings(std::string_view text) {
  std::vector<std::string> readings{std::string(text)};
  if (text.starts_with('~')) readings.push_back("./" + readings.front());
  return readings;
}

}  // namespace host::permission::shell
