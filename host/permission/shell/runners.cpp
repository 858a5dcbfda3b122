#include "permission/shell/runners.h"

#include <algorithm>
#include <array>

#include "permission/shell/options.h"

namespace host::permission::shell {
namespace {

using Words = std::span<const Word>;

enum class Runs {
  Command,  // options, operands of its own, then a command
  Text,     // the same, but what remains is put together and given to a shell
  Either,   // the same, but without a command an option `c` has the text for a shell
  Unsure,   // its syntax is not known: any of its words may begin a command
};

struct Runner {
  std::string_view name;
  Runs runs = Runs::Unsure;
  OptionList options = {};
  std::size_t operands = 0;  // operands before the command
  bool appends = false;      // see Inner
};

constexpr std::array kRunners = {
    Runner{"sudo",
           Runs::Command,
           {"AbEeHikKnPsSvBN", "ugpCDRThUrtc",
            "--askpass --background --preserve-env[=] --set-home --login --reset-timestamp "
            "--non-interactive --preserve-groups --stdin --shell --user= --group= --prompt= "
            "--chdir= --host= --command-timeout= --close-from= --role= --type="}},
    Runner{"doas", Runs::Command, {"nsL", "uCa", ""}},
    Runner{"pkexec", Runs::Command, {"", "", "--user= --disable-internal-agent --keep-cwd"}},
    Runner{"command", Runs::Command, {"pvV", "", ""}},
    Runner{"builtin", Runs::Command, {}},
    Runner{"exec", Runs::Command, {"cl", "a", ""}},
    Runner{"!", Runs::Command, {}},
    Runner{"nohup", Runs::Command, {}},
    Runner{"setsid", Runs::Command, {"cfw", "", "--ctty --fork --wait"}},
    Runner{"nice", Runs::Command, {"", "n", "--adjustment=", true}},
    Runner{"ionice", Runs::Command, {"t", "cnpPu", "--class= --classdata= --ignore"}},
    Runner{"chrt", Runs::Command, {"abdfioRrvm", "TPD", ""}, 1},
    Runner{"taskset", Runs::Command, {"ac", "", "--all-tasks --cpu-list"}, 1},
    Runner{"time",
           Runs::Command,
           {"pvqalh", "fo", "--portability --verbose --quiet --append --format= --output="}},
    Runner{"timeout",
           Runs::Command,
           {"v", "sk", "--preserve-status --foreground --signal= --kill-after= --verbose"},
           1},
    Runner{"stdbuf", Runs::Command, {"", "ioe", "--input= --output= --error="}},
    Runner{"xargs",
           Runs::Command,
           {"0rtxpo", "adEILnPsl",
            "--null --no-run-if-empty --verbose --exit --interactive --open-tty --arg-file= "
            "--delimiter= --eof[=] --replace[=] --max-lines[=] --max-args= --max-procs= "
            "--max-chars= --process-slot-var= --show-limits -i -e -l"},
           0,
           true},
    Runner{"busybox", Runs::Command, {}},
    Runner{"toybox", Runs::Command, {}},
    Runner{"chroot", Runs::Command, {"", "", "--groups= --userspec= --skip-chdir"}, 1},
    Runner{"setarch", Runs::Unsure},
    Runner{"linux32", Runs::Unsure},
    Runner{"linux64", Runs::Unsure},
    Runner{"i386", Runs::Unsure},
    Runner{"i486", Runs::Unsure},
    Runner{"i586", Runs::Unsure},
    Runner{"i686", Runs::Unsure},
    Runner{"x86_64", Runs::Unsure},
    Runner{"uname26", Runs::Unsure},
    Runner{"ld.so", Runs::Unsure},
    Runner{"catchsegv", Runs::Command, {}},
    Runner{"fakeroot", Runs::Unsure},
    Runner{"unshare", Runs::Unsure},
    Runner{"nsenter", Runs::Unsure},
    Runner{"setpriv", Runs::Unsure},
    Runner{"capsh", Runs::Unsure},
    Runner{"prlimit", Runs::Unsure},
    Runner{"numactl", Runs::Unsure},
    Runner{"cpulimit", Runs::Unsure},
    Runner{"systemd-run", Runs::Unsure},
    Runner{"start-stop-daemon", Runs::Unsure},
    Runner{"runcon", Runs::Unsure},
    Runner{"runuser", Runs::Unsure},
    Runner{"su", Runs::Unsure},
    Runner{"sg", Runs::Unsure},
    Runner{"script", Runs::Unsure},
    Runner{"strace", Runs::Unsure},
    Runner{"ltrace", Runs::Unsure},
    Runner{"gdb", Runs::Unsure},
    Runner{"valgrind", Runs::Unsure},
    Runner{"perf", Runs::Unsure},
    Runner{"parallel", Runs::Unsure, {}, 0, true},
    Runner{"entr", Runs::Unsure},
    Runner{"unbuffer", Runs::Unsure},
    Runner{"expect", Runs::Unsure},
    Runner{"proot", Runs::Unsure},
    Runner{"bwrap", Runs::Unsure},
    Runner{"firejail", Runs::Unsure},
    Runner{"dbus-run-session", Runs::Unsure},
    Runner{"xvfb-run", Runs::Unsure},
    Runner{"ssh", Runs::Unsure},
    Runner{"npx", Runs::Unsure},
    Runner{"pipx", Runs::Unsure},
    Runner{"uvx", Runs::Unsure},
    Runner{"nix-shell", Runs::Unsure},
    Runner{"tmux", Runs::Unsure},
    Runner{"screen", Runs::Unsure},
    Runner{"at", Runs::Unsure},
    Runner{"batch", Runs::Unsure},
    Runner{"crontab", Runs::Unsure},
    Runner{"watch",
           Runs::Text,
           {"bcdeghprtwx", "n",
            "--beep --color --differences[=] --errexit --chgexit --interval= --precise --no-rerun "
            "--no-title --no-wrap --exec"}},
    Runner{"eval", Runs::Text, {}},
    Runner{"flock",
           Runs::Either,
           {"sexunoFv", "wEc",
            "--shared --exclusive --unlock --nonblock --nb --timeout= --wait= --close --no-fork "
            "--verbose --conflict-exit-code= --command="},
           1}};

// Programs that run other programs only if one of these words is among their arguments. Separated
// by blanks.
struct Sometimes {
  std::string_view name;
  std::string_view with;
};
constexpr std::array kSometimes = {
    Sometimes{"docker", "run exec create"},
    Sometimes{"podman", "run exec create"},
    Sometimes{"kubectl", "run exec debug"},
    Sometimes{"npm", "exec x"},
    Sometimes{"pnpm", "exec dlx"},
    Sometimes{"yarn", "exec dlx"},
    Sometimes{"bundle", "exec"},
    Sometimes{"uv", "run tool"},
    Sometimes{"poetry", "run"},
    Sometimes{"git", "bisect filter-branch rebase submodule difftool mergetool"},
    Sometimes{"rg", "--pre --hostname-bin"},
    Sometimes{"fd", "-x -X --exec --exec-batch"},
    Sometimes{"fdfind", "-x -X --exec --exec-batch"}};

// Programs with their own parsing, see below.
constexpr std::string_view kShells[] = {"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "rbash"};
constexpr std::string_view kInterpreters[] = {"python", "python2", "python3", "perl",
                                              "ruby",   "node",    "php"};
constexpr std::string_view kOthers[] = {"env", "find", ".",    "source", "trap",
                                        "awk", "gawk", "mawk", "nawk"};

// The loader has a name for each architecture, like ld-linux-x86-64.so.2.
std::string_view program_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("ld-") && name.find(".so") != name.npos ? "ld.so" : name;
}

// Joins the words of a command to a text that a shell splits into the same words.
bool append_text(std::string& text, Words words, bool quoted, Inner& inner) {
  for (const Word& word : words) {
    if (!word.literal) {
      inner.trouble = "a command inside a command is not written out";
      return false;
    }
    if (!text.empty()) text += ' ';
    if (!quoted) {
      text += word.text;
      continue;
    }
    text += '\'';
    for (const char c : word.text) text.append(c == '\'' ? "'\\''" : std::string_view(&c, 1));
    text += '\'';
  }
  return true;
}

Inner text_of(Words words) {
  Inner inner;
  std::string text;
  if (append_text(text, words, false, inner)) inner.scripts.push_back(std::move(text));
  return inner;
}

Inner guessed(Guess guess) {
  Inner inner;
  inner.guess = guess;
  return inner;
}

bool runs_now(const Sometimes& runner, Words words) {
  std::string_view with = runner.with;
  while (!with.empty()) {
    const std::size_t blank = std::min(with.find(' '), with.size());
    const std::string_view entry = with.substr(0, blank);
    with.remove_prefix(std::min(blank + 1, with.size()));
    // `-x`, and `-xrm`; `--pre`, and `--pre=rm`.
    const bool option = entry.starts_with('-');
    if (std::any_of(words.begin() + 1, words.end(), [&](const Word& word) {
          return option ? word.text.starts_with(entry) : word.text == entry;
        })) {
      return true;
    }
  }
  return false;
}

const Sometimes* find_sometimes(std::string_view name) {
  const auto found = std::find_if(kSometimes.begin(), kSometimes.end(),
                                  [&](const Sometimes& each) { return each.name == name; });
  return found == kSometimes.end() ? nullptr : &*found;
}

bool is_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  return equals != 0 && equals != std::string_view::npos && text.find_first_of("/-.") > equals;
}

Words without_assignments(Words words) {
  while (!words.empty() && is_assignment(words.front().text)) words = words.subspan(1);
  return words;
}

// The text that xargs replaces by its input; empty: none.
std::string replaced_by(const Arguments& given) {
  for (const GivenOption& option : given.options) {
    if (option.name != "I" && option.name != "-i" && option.name != "--replace") continue;
    return option.value.text.empty() ? "{}" : option.value.text;
  }
  return {};
}

Inner run_by(const Runner& runner, Words words) {
  if (runner.runs == Runs::Unsure) {
    Inner inner = guessed(Guess::ForRules);
    inner.appends = runner.appends;
    return inner;
  }
  const Words arguments = words.subspan(1);
  const auto read = read_arguments(arguments, runner.options, Operands::EndOptions);
  if (!read) return guessed(Guess::ForAll);
  Words rest = arguments.subspan(std::min(read->first_operand, arguments.size()));
  if (rest.size() < runner.operands) return {};
  rest = rest.subspan(runner.operands);
  if (runner.runs == Runs::Either) {
    // `flock FILE -c TEXT`
    if (!rest.empty() && rest.front().text.starts_with('-')) return guessed(Guess::ForAll);
  }
  // sudo accepts assignments too.
  rest = without_assignments(rest);
  if (rest.empty()) return {};
  if (runner.runs == Runs::Text) return text_of(rest);
  Inner inner;
  inner.commands.push_back(rest);
  inner.appends = runner.appends;
  if (runner.appends) inner.replaces = replaced_by(*read);
  return inner;
}

// -S has a text that env splits into words. They come before the following words.
Inner run_by_env(Words words) {
  constexpr OptionList kOptions{"i0v", "uCS",
                                "--ignore-environment --null --unset= --chdir= --split-string= "
                                "--debug --list-signal-handling "
                                "--block-signal[=] --default-signal[=] --ignore-signal[=] -"};
  Words arguments = words.subspan(1);
  if (!arguments.empty() && arguments.front().text == "-") arguments = arguments.subspan(1);
  const auto read = read_arguments(arguments, kOptions, Operands::EndOptions);
  if (!read) return guessed(Guess::ForAll);
  Words rest = arguments.subspan(std::min(read->first_operand, arguments.size()));
  Inner inner;
  std::string text;
  for (const GivenOption& option : read->options) {
    if (option.name != "S" && option.name != "--split-string") continue;
    if (!append_text(text, std::span(&option.value, 1), false, inner)) return inner;
  }
  if (text.empty()) {
    rest = without_assignments(rest);
    if (!rest.empty()) inner.commands.push_back(rest);
  } else if (append_text(text, rest, true, inner)) {
    // The text may begin with further options of env.
    inner.scripts.push_back("env " + text);
  }
  return inner;
}

Inner run_by_find(Words words) {
  Inner inner;
  inner.replaces = "{}";
  for (std::size_t at = 1; at + 1 < words.size(); ++at) {
    const std::string_view text = words[at].text;
    if (text == "-exec" || text == "-execdir" || text == "-ok" || text == "-okdir")
      inner.commands.push_back(words.subspan(at + 1));
    // A wildcard may expand to one of these options.
    if (may_expand_to_option(words[at])) inner.guess = Guess::ForRules;
  }
  return inner;
}

// The index of TEXT in `sh -c TEXT`: the word after the options, one of which has a c.
std::size_t command_text(Words words) {
  bool commands = false;
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string_view text = words[at].text;
    const bool option = text.size() > 1 && (text[0] == '-' || text[0] == '+');
    if (!option || text == "--") {
      const std::size_t found = text == "--" ? at + 1 : at;
      return commands && found < words.size() ? found : 0;
    }
    if (text.starts_with("--")) continue;
    if (text.find('c') != std::string_view::npos) commands = true;
    // -o and -O have a name as their value.
    if (text.find_first_of("oO") != std::string_view::npos) ++at;
  }
  return 0;
}

