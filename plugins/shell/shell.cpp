// shell: run a command in a granted folder.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <string.h>

#include <toolpost/toolpost.hpp>

#include "roots/roots.h"
#include "run.h"

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kMaxSeconds = 600;
// The result is on its way before the host's own deadline.
constexpr milliseconds kMargin{1500};

struct RunCommand {
  std::string command;
  std::optional<std::string> cwd;
  int timeout_s = 120;

  TOOLPOST_FIELDS(
      RunCommand,
      TOOLPOST_FIELD(command, "For /bin/sh; it has no input and no terminal",
                     toolpost::min_length(1), toolpost::max_length(32 * 1024)),
      TOOLPOST_FIELD(cwd, "Absolute path of the folder to run in; none: the first granted folder"),
      TOOLPOST_FIELD(timeout_s, "Seconds until it is ended", toolpost::minimum(1),
                     toolpost::maximum(kMaxSeconds)))
};

// What every command gets of the worker's environment, where it has it.
constexpr std::string_view kPassed[] = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR"};
// No pager and no prompt waits for a person. git takes settings, and so programs to run, only from
// a folder that is called .git, which is a dangerous path: any other folder can be made a
// repository by writing a few plain files.
constexpr const char* kSet[] = {"SHELL=/bin/sh",
                                "TERM=dumb",
                                "PAGER=cat",
                                "GIT_PAGER=cat",
                                "GIT_TERMINAL_PROMPT=0",
                                "GIT_CONFIG_COUNT=1",
                                "GIT_CONFIG_KEY_0=safe.bareRepository",
                                "GIT_CONFIG_VALUE_0=explicit"};

std::vector<std::string> environment(const std::vector<std::string>& more) {
  std::vector<std::string> variables(std::begin(kSet), std::end(kSet));
  for (char** at = ::environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (std::find(std::begin(kPassed), std::end(kPassed), name) != std::end(kPassed) ||
        name.starts_with("LC_") || std::find(more.begin(), more.end(), name) != more.end())
      variables.emplace_back(variable);
  }
  return variables;
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name == nullptr ? std::to_string(number) : "SIG" + std::string(name);
}

std::string in_seconds(milliseconds time) {
  const auto tenths = (time.count() + 50) / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

// "" for a command that succeeded.
std::string failure(const Outcome& outcome) {
  const std::string after = " after " + in_seconds(outcome.took);
  if (outcome.timed_out) {
    return "timed out" + after + ": the command" +
           (outcome.runs_on ? " was ended" : " and all it started were ended");
  }
  if (outcome.ending.signal != 0) return "ended by " + signal_name(outcome.ending.signal) + after;
  if (outcome.ending.exit_code != 0)
    return "exit code " + std::to_string(outcome.ending.exit_code) + after;
  return {};
}

std::string output(const Outcome& outcome) {
  std::string text = outcome.out.text();
  if (!outcome.err.empty()) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += "[stderr]\n" + outcome.err.text();
  }
  if (outcome.left_behind || outcome.runs_on) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += outcome.runs_on ? "[a process that it started still runs: it could not be ended]\n"
                            : "[what it left running in the background was ended]\n";
  }
  return text;
}

class Shell {
 public:
  struct Settings {
    std::vector<std::string> roots;
    int timeout_s = kMaxSeconds;
    std::int64_t max_output_bytes = 30'000;
    std::vector<std::string> env;

    TOOLPOST_FIELDS(Settings, TOOLPOST_FIELD(roots, "Folders to run in", toolpost::defaulted),
                    TOOLPOST_FIELD(timeout_s, "The most that a call may ask for",
                                   toolpost::minimum(1), toolpost::maximum(kMaxSeconds)),
                    TOOLPOST_FIELD(max_output_bytes, "Of each, output and errors",
                                   toolpost::minimum(1000), toolpost::maximum(4 << 20)),
                    TOOLPOST_FIELD(env, "Variables of the worker's that a command gets too",
                                   toolpost::defaulted))
  };

  explicit Shell(const Settings& settings)
      : roots_(settings.roots, "shell"),
        most_seconds_(settings.timeout_s),
        max_output_bytes_(static_cast<std::size_t>(settings.max_output_bytes)),
        environment_(environment(settings.env)) {}

  toolpost::Content run_command(const RunCommand& args, toolpost::Context& call) const {
    if (args.command.find('\0') != std::string::npos)
      throw toolpost::Error("command has a NUL byte");
    const Place place = where(args);
    const Fd cwd = roots_.open(place, O_PATH | O_DIRECTORY);
    if (!cwd) throw toolpost::Error("cwd: " + roots_.explain(place, errno));
    const Outcome outcome =
        run({args.command, cwd, environment_, until(args, call), max_output_bytes_}, call);
    const std::string text = output(outcome);
    const std::string failed = failure(outcome);
    toolpost::Content content;
    if (!text.empty() || failed.empty()) content.text(text.empty() ? "done, without output" : text);
    if (failed.empty()) return content;
    content.push_to(call);
    throw toolpost::Error(failed);
  }

  // Denies what could not run, before anybody is asked, and says where the rest runs.
  toolpost::Permission check(const RunCommand& args) const {
    try {
      return {.cwd = where(args).path()};
    } catch (const toolpost::Error& error) {
      return {toolpost::Behavior::deny, error.what(), "outside the granted folders"};
    }
  }

 private:
  Place where(const RunCommand& args) const {
    const bool first = !args.cwd && !roots_.folders().empty();
    return roots_.find(first ? roots_.folders().front() : args.cwd.value_or("/"));
  }

  std::chrono::steady_clock::time_point until(const RunCommand& args,
                                              const toolpost::Context& call) const {
    const auto now = std::chrono::steady_clock::now();
    const auto wanted = now + seconds(std::min(args.timeout_s, most_seconds_));
    const auto deadline = call.deadline();
    return deadline ? std::min(wanted, std::max(now, *deadline - kMargin)) : wanted;
  }

  Roots roots_;
  int most_seconds_;
  std::size_t max_output_bytes_;
  std::vector<std::string> environment_;
};

}  // namespace

TOOLPOST_PLUGIN(toolpost::Plugin<Shell>({.id = "io.toolpost.shell",
                                         .name = "Shell",
                                         .version = TOOLPOST_VERSION,
                                         .concurrent = true,
                                         .no_inline = true,
                                         .permissions = {"exec"}})
                    .tool("run_command",
                          "Run a shell command and read what it prints; a failure tells its exit "
                          "code",
                          &Shell::run_command,
                          {.title = "Run a command",
                           .serial = true,
                           .timeout = seconds(kMaxSeconds + 10),
                           .path_args = {"/cwd"},
                           .command_arg = "/command"})
                    .check_permissions(&Shell::check))
