#include "attempts.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

namespace escape {
namespace {

using Target = const std::string&;

// As system calls say it: 0, or an error's number.
int told(long result) {
  return result < 0 ? errno : 0;
}

int opened(Target path, int flags, mode_t mode = 0600) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  const int error = told(fd);
  if (fd >= 0) ::close(fd);
  return error;
}

int changed_mode(Target path, mode_t mode) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const int error = told(fd < 0 ? -1 : ::fchmod(fd, mode));
  if (fd >= 0) ::close(fd);
  return error;
}

int made_by_openat2(Target path) {
  open_how how{};
  how.flags = O_WRONLY | O_CREAT | O_CLOEXEC;
  how.mode = 04755;
  const long fd = ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how);
  const int error = told(fd);
  if (fd >= 0) ::close(static_cast<int>(fd));
  return error;
}

int read_some(Target path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  char byte = 0;
  const int error = told(::read(fd, &byte, 1));
  ::close(fd);
  return error;
}

int listed(Target path) {
  DIR* folder = ::opendir(path.c_str());
  if (folder == nullptr) return errno;
  ::closedir(folder);
  return 0;
}

int watched(Target path) {
  const int fd = ::inotify_init1(IN_CLOEXEC);
  if (fd < 0) return errno;
  const int error = told(::inotify_add_watch(fd, path.c_str(), IN_CREATE));
  ::close(fd);
  return error;
}

int connected(int type, Target port) {
  const int fd = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(static_cast<in_port_t>(std::atoi(port.c_str())));
  const int error = told(::connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at));
  ::close(fd);
  return error;
}

int connected_by_path(Target path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::strncpy(at.sun_path, path.c_str(), sizeof at.sun_path - 1);
  const int error = told(::connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at));
  ::close(fd);
  return error;
}

// To a local service, from an end of a pair: no connect() is needed.
int sent_from_pair(int type, Target path) {
  int ends[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::strncpy(at.sun_path, path.c_str(), sizeof at.sun_path - 1);
  const int error = told(::sendto(ends[0], "x", 1, 0, reinterpret_cast<sockaddr*>(&at), sizeof at));
  ::close(ends[0]);
  ::close(ends[1]);
  return error;
}

int told_over_pair(int type) {
  int ends[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  char byte = 0;
  const bool came = ::write(ends[0], "x", 1) == 1 && ::read(ends[1], &byte, 1) == 1;
  ::close(ends[0]);
  ::close(ends[1]);
  return came ? 0 : EIO;
}

int forked(Target) {
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) ::_exit(0);
  return told(::waitpid(child, nullptr, 0));
}

// A program would get a descriptor that has no FD_CLOEXEC.
int kept_descriptors(Target) {
  for (int fd = 3; fd < 1024; ++fd) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) return EEXIST;
  }
  return 0;
}

constexpr std::uint32_t kAsItIs = ~0u;  // of ids

std::uint32_t id_of(Target text) {
  return static_cast<std::uint32_t>(std::atoi(text.c_str()));
}

int spawned(Target program, const posix_spawnattr_t* how) {
  const std::string path = program.empty() ? "/bin/true" : program;
  char* const arguments[] = {const_cast<char*>(path.c_str()), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawn(&child, path.c_str(), nullptr, how, arguments, environ);
  if (error != 0) return error;
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? 0 : ECHILD;
}

int ran(Target program) {
  return spawned(program, nullptr);
}

// As make does.
int spawned_with_own_ids(Target program) {
  posix_spawnattr_t how;
  ::posix_spawnattr_init(&how);
  ::posix_spawnattr_setflags(&how, POSIX_SPAWN_RESETIDS);
  const int error = spawned(program, &how);
  ::posix_spawnattr_destroy(&how);
  return error;
}

constexpr int kMostOfBomb = 400;

// Children that only wait, until there are many, or the kernel makes no more. None of them is left.
int forked_often(Target) {
  std::vector<pid_t> children;
  int error = 0;
  for (int i = 0; i < kMostOfBomb && error == 0; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) ::pause();
    }
    error = told(child);
    if (error == 0) children.push_back(child);
  }
  for (const pid_t child : children) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  return error;
}

// ---- signals to the host

// Aims the kernel's own signals at the parent: what becomes readable here kills it.
int aimed_at_parent(Target) {
  int pipes[2];
  if (::pipe2(pipes, O_CLOEXEC) != 0) return errno;
  int error = told(::fcntl(pipes[0], F_SETOWN, ::getppid()));
  if (error == 0) error = told(::fcntl(pipes[0], F_SETSIG, SIGKILL));
  if (error == 0) error = told(::fcntl(pipes[0], F_SETFL, O_NONBLOCK | O_ASYNC));
  if (error == 0) error = told(::write(pipes[1], "x", 1));
  ::close(pipes[0]);
  ::close(pipes[1]);
  return error;
}

