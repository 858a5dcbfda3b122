#include "upstream/stdio/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/process/child_plan.h"
#include "base/process/open_files.h"
#include "upstream/confine/order.h"
#include "upstream/keeper/control.h"
#include "upstream/stdio/session_end.h"

extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 forgot to say so itself
}

namespace host::upstream {
namespace {

constexpr int kLast = kKeeperStatus;

Error failed(const std::string& what, int code) {
  return Error{ErrorKind::Io, what + ": " + std::strerror(code)};
}

// Above the numbers that the child's own descriptors get, so that no dup2 replaces a source.
bool raise(UniqueFd& fd) {
  if (fd.get() <= kLast) fd = UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kLast + 1));
  return static_cast<bool>(fd);
}

// Ours does not block, theirs does.
Result<void> make_pipe(UniqueFd& read_end, UniqueFd& write_end, const UniqueFd& ours) {
  int pipes[2];
  if (::pipe2(pipes, O_CLOEXEC) != 0) return failed("cannot make a pipe", errno);
  read_end.reset(pipes[0]);
  write_end.reset(pipes[1]);
  if (!raise(read_end) || !raise(write_end)) return failed("cannot copy a descriptor", errno);
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  return {};
}

struct Theirs {
  UniqueFd input;
  UniqueFd output;
  UniqueFd errors;
  UniqueFd control;
  UniqueFd status;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::string terms_of(const ChildSettings& settings) {
  const std::uint64_t reports = settings.sandbox ? 1 : 0;
  std::string terms = std::to_string(settings.grace.count());
  for (const std::uint64_t term :
       {settings.file_bytes, settings.memory_bytes, reports, open_files_of_programs()})
    terms += ":" + std::to_string(term);
  return terms;
}

void add_confinement(const ChildSettings& settings, std::vector<std::string>& words) {
  words.push_back(confiner_of(settings));
  sandbox::Profile profile = *settings.sandbox;
  profile.host = static_cast<std::uint32_t>(::getpid());
  for (std::string& word : words_of(profile)) words.push_back(std::move(word));
  words.emplace_back("--");
}

int run_keeper(const ChildSettings& settings, const Theirs& theirs, pid_t& pid) {
  ChildPlan plan;
  plan.give(theirs.input.get(), STDIN_FILENO);
  plan.give(theirs.output.get(), STDOUT_FILENO);
  plan.give(theirs.errors.get(), STDERR_FILENO);
  plan.give(theirs.control.get(), kKeeperControl);
  plan.give(theirs.status.get(), kKeeperStatus);
  plan.close_from(kLast + 1);
  if (!settings.cwd.empty()) plan.enter(settings.cwd);
  std::vector<std::string> words{"toolpost-keeper", terms_of(settings)};
  if (settings.sandbox) add_confinement(settings, words);
  words.push_back(settings.command);
  words.insert(words.end(), settings.args.begin(), settings.args.end());
  std::vector<std::string> variables = settings.env;
  return plan.run(settings.keeper, pointers(words).data(), pointers(variables).data(), pid);
}

bool is_usual(std::string_view name) {
  constexpr std::string_view kUsual[] = {"PATH", "HOME", "USER", "LANG", "TZ", "TZDIR", "TMPDIR"};
  return name.starts_with("LC_") ||
         std::find(std::begin(kUsual), std::end(kUsual), name) != std::end(kUsual);
}

std::string_view name_in(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

std::filesystem::path confiner_of(const ChildSettings& settings) {
  return settings.keeper.parent_path() / "toolpost-confine";
}

Result<Child> spawn_upstream(const ChildSettings& settings) {
  Child child;
  Theirs theirs;
  HOST_TRY(make_pipe(theirs.input, child.input, child.input));
  HOST_TRY(make_pipe(child.output, theirs.output, child.output));
  HOST_TRY(make_pipe(child.errors, theirs.errors, child.errors));
  HOST_TRY(make_pipe(theirs.control, child.control, child.control));
  HOST_TRY(make_pipe(child.status, theirs.status, child.status));
  const int code = run_keeper(settings, theirs, child.keeper);
  if (code != 0) {
    const bool folder = !settings.cwd.empty() && ::access(settings.cwd.c_str(), X_OK) != 0;
    return folder ? failed("cannot enter cwd = \"" + settings.cwd.string() + "\"", errno)
                  : failed("cannot start " + settings.keeper.string(), code);
  }
  child.pidfd.reset(::pidfd_open(child.keeper, 0));
  if (!child.pidfd) {
    const int why = errno;
    child.control.reset();  // the keeper ends the server, and itself
    ::waitpid(child.keeper, nullptr, 0);
    return failed("cannot watch the upstream's process", why);
  }
  return child;
}

void kill_keeper(const Child& child) {
  if (child.keeper > 0) ::kill(child.keeper, SIGKILL);  // not reaped yet: the number is its own
}

bool reap_upstream(Child& child) {
  siginfo_t info{};
  const auto keeper = static_cast<id_t>(child.keeper);
  if (::waitid(P_PID, keeper, &info, WEXITED | WNOWAIT | WNOHANG) != 0) {
    if (errno == EINTR) return false;
  } else {
    if (info.si_pid == 0) return false;
    // Somebody killed the keeper, so it ended nothing. Its number is the session's until it is
    // reaped.
    if (info.si_code != CLD_EXITED) end_session(child.keeper);
    ::waitpid(child.keeper, nullptr, WNOHANG);
  }
  child.keeper = 0;
  return true;
}

std::vector<std::string> upstream_environment(const std::vector<std::string>& added) {
  std::vector<std::string> out;
  const auto is_added = [&](std::string_view name) {
    return std::any_of(added.begin(), added.end(),
                       [&](const std::string& one) { return name_in(one) == name; });
  };
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view name = name_in(*variable);
    if (is_usual(name) && !is_added(name)) out.emplace_back(*variable);
  }
  out.insert(out.end(), added.begin(), added.end());
  return out;
}

}  // namespace host::upstream
