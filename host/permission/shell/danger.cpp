#include "permission/shell/danger.h"

#include <algorithm>

#include "permission/shell/expansion.h"
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

bool is_critical(const Word& word, const Place& place) {
  const std::string_view text = word.text;
  if (text == "*" || text == "./*" || text == "/" || text.ends_with("/*") ||
      text.ends_with("\\*")) {
    return true;
  }
  const std::string normal = normal_path(absolute_path(text, place));
  return normal == place.home || normal.rfind('/') == 0;
}

constexpr std::size_t kMostShown = 200;  // of a word

bool takes_no_paths(std::string_view name) {
  return name == "echo" || name == "printf" || name == "true" || name == "false";
}

// The forms in which a command line names a file: `of=x`, `--file=x`, `@x`, `host:x`, `-fx`.
class WordCheck {
 public:
  WordCheck(const DangerousPaths& paths, const Place& place, std::span<const std::string> extra)
      : paths_(paths), places_{place}, extra_(extra) {}

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
    follow_folder(segment);
    return std::nullopt;
  }

 private:
  std::optional<std::string> find(const Word& word) const {
    if (auto entry = find_entry(word)) return "it touches the dangerous path " + *entry;
    if (word.literal) return std::nullopt;
    return "it may touch a dangerous path: the value of " + word.text.substr(0, kMostShown) +
           " is not known before it runs";
  }

  std::optional<std::string> find_entry(const Word& word) const {
    if (auto entry = find_text(word.text, word.wildcard)) return entry;
    const std::string_view text = word.text;
    for (const char mark : {'=', ':', '@'}) {
      const std::size_t at = text.find(mark);
      if (at == std::string_view::npos) continue;
      if (auto entry = find_text(text.substr(at + 1), word.wildcard)) return entry;
    }
    if (text.size() > 2 && text[0] == '-' && text[1] != '-') {
      return find_text(text.substr(2), word.wildcard);
    }
    return std::nullopt;
  }

  std::optional<std::string> find_text(std::string_view text, bool wildcard) const {
    for (const Place& place : places_) {
      auto entry = wildcard ? find_expansion(text, place) : paths_.find(text, place, extra_);
      if (entry) return entry;
    }
    return std::nullopt;
  }

  // By the pattern, because it may match files that are made later, and by the existing files,
  // because links may lead anywhere.
  std::optional<std::string> find_expansion(std::string_view pattern, const Place& place) const {
    if (auto entry = paths_.find_expansion(pattern, place, extra_)) return entry;
    const auto paths = expansions(pattern, place);
    if (!paths) return std::string(pattern) + " (too many files to look at)";
    for (const std::string& path : *paths) {
      if (auto entry = paths_.find(path, place, extra_)) return entry;
    }
    return std::nullopt;
  }

  // After `cd x` later words are relative to x, or to the current folder if it failed.
  void follow_folder(const Segment& segment) {
    if (segment.command() != "cd" && segment.command() != "pushd") return;
    Place next = places_.back();
    next.cwd = segment.words.size() < 2
                   ? next.home
                   : normal_path(absolute_path(segment.words.back().text, next));
    places_.resize(1);
    places_.push_back(std::move(next));
  }

  const DangerousPaths& paths_;
  std::vector<Place> places_;
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

std::optional<std::string> find_critical_removal(const Acts& acts, const Place& place) {
  for (const Act& act : acts.all()) {
    if (!is_removal(act.name())) continue;
    bool options = true;
    for (const Word& word : act.words.subspan(1)) {
      if (options && word.text == "--") {
        options = false;
      } else if (!(options && word.text.starts_with('-')) && is_critical(word, place)) {
        return "removal of " + word.text.substr(0, kMostShown);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_dangerous_word(const Script& script, const DangerousPaths& paths,
                                               const Place& place,
                                               std::span<const std::string> extra) {
  WordCheck check(paths, place, extra);
  for (const Segment& segment : script.segments) {
    if (auto reason = check.find(segment)) return reason;
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
