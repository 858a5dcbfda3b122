#include "upstream/stdio/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "upstream/keeper/control.h"

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

class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  int run(const ChildSettings& settings, const Theirs& theirs, pid_t& pid) {
    const std::pair<const UniqueFd&, int> given[] = {{theirs.input, STDIN_FILENO},
                                                     {theirs.output, STDOUT_FILENO},
                                                     {theirs.errors, STDERR_FILENO},
                                                     {theirs.control, kKeeperControl},
                                                     {theirs.status, kKeeperStatus}};
    for (const auto& [fd, number] : given)
      ::posix_spawn_file_actions_adddup2(&actions_, fd.get(), number);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, kLast + 1);
    if (!settings.cwd.empty())
      ::posix_spawn_file_actions_addchdir_np(&actions_, settings.cwd.c_str());
    std::vector<std::string> words{"toolpost-keeper", std::to_string(settings.grace.count()),
                                   settings.command};
    words.insert(words.end(), settings.args.begin(), settings.args.end());
    std::vector<std::string> variables = settings.env;
    return ::posix_spawn(&pid, settings.keeper.c_str(), &actions_, &attributes_,
                         pointers(words).data(), pointers(variables).data());
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

bool is_usual(std::string_view name) {
  constexpr std::string_view kUsual[] = {"PATH", "HOME", "USER", "LANG", "TZ", "TZDIR", "TMPDIR"};
  return name.starts_with("LC_") ||
         std::find(std::begin(kUsual), std::end(kUsual), name) != std::end(kUsual);
}

std::string_view name_in(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

Result<Child> spawn_upstream(const ChildSettings& settings) {
  Child child;
  Theirs theirs;
  HOST_TRY(make_pipe(theirs.input, child.input, child.input));
  HOST_TRY(make_pipe(child.output, theirs.output, child.output));
  HOST_TRY(make_pipe(child.errors, theirs.errors, child.errors));
  HOST_TRY(make_pipe(theirs.control, child.control, child.control));
  HOST_TRY(make_pipe(child.status, theirs.status, child.status));
  SpawnPlan plan;
  const int code = plan.run(settings, theirs, child.keeper);
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

bool reap_upstream(Child& child) {
  const pid_t pid = ::waitpid(child.keeper, nullptr, WNOHANG);
  return pid == child.keeper || (pid < 0 && errno != EINTR);
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
