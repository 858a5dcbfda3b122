#include "permission/shell/danger.h"

#include <algorithm>
#include <utility>

#include "permission/shell/expansion.h"
#include "permission/shell/folders.h"
#include "permission/shell/sed_script.h"

namespace host::permission::shell {
namespace {

using Words = std::span<const Word>;

// Also searched in the whole text, because they may be part of a program in a different language.
constexpr std::string_view kFragments[] = {"rm -rf",       "rm -fr",   "sudo rm", "chmod 777",
                                           "chmod -R 777", "chown -R", "kill -9", "> /dev/sd",
                                           ">/dev/sd",     "mkfs."};

bool any(Words words, bool (*test)(std::string_view)) {
  return std::any_of(words.begin(), words.end(), [&](const Word& word) { return test(word.text); });
}

bool has_letter(Words words, char letter, std::string_view long_form) {
  return std::any_of(words.begin(), words.end(), [&](const Word& word) {
    const std::string_view text = word.text;
    if (text.starts_with("--")) return text == long_form;
    return text.starts_with('-') && text.find(letter) != std::string_view::npos;
  });
}

bool is_recursive(Words words) {
  return has_letter(words, 'r', "--recursive") || has_letter(words, 'R', "--recursive");
}

bool opens_to_all(std::string_view mode) {
  return mode == "777" || mode == "0777" || mode == "a+rwx" || mode == "ugo+rwx" ||
         mode == "a=rwx" || mode == "+rwx";
}

bool is_kill_signal(std::string_view text) {
  return text == "-9" || text == "-KILL" || text == "-SIGKILL" || text == "-s9" || text == "KILL" ||
         text == "SIGKILL" || text == "9" || text == "--signal=KILL" || text == "--signal=9";
}

bool is_removal(std::string_view name) {
  return name == "rm" || name == "rmdir";
}

std::string_view name_of(const Word& word) {
  const std::string_view text = word.text;
  return text.substr(text.rfind('/') + 1);
}

bool sudo_removes(Words words) {
  return std::any_of(words.begin(), words.end(),
                     [](const Word& word) { return is_removal(name_of(word)); });
}

std::string_view danger_of(const Act& act) {
  const std::string_view name = act.name();
  const Words arguments = act.words.subspan(1);
  if (name == "rm" && is_recursive(arguments) && has_letter(arguments, 'f', "--force")) {
    return "rm -rf";
  }
  if ((name == "sudo" || name == "doas") && sudo_removes(arguments)) return "sudo rm";
  if (name == "dd") return "dd";
  if (name == "mkfs" || name.starts_with("mkfs.")) return "mkfs";
  if (name == "fdisk" || name == "sfdisk" || name == "parted" || name == "wipefs") return "fdisk";
  if (name == "format") return "format";
  if (name == "chmod" && any(arguments, opens_to_all)) return "chmod 777";
  if (name == "chown" && is_recursive(arguments)) return "chown -R";
  if ((name == "kill" || name == "pkill" || name == "killall") && any(arguments, is_kill_signal)) {
    return "kill -9";
  }
  return {};
}

bool is_harmless_device(std::string_view path) {
  return path == "/dev/null" || path == "/dev/stdout" || path == "/dev/stderr" ||
         path == "/dev/tty" || path.starts_with("/dev/fd/");
}

bool reaches_device(const Redirect& redirect) {
  const std::string_view path = redirect.target.text;
  if (path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")) return true;
  return redirect.writes && path.starts_with("/dev/") && !is_harmless_device(path);
}

std::string one_blank(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

bool continues_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool holds_fragment(std::string_view text, std::string_view fragment) {
  for (std::size_t at = text.find(fragment); at != std::string_view::npos;
       at = text.find(fragment, at + 1)) {
    if (at == 0 || !continues_word(text[at - 1])) return true;
  }
  return false;
}

bool is_critical(const Word& word, std::span<const Place> places) {
  const std::string_view text = word.text;
  if (text == "*" || text == "./*" || text == "/" || text.ends_with("/*") ||
      text.ends_with("\\*")) {
    return true;
  }
  return std::any_of(places.begin(), places.end(), [&](const Place& place) {
    const std::string normal = normal_path(absolute_path(text, place));
    return normal == place.home || normal.rfind('/') == 0;
  });
}

constexpr std::size_t kMostShown = 200;  // of a word

bool takes_no_paths(std::string_view name) {
  return name == "echo" || name == "printf" || name == "true" || name == "false";
}

// Options with which a program changes its folder itself: `git -C x`, `env --chdir=x`.
constexpr std::string_view kFolderOptions[] = {
    "--chdir",   "--directory",        "--cwd", "--prefix", "--work-tree",
    "--workdir", "--working-directory"};
// Their -C is something else.
constexpr std::string_view kOtherC[] = {"ls",   "grep", "egrep", "fgrep", "rg",  "tree", "sort",
                                        "diff", "cmp",  "rsync", "gcc",   "g++", "cc",   "cpp"};

// The folder that an option names, which may be the next word; without text: none.
Word folder_of_option(Words words, std::size_t at) {
  Word folder = words[at];
  const std::string_view option = words[at].text;
  const std::size_t equals = option.find('=');
  const bool attached = option.starts_with("-C") && option.size() > 2;
  const bool named = is_one_of(kFolderOptions, option.substr(0, equals)) ||
                     (option == "-D" && words.front().text == "sudo");
  if (attached || (named && equals != option.npos)) {
    folder.text.erase(0, attached ? 2 : equals + 1);
    return folder;
  }
  // `tar -xC x`
  const bool cluster =
      option.starts_with('-') && !option.starts_with("--") && option.ends_with('C');
  return (named || cluster) && at + 1 < words.size() ? words[at + 1] : Word{};
}

void enter_folders_of_options(const Segment& segment, Folders& folders) {
  if (is_one_of(kOtherC, segment.command())) return;
  for (std::size_t at = 1; at < segment.words.size(); ++at) {
    const Word folder = folder_of_option(segment.words, at);
    if (folder.wildcard) folders.stop("the folder that an option names is not known");
    if (!folder.text.empty()) folders.lead_to(folder.text);
  }
}

bool is_of(const Script& script, const Segment& segment) {
  return std::any_of(script.segments.begin(), script.segments.end(),
                     [&](const Segment& each) { return &each == &segment; });
}

// True if a command changes the shell's folder in another way than by a plain `cd`: `command cd x`,
// `eval 'cd x'`, `trap 'cd x' DEBUG`.
bool changes_folder_unseen(const Script& script, const Acts& acts) {
  const bool evaluates = std::any_of(acts.all().begin(), acts.all().end(), [](const Act& act) {
    return act.name() == "eval" || act.name() == "trap";
  });
  return std::any_of(acts.all().begin(), acts.all().end(), [&](const Act& act) {
    if (!changes_folder(act.name())) return false;
    return act.words.data() != act.segment->words.data() ||
           (evaluates && !is_of(script, *act.segment));
  });
}

// The forms in which a command line names a file: `of=x`, `--file=x`, `@x`, `host:x`, `-fx`.
class WordCheck {
 public:
  WordCheck(const DangerousPaths& paths, Folders folders, std::span<const std::string> extra,
            Budget& budget)
      : paths_(paths),
        folders_(std::move(folders)),
        within_(folders_),
        budget_(budget),
        extra_(extra) {}

  std::optional<std::string> find(const Script& script) {
    for (const Segment& segment : script.segments) {
      Folders here = folders_;
      enter_folders_of_options(segment, here);
      places_ = here.places();
      if (!here.unknown().empty() && names_paths(segment))
        return "it may touch a dangerous path: " + here.unknown();
      if (auto reason = find(segment)) return reason;
      folders_.follow(segment);
      enter_folders_of_options(segment, within_);
      within_.follow(segment);
    }
    return std::nullopt;
  }

  // For a script within one of the scripts before, which may run in any of their folders.
  std::optional<std::string> find_within(const Script& script) {
    folders_ = within_;
    return find(script);
  }

 private:
  static bool names_paths(const Segment& segment) {
    return !takes_no_paths(segment.command()) || !segment.redirects.empty() ||
           !segment.values.empty();
  }

  std::optional<std::string> find(const Segment& segment) {
    for (const Word& value : segment.values) {
      if (auto reason = find(value)) return reason;
    }
    for (const Redirect& redirect : segment.redirects) {
      if (auto reason = find(redirect.target)) return reason;
    }
    if (takes_no_paths(segment.command())) return std::nullopt;
    for (const Word& word : segment.words) {
      if (auto reason = find(word)) return reason;
    }
    return std::nullopt;
  }

  std::optional<std::string> find(const Word& word) {
    if (auto entry = find_entry(word)) return "it touches the dangerous path " + *entry;
    if (word.literal) return std::nullopt;
    return "it may touch a dangerous path: the value of " + word.text.substr(0, kMostShown) +
           " is not known before it runs";
  }

  std::optional<std::string> find_entry(const Word& word) {
    if (auto entry = find_text(word.text, word.wildcard)) return entry;
    return find_in_parts(word.text, word.wildcard);
  }

  // Behind a mark or option, also in a name to which a wildcard expands.
  std::optional<std::string> find_in_parts(std::string_view text, bool wildcard) {
    std::size_t tried = 0;
    for (std::size_t at = text.find_first_of(kMarks); at != text.npos && tried < kMostMarks;
         at = text.find_first_of(kMarks, at + 1), ++tried) {
      if (auto entry = find_text(text.substr(at + 1), wildcard)) return entry;
    }
    return find_in_cluster(text, wildcard);
  }

  // `-nfx` is -n -f x for most programs.
  std::optional<std::string> find_in_cluster(std::string_view text, bool wildcard) {
    if (!text.starts_with('-') || text.starts_with("--")) return std::nullopt;
    for (std::size_t at = 2; at < text.size() && (at == 2 || is_letter(text[at - 1])); ++at) {
      if (at == kMostLetters) return std::string(text.substr(0, at)) + "... (too many letters)";
      if (auto entry = find_text(text.substr(at), wildcard)) return entry;
    }
    return std::nullopt;
  }

  static bool is_letter(char c) { return continues_word(c) && c != '-'; }

  std::optional<std::string> find_text(std::string_view text, bool wildcard) {
    for (const std::string& path : path_readings(text)) {
      for (const Place& place : places_) {
        auto entry = wildcard ? find_expansion(path, place) : find_path(path, place);
        if (entry) return entry;
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> find_path(const std::string& path, const Place& place) {
    if (!budget_.take_path(place.cwd.size() + path.size())) return kTooMany;
    return paths_.find(path, place, extra_);
  }

  // By the pattern, because it may match files that are made later, and by the existing files,
  // because links may lead anywhere.
  std::optional<std::string> find_expansion(std::string_view pattern, const Place& place) {
    // Each letter is compared with all names.
    if (!budget_.take(pattern.size()) || !budget_.take_path(place.cwd.size() + pattern.size()))
      return kTooMany;
    if (auto entry = paths_.find_expansion(pattern, place, extra_)) return entry;
    const auto paths = expansions(pattern, place, budget_);
    if (!paths) return std::string(pattern.substr(0, kMostShown)) + " (too many files to look at)";
    for (const std::string& path : *paths) {
      if (auto entry = find_path(path, place)) return entry;
      if (auto entry = find_in_parts(std::string_view(path).substr(path.rfind('/') + 1), false))
        return entry;
    }
    return std::nullopt;
  }

  static constexpr std::string_view kMarks = "=:@";
  static constexpr std::size_t kMostMarks = 16;
  static constexpr std::size_t kMostLetters = 64;
  static constexpr const char* kTooMany = "(too many paths to look at)";

  const DangerousPaths& paths_;
  Folders folders_;
  Folders within_;             // of the scripts within
  std::vector<Place> places_;  // of the segment
  Budget& budget_;
  std::span<const std::string> extra_;
};

}  // namespace

std::optional<std::string> find_dangerous_command(std::string_view command, const Acts& acts) {
  for (const Act& act : acts.all()) {
    if (const std::string_view danger = danger_of(act); !danger.empty()) return std::string(danger);
    for (const Redirect& redirect : act.segment->redirects) {
      if (reaches_device(redirect)) return "> " + redirect.target.text;
    }
  }
  const std::string text = one_blank(command);
  for (const std::string_view fragment : kFragments) {
    if (holds_fragment(text, fragment)) return std::string(fragment);
  }
  return std::nullopt;
}

std::optional<std::string> find_odd_sed(const Acts& acts) {
  for (const Act& act : acts.all()) {
    if (act.name() != "sed" && act.name() != "gsed") continue;
    if (!is_plain_sed(act.words.subspan(1))) return "a sed script that could write or run more";
  }
  return std::nullopt;
}

std::optional<std::string> find_critical_removal(const Script& script, const Acts& acts,
                                                 const Place& place, Budget& budget) {
  Folders folders(place, budget);
  const auto follow = [&](const Segment& segment) {
    enter_folders_of_options(segment, folders);
    folders.follow(segment);
  };
  std::for_each(script.segments.begin(), script.segments.end(), follow);
  for (const Script& inner : acts.inner_scripts())
    std::for_each(inner.segments.begin(), inner.segments.end(), follow);
  for (const Act& act : acts.all()) {
    if (!is_removal(act.name())) continue;
    bool options = true;
    for (const Word& word : act.words.subspan(1)) {
      if (options && word.text == "--") {
        options = false;
      } else if (!(options && word.text.starts_with('-')) && is_critical(word, folders.places())) {
        return "removal of " + word.text.substr(0, kMostShown);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_dangerous_word(const Script& script, const Acts& acts,
                                               const DangerousPaths& paths, const Place& place,
                                               std::span<const std::string> extra, Budget& budget) {
  Folders folders(place, budget);
  if (changes_folder_unseen(script, acts))
    folders.stop("a command that another command runs changes the folder");
  WordCheck check(paths, std::move(folders), extra, budget);
  if (auto reason = check.find(script)) return reason;
  for (const Script& inner : acts.inner_scripts()) {
    if (auto reason = check.find_within(inner)) return reason;
  }
  return std::nullopt;
}

bool adds_unknown_words(const Acts& acts) {
  const auto is_open = [](const Act& act) {
    return !takes_no_paths(act.name()) &&
           std::any_of(act.words.begin(), act.words.end(),
                       [](const Word& word) { return !word.literal; });
  };
  return std::any_of(acts.all().begin(), acts.all().end(), is_open) ||
         std::any_of(acts.possible().begin(), acts.possible().end(), is_open);
}

}  // namespace host::permission::shell