// One step of it alone, on a pipe of its own.
template <class Act>
int on_pipe(Act act) {
  int pipes[2];
  if (::pipe2(pipes, O_CLOEXEC) != 0) return errno;
  const int error = told(act(pipes[0]));
  ::close(pipes[0]);
  ::close(pipes[1]);
  return error;
}

int owned_by_parent_thread(Target) {
  return on_pipe([](int fd) {
    const f_owner_ex owner{F_OWNER_TID, ::getppid()};
    return ::fcntl(fd, F_SETOWN_EX, &owner);
  });
}

int owned_by_parent(Target request) {
  const pid_t parent = ::getppid();
  const unsigned long number = request == "siocspgrp" ? SIOCSPGRP : FIOSETOWN;
  return on_pipe([&](int fd) { return ::ioctl(fd, number, &parent); });
}

int asynchronous(Target) {
  return on_pipe([](int fd) {
    int on = 1;
    return ::ioctl(fd, FIOASYNC, &on);
  });
}

int typed(Target) {
  char key = '\x03';
  return told(::ioctl(0, TIOCSTI, &key));
}

// A timer whose signal goes to a thread of the parent.
int timed_parent(Target) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGURG;
  event._sigev_un._tid = ::getppid();
  int timer = 0;
  return told(::syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer));
}

int queued_to_parent(Target) {
  siginfo_t info{};
  info.si_code = SI_QUEUE;
  return told(::syscall(SYS_rt_sigqueueinfo, ::getppid(), SIGURG, &info));
}

int queued_to_parent_thread(Target) {
  siginfo_t info{};
  info.si_code = SI_QUEUE;
  return told(::syscall(SYS_rt_tgsigqueueinfo, ::getppid(), ::getppid(), SIGURG, &info));
}

int signalled_by_pidfd(Target) {
  const long parent = ::syscall(SYS_pidfd_open, ::getppid(), 0);
  if (parent < 0) return errno;
  const int error = told(::syscall(SYS_pidfd_send_signal, parent, 0, nullptr, 0));
  ::close(static_cast<int>(parent));
  return error;
}

// Overflows of a counter send a signal to whoever the descriptor belongs to.
int counted(Target) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof attributes;
  return told(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

int advised_parent(Target) {
  return told(::syscall(SYS_process_madvise, -1, nullptr, 0, MADV_COLD, 0));
}

// ---- other ways to stop or slow the host

int slowed_parent(Target) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  return told(::sched_setaffinity(::getppid(), sizeof one, &one));
}

int limited_parent(Target) {
  const rlimit none{0, 4096};
  return told(::prlimit(::getppid(), RLIMIT_CORE, &none, nullptr));
}

int raised(Target) {
  const rlimit more{4096, 4096};
  return told(::setrlimit(RLIMIT_NOFILE, &more));
}

int take_memory(Target mebibytes, int kind) {
  const std::size_t size = static_cast<std::size_t>(std::atoi(mebibytes.c_str())) << 20u;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return errno;
  std::memset(memory, 1, size);
  return told(::munmap(memory, size));
}

int allocated(Target mebibytes) {
  return take_memory(mebibytes, MAP_PRIVATE);
}

int shared(Target mebibytes) {
  return take_memory(mebibytes, MAP_SHARED);
}

int traced(Target) {
  return told(::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr));
}

int traced_for_a_moment(Target number) {
  const pid_t pid = std::atoi(number.c_str());
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) return errno;
  ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr);
  ::waitpid(pid, nullptr, __WALL);
  return told(::ptrace(PTRACE_DETACH, pid, nullptr, nullptr));
}

// Without the C library, which may keep its own record of handlers: the kernel's struct.
long take_sigsys() {
  struct {
    void (*handler)(int) = [](int) {};
    unsigned long flags = 0;
    void (*restorer)() = nullptr;
    std::uint64_t mask = 0;
  } action;
  return ::syscall(SYS_rt_sigaction, SIGSYS, &action, nullptr, sizeof action.mask);
}

int threaded(Target) {
  int seen = 0;
  std::thread([&seen] { seen = 1; }).join();
  return seen == 1 ? 0 : ESRCH;
}

int caught(Target) {
  try {
    throw std::runtime_error("thrown");
  } catch (const std::exception&) {
    return 0;
  }
}

int timed(Target) {
  const int fd = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  if (fd < 0) return errno;
  const itimerspec soon{{}, {0, 1'000'000}};
  int error = told(::timerfd_settime(fd, 0, &soon, nullptr));
  pollfd wait{fd, POLLIN, 0};
  if (error == 0 && ::poll(&wait, 1, 5000) != 1) error = ETIMEDOUT;
  ::close(fd);
  return error;
}

