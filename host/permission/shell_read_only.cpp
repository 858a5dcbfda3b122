#include "permission/shell_read_only.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace host::permission::shell {
namespace {

using Words = std::span<const Word>;  // arguments, without the command

// No option of these writes or runs anything.
constexpr std::string_view kPlain[] = {"ls",    "cat",   "head",    "tail",  "wc",   "stat",
                                       "pwd",   "which", "whereis", "type",  "grep", "egrep",
                                       "fgrep", "cd",    "true",    "false", "echo"};

// Variables that change how output looks and nothing else.
constexpr std::string_view kHarmless[] = {
    "LANG",        "LC_ALL",   "LC_CTYPE",       "TERM",    "TZ",   "NO_COLOR",
    "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES"};

template <class Test>
bool none(Words words, Test test) {
  return std::none_of(words.begin(), words.end(),
                      [&](const Word& word) { return test(std::string_view(word.text)); });
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

bool is_short_cluster(std::string_view text) {
  return text.size() > 1 && text[0] == '-' && text[1] != '-';
}
bool has_short(std::string_view text, std::string_view letters) {
  return is_short_cluster(text) && text.find_first_of(letters) != std::string_view::npos;
}

bool first_is(Words words, std::string_view text) {
  return !words.empty() && words.front().text == text;
}

bool only_flags_of(Words words, std::initializer_list<std::string_view> flags) {
  return none(words, [&](std::string_view text) {
    const std::string_view name = text.substr(0, text.find('='));
    return std::find(flags.begin(), flags.end(), name) == flags.end();
  });
}

bool find_is_read_only(Words words) {
  return none(words, [](std::string_view text) {
    return text == "-delete" || starts_with_any(text, {"-exec", "-ok", "-fls", "-fprint"});
  });
}

bool ripgrep_is_read_only(Words words) {
  return none(words, [](std::string_view text) {
    return starts_with_any(text, {"--pre", "--hostname-bin"});
  });
}

bool searcher_is_read_only(Words words) {
  return none(words, [](std::string_view text) {
    return starts_with_any(text, {"--pager", "--output", "--ackrc", "--create"});
  });
}

// less runs commands that stand after a +, and logs to files.
bool pager_is_read_only(Words words) {
  return none(words, [](std::string_view text) {
    return text.starts_with('+') || text.starts_with("--log") || text.starts_with("--LOG") ||
           text.starts_with("--lesskey") || has_short(text, "oOkTp");
  });
}

bool file_is_read_only(Words words) {
  return none(
      words, [](std::string_view text) { return has_short(text, "C") || text.starts_with("--c"); });
}

bool tree_is_read_only(Words words) {
  return none(words, [](std::string_view text) { return has_short(text, "oR"); });
}

// printf -v sets a variable.
bool printf_is_read_only(Words words) {
  return !first_is(words, "-v");
}

// Options that list; with one of them a name is a pattern, without any it is a thing to create.
bool lists_only(Words words, std::initializer_list<std::string_view> selecting,
                std::initializer_list<std::string_view> showing) {
  bool selects = false;
  bool names = false;
  for (const Word& word : words) {
    const std::string_view text = word.text;
    const std::string_view flag = text.substr(0, text.find('='));
    if (std::find(selecting.begin(), selecting.end(), flag) != selecting.end()) {
      selects = true;
    } else if (!text.starts_with('-')) {
      names = true;
    } else if (std::find(showing.begin(), showing.end(), flag) == showing.end()) {
      return false;
    }
  }
  return selects || !names;
}

bool branch_is_read_only(Words words) {
  return lists_only(
      words, {"--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"},
      {"-a", "--all", "-r", "--remotes", "-v", "-vv", "--verbose", "--show-current", "--sort",
       "--format", "--color", "--no-color", "--column", "--no-column", "-i", "--ignore-case"});
}

bool tag_is_read_only(Words words) {
  return lists_only(
      words,
      {"-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"},
      {"-n", "--sort", "--format", "--color", "--column", "--no-column", "-i", "--ignore-case"});
}

bool remote_is_read_only(Words words) {
  if (words.empty()) return true;
  if (first_is(words, "show") || first_is(words, "get-url")) return true;
  return only_flags_of(words, {"-v", "--verbose"});
}

bool reflog_is_read_only(Words words) {
  return none(words, [](std::string_view text) {
    return text == "expire" || text == "delete" || text == "drop" || text == "write";
  });
}

bool config_is_read_only(Words words) {
  if (words.empty()) return false;
  const std::string_view first = words.front().text;
  if (first == "--list" || first == "-l") {
    return only_flags_of(words, {"--list", "-l", "--global", "--local", "--system", "--show-origin",
                                 "--show-scope", "--name-only", "-z", "--null"});
  }
  if (first != "--get" && first != "--get-all") return false;
  return none(words.subspan(1), [](std::string_view text) { return text.starts_with('-'); });
}

// --output writes, --ext-diff and --textconv run what a repository's configuration says; git takes
// shortened options.
bool shows_only(Words words) {
  return none(words, [](std::string_view text) {
    return starts_with_any(text, {"--ou", "--ext", "--textc", "--filt"});
  });
}

bool git_grep_is_read_only(Words words) {
  return none(words, [](std::string_view text) {
    return has_short(text, "O") || starts_with_any(text, {"--op", "--ext", "--textc"});
  });
}

bool git_is_read_only(Words words) {
  while (first_is(words, "--no-pager")) words = words.subspan(1);
  if (words.empty()) return false;
  const std::string_view verb = words.front().text;
  words = words.subspan(1);
  constexpr std::string_view kShowing[] = {"status",   "log",      "diff",     "show",
                                           "ls-files", "ls-tree",  "cat-file", "rev-parse",
                                           "rev-list", "describe", "shortlog", "blame"};
  if (is_one_of(kShowing, verb)) return shows_only(words);
  if (verb == "branch") return branch_is_read_only(words);
  if (verb == "tag") return tag_is_read_only(words);
  if (verb == "remote") return remote_is_read_only(words);
  if (verb == "reflog") return reflog_is_read_only(words) && shows_only(words);
  if (verb == "config") return config_is_read_only(words);
  if (verb == "grep") return git_grep_is_read_only(words);
  return false;
}

bool docker_is_read_only(Words words) {
  constexpr std::string_view kVerbs[] = {"ps", "images", "inspect", "logs", "version", "info"};
  return !words.empty() && is_one_of(kVerbs, words.front().text);
}

bool gh_is_read_only(Words words) {
  const bool browser = !none(
      words, [](std::string_view text) { return text.starts_with("--w") || has_short(text, "w"); });
  if (browser || words.empty()) return false;
  if (first_is(words, "status")) return true;
  if (words.size() < 2) return false;
  const std::string_view what = words[0].text;
  const std::string_view verb = words[1].text;
  return (what == "repo" && verb == "view") || (what == "issue" && verb == "list") ||
         (what == "pr" && (verb == "list" || verb == "status"));
}

bool asks_version(Words words, std::string_view short_form) {
  return words.size() == 1 && (words[0].text == "--version" || words[0].text == short_form);
}

bool command_is_read_only(std::string_view name, Words words) {
  if (is_one_of(kPlain, name)) return true;
  if (name == "printf") return printf_is_read_only(words);
  if (name == "find") return find_is_read_only(words);
  if (name == "rg") return ripgrep_is_read_only(words);
  if (name == "ag" || name == "ack") return searcher_is_read_only(words);
  if (name == "less" || name == "more") return pager_is_read_only(words);
  if (name == "file") return file_is_read_only(words);
  if (name == "tree") return tree_is_read_only(words);
  if (name == "git") return git_is_read_only(words);
  if (name == "docker") return docker_is_read_only(words);
  if (name == "gh") return gh_is_read_only(words);
  if (name == "python" || name == "python3") return asks_version(words, "-V");
  if (name == "node") return asks_version(words, "-v");
  if (name == "npm") return first_is(words, "list") || first_is(words, "ls");
  if (name == "pip" || name == "pip3") return first_is(words, "list") || first_is(words, "show");
  return false;
}

bool writes_nothing(const Redirect& redirect) {
  if (!redirect.target.literal) return false;
  if (redirect.writes) return redirect.target.text == "/dev/null";
  return !redirect.target.text.starts_with("/dev/tcp") &&
         !redirect.target.text.starts_with("/dev/udp");
}

}  // namespace

bool is_read_only(const Segment& segment) {
  if (segment.words.empty()) return false;
  for (const std::string& name : segment.variables) {
    if (!is_one_of(kHarmless, name)) return false;
  }
  if (!std::all_of(segment.redirects.begin(), segment.redirects.end(), writes_nothing))
    return false;
  const Words words = segment.words;
  if (!std::all_of(words.begin(), words.end(), [](const Word& word) { return word.literal; })) {
    return false;
  }
  return command_is_read_only(segment.command(), words.subspan(1));
}

bool is_read_only(const Script& script) {
  return script.trouble.empty() && !script.segments.empty() &&
         std::all_of(script.segments.begin(), script.segments.end(),
                     [](const Segment& segment) { return is_read_only(segment); });
}

}  // namespace host::permission::shell
