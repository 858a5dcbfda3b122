#include "process.h"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <toolpost/toolpost.hpp>

#include "descendants.h"
#include "roots/roots.h"

namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  const char* grant = error == EPERM || error == EACCES
                          ? "; the operator grants exec = true in [plugin.shell]"
                          : "";
  throw toolpost::Error("the command could not be started: " + what + ": " + reason(error) + grant);
}

struct Pipe {
  Fd read, write;
};

// Only our side waits for nothing: the command expects pipes as they are everywhere.
Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("a pipe", errno);
  Pipe made{Fd(ends[0]), Fd(ends[1])};
  ::fcntl(made.read.get(), F_SETFL, O_NONBLOCK);
  return made;
}

// What posix_spawn is told: it runs no code of ours between fork and exec, so it is safe beside
// threads.
class Plan {
 public:
  Plan() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~Plan() {
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  void descriptors(int cwd, int out, int err) {
    ::posix_spawn_file_actions_addfchdir_np(&actions, cwd);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out, 1);
    ::posix_spawn_file_actions_adddup2(&actions, err, 2);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  }

  // A group of its own, and signals as a fresh program has them.
  void group_and_signals() {
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

Process::Process(const std::string& command, const Fd& cwd,
                 const std::vector<std::string>& environment) {
  adopt_orphans();
  Pipe out = make_pipe(), err = make_pipe();
  Plan plan;
  plan.descriptors(cwd.get(), out.write.get(), err.write.get());
  plan.group_and_signals();
  const std::vector<std::string> arguments = {"/bin/sh", "-c", command};
  const int error = ::posix_spawn(&pid_, "/bin/sh", &plan.actions, &plan.attributes,
                                  pointers(arguments).data(), pointers(environment).data());
  if (error != 0) fail("/bin/sh", error);
  out_ = std::move(out.read);
  err_ = std::move(err.read);
}

Process::~Process() {
  if (pid_ >= 0) end();
}

bool Process::end() {
  signal(SIGKILL);
  pid_ = -1;
  return end_descendants();
}

std::optional<Ending> Process::ended() const {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno == EINTR) return std::nullopt;
    fail("nobody can tell how it ends", errno);  // SIGCHLD is ignored here
  }
  if (info.si_pid == 0) return std::nullopt;
  if (info.si_code == CLD_EXITED) return Ending{info.si_status, 0};
  return Ending{0, info.si_status};
}

void Process::signal(int number) const {
  ::kill(-pid_, number);
}