// `trap TEXT SIGNAL...`: the shell runs the text later.
Inner run_by_trap(Words words) {
  const std::size_t text = words.size() > 1 && words[1].text == "--" ? 2 : 1;
  return text < words.size() ? text_of(words.subspan(text, 1)) : Inner{};
}

bool has_operand(Words words) {
  return std::any_of(words.begin() + 1, words.end(),
                     [](const Word& word) { return !word.text.starts_with('-'); });
}

Inner run_by_shell(Words words, bool reads_input) {
  if (const std::size_t text = command_text(words); text != 0)
    return text_of(words.subspan(text, 1));
  Inner inner;
  if (!has_operand(words) && reads_input)
    inner.trouble = "a shell reads its commands from elsewhere";
  return inner;
}

Inner run_by_interpreter(Words words, bool reads_input) {
  Inner inner;
  if (words.size() == 1 && reads_input)
    inner.trouble = "an interpreter reads its program from elsewhere";
  return inner;
}

}  // namespace

std::optional<Inner> find_inner(Words words, bool reads_input) {
  const std::string_view name = program_name(words.front().text);
  if (name == "env") return run_by_env(words);
  if (name == "find") return run_by_find(words);
  if (name == "trap") return run_by_trap(words);
  if (is_one_of(kShells, name)) return run_by_shell(words, reads_input);
  if (is_one_of(kInterpreters, name)) return run_by_interpreter(words, reads_input);
  const auto runner = std::find_if(kRunners.begin(), kRunners.end(),
                                   [&](const Runner& each) { return each.name == name; });
  if (runner != kRunners.end()) return run_by(*runner, words);
  const Sometimes* const sometimes = find_sometimes(name);
  if (sometimes != nullptr && runs_now(*sometimes, words)) return guessed(Guess::ForRules);
  return std::nullopt;
}

bool runs_programs(Words words) {
  const std::string_view name = program_name(words.front().text);
  const Sometimes* const sometimes = find_sometimes(name);
  if (sometimes != nullptr && runs_now(*sometimes, words)) return true;
  return is_one_of(kShells, name) || is_one_of(kOthers, name) ||
         std::any_of(kRunners.begin(), kRunners.end(),
                     [&](const Runner& each) { return each.name == name; });
}

}  // namespace host::permission::shell