int file_of_memory(Target) {
  const int fd = ::memfd_create("hoard", MFD_CLOEXEC);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

int with_signal_stack(Target) {
  static char stack[64 << 10];
  const stack_t other{stack, 0, sizeof stack};
  if (::sigaltstack(&other, nullptr) != 0) return errno;
  struct sigaction act {};
  act.sa_handler = [](int) {};
  act.sa_flags = SA_ONSTACK;
  if (::sigaction(SIGUSR1, &act, nullptr) != 0) return errno;
  if (::syscall(SYS_tgkill, ::getpid(), ::gettid(), SIGUSR1) != 0) return errno;
  const stack_t none{nullptr, SS_DISABLE, 0};
  return told(::sigaltstack(&none, nullptr));
}

const std::map<std::string, std::function<int(Target)>>& attempts() {
  static const std::map<std::string, std::function<int(Target)>> kAttempts = {
      {"read", read_some},
      {"list", listed},
      {"write", [](Target path) { return opened(path, O_WRONLY | O_CREAT); }},
      {"make_folder", [](Target path) { return told(::mkdir(path.c_str(), 0700)); }},
      {"remove", [](Target path) { return told(::unlink(path.c_str())); }},
      {"truncate", [](Target path) { return told(::truncate(path.c_str(), 0)); }},
      {"truncate_open", [](Target path) { return opened(path, O_RDONLY | O_TRUNC); }},
      {"truncate_unopened", [](Target path) { return opened(path, O_ACCMODE | O_TRUNC); }},
      {"chmod", [](Target path) { return told(::chmod(path.c_str(), 0777)); }},
      {"join_parent_group", [](Target) { return told(::setpgid(0, ::getpgid(::getppid()))); }},
      {"allocate_growing",
       [](Target) {
         return told(::mmap(nullptr, 1u << 20u, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0) == MAP_FAILED
                         ? -1
                         : 0);
       }},
      {"chmod_open", [](Target path) { return changed_mode(path, 0755); }},
      {"set_user_id", [](Target path) { return changed_mode(path, 04755); }},
      {"set_group_id", [](Target path) { return changed_mode(path, 02755); }},
      {"make_user_id", [](Target path) { return opened(path, O_WRONLY | O_CREAT, 04755); }},
      {"make_unnamed_user_id",
       [](Target path) { return opened(path, O_WRONLY | O_TMPFILE, 04755); }},
      {"create_group_id", [](Target path) { return told(::creat(path.c_str(), 02755)); }},
      {"make_user_id_by_openat2", made_by_openat2},
      {"watch", watched},
      {"tcp", [](Target port) { return connected(SOCK_STREAM, port); }},
      {"udp", [](Target port) { return connected(SOCK_DGRAM, port); }},
      {"unix", connected_by_path},
      {"datagram_pair", [](Target path) { return sent_from_pair(SOCK_DGRAM, path); }},
      {"raw_pair", [](Target path) { return sent_from_pair(SOCK_RAW, path); }},
      {"stream_pair", [](Target) { return told_over_pair(SOCK_STREAM); }},
      {"packet_pair", [](Target) { return told_over_pair(SOCK_SEQPACKET); }},
      {"fork", forked},
      {"fork_often", forked_often},
      {"run", ran},
      {"keep_descriptors", kept_descriptors},
      {"signal_parent", [](Target) { return told(::kill(::getppid(), 0)); }},
      {"signal", [](Target pid) { return told(::kill(std::atoi(pid.c_str()), 0)); }},
      {"trace", traced_for_a_moment},
      {"signal_parent_thread",
       [](Target) { return told(::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0)); }},
      {"signal_parent_group", [](Target) { return told(::kill(-::getpgid(::getppid()), 0)); }},
      {"signal_all", [](Target) { return told(::kill(-1, 0)); }},
      {"signal_thread", [](Target) { return told(::syscall(SYS_tkill, ::getppid(), 0)); }},
      {"aim_at_parent", aimed_at_parent},
      {"own_by_parent",
       [](Target) { return on_pipe([](int fd) { return ::fcntl(fd, F_SETOWN, ::getppid()); }); }},
      {"own_by_parent_thread", owned_by_parent_thread},
      {"choose_signal",
       [](Target) { return on_pipe([](int fd) { return ::fcntl(fd, F_SETSIG, SIGURG); }); }},
      {"notify",
       [](Target) { return on_pipe([](int fd) { return ::fcntl(fd, F_SETFL, O_ASYNC); }); }},
      {"lease",
       [](Target) { return on_pipe([](int fd) { return ::fcntl(fd, F_SETLEASE, F_RDLCK); }); }},
      {"notify_of_folder",
       [](Target) { return on_pipe([](int fd) { return ::fcntl(fd, F_NOTIFY, DN_CREATE); }); }},
      {"own_by_ioctl", owned_by_parent},
      {"notify_by_ioctl", asynchronous},
      {"type", typed},
      {"outlive_parent", [](Target) { return told(::prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)); }},
      {"timer_to_parent", timed_parent},
      {"queue_to_parent", queued_to_parent},
      {"queue_to_parent_thread", queued_to_parent_thread},
      {"pidfd_signal", signalled_by_pidfd},
      {"perf_event", counted},
      {"process_madvise", advised_parent},
      {"leave_session", [](Target) { return told(::setsid()); }},
      {"slow_parent", slowed_parent},
      {"slow_user", [](Target) { return told(::setpriority(PRIO_USER, 0, 19)); }},
      {"slow_parent_priority",
       [](Target) { return told(::setpriority(PRIO_PROCESS, ::getppid(), 19)); }},
      {"limit_parent", limited_parent},
      {"ptrace", traced},
      {"ptrace_with_a_handler",
       [](Target none) {
         take_sigsys();
         return traced(none);
       }},
      {"ptrace_with_a_blocked_signal",
       [](Target none) {
         sigset_t all;
         ::sigfillset(&all);
         ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
         return traced(none);
       }},
      {"ptrace_on_a_thread",
       [](Target none) {
         int error = 0;
         std::thread([&] { error = traced(none); }).join();
         return error;
       }},
      {"set_handler", [](Target) { return told(take_sigsys()); }},
      {"send_sigsys", [](Target) { return told(::raise(SIGSYS)); }},
      {"io_uring",
       [](Target) {
         char parameters[128] = {};
         return told(::syscall(SYS_io_uring_setup, 1, parameters));
       }},
      {"mount",
       [](Target path) { return told(::mount("none", path.c_str(), "tmpfs", 0, nullptr)); }},
      {"unshare", [](Target) { return told(::unshare(CLONE_NEWUSER | CLONE_NEWNS)); }},
      {"setuid", [](Target uid) { return told(::setuid(id_of(uid))); }},
      {"setreuid", [](Target uid) { return told(::setreuid(id_of(uid), id_of(uid))); }},
      {"setresuid",
       [](Target uid) { return told(::setresuid(id_of(uid), id_of(uid), id_of(uid))); }},
      {"setgid", [](Target gid) { return told(::setgid(id_of(gid))); }},
      {"setregid", [](Target gid) { return told(::setregid(id_of(gid), id_of(gid))); }},
      {"setresgid",
       [](Target gid) { return told(::setresgid(id_of(gid), id_of(gid), id_of(gid))); }},
      {"only_real", [](Target uid) { return told(::setresuid(id_of(uid), kAsItIs, kAsItIs)); }},
      {"only_effective",
       [](Target uid) { return told(::setresuid(kAsItIs, id_of(uid), kAsItIs)); }},
      {"only_saved", [](Target uid) { return told(::setresuid(kAsItIs, kAsItIs, id_of(uid))); }},
      {"only_saved_group",
       [](Target gid) { return told(::setresgid(kAsItIs, kAsItIs, id_of(gid))); }},
      {"leave_groups", [](Target) { return told(::setgroups(0, nullptr)); }},
      {"spawn_with_own_ids", spawned_with_own_ids},
      {"raise_limit", raised},
      {"parent_environment",
       [](Target) { return read_some("/proc/" + std::to_string(::getppid()) + "/environ"); }},
      {"allocate", allocated},
      {"share", shared},
      {"burn",
       [](Target) {
         for (std::atomic<unsigned> turns{0};;) ++turns;
         return 0;
       }},
      {"thread", threaded},
      {"exception", caught},
      {"timer", timed},
      {"memfd", file_of_memory},
      {"maps", [](Target) { return read_some("/proc/self/maps"); }},
      {"signal_stack", with_signal_stack},
      {"nonblocking",
       [](Target) { return on_pipe([](int fd) { return ::fcntl(fd, F_SETFL, O_NONBLOCK); }); }},
      {"duplicate",
       [](Target) {
         return on_pipe([](int fd) { return ::close(::fcntl(fd, F_DUPFD_CLOEXEC, 10)); });
       }},
      {"own_affinity",
       [](Target) {
         cpu_set_t all;
         if (::sched_getaffinity(0, sizeof all, &all) != 0) return errno;
         return told(::sched_setaffinity(0, sizeof all, &all));
       }},
      {"zone", [](Target) { return read_some("/usr/share/zoneinfo/Europe/Berlin"); }},
  };
  return kAttempts;
}

}  // namespace

std::string attempt(const std::string& what, const std::string& target) {
  const auto known = attempts().find(what);
  if (known == attempts().end()) return "no such attempt";
  const int error = known->second(target);
  return error == 0 ? "done" : ::strerrorname_np(error);
}

}  // namespace escape
