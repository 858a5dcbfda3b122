#include "attempts.h"

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <thread>

namespace escape {
namespace {

using Target = const std::string&;

// As system calls say it: 0, or an error's number.
int told(long result) {
  return result < 0 ? errno : 0;
}

int opened(Target path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  const int error = told(fd);
  if (fd >= 0) ::close(fd);
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

int forked(Target) {
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) ::_exit(0);
  return told(::waitpid(child, nullptr, 0));
}

int ran(Target program) {
  const std::string path = program.empty() ? "/bin/true" : program;
  char* const arguments[] = {const_cast<char*>(path.c_str()), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawn(&child, path.c_str(), nullptr, nullptr, arguments, environ);
  if (error != 0) return error;
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? 0 : ECHILD;
}

int raised(Target) {
  const rlimit more{4096, 4096};
  return told(::setrlimit(RLIMIT_NOFILE, &more));
}

int allocated(Target mebibytes) {
  const std::size_t size = static_cast<std::size_t>(std::atoi(mebibytes.c_str())) << 20u;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return errno;
  std::memset(memory, 1, size);
  return told(::munmap(memory, size));
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

int sealed_memory(Target) {
  const int fd = ::memfd_create("payload", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return errno;
  int error = told(::ftruncate(fd, 1 << 20));
  void* memory = ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (error == 0 && memory == MAP_FAILED) error = errno;
  if (error == 0) ::munmap(memory, 1 << 20);
  if (error == 0)
    error = told(::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
  ::close(fd);
  return error;
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
      {"chmod", [](Target path) { return told(::chmod(path.c_str(), 0777)); }},
      {"watch", watched},
      {"tcp", [](Target port) { return connected(SOCK_STREAM, port); }},
      {"udp", [](Target port) { return connected(SOCK_DGRAM, port); }},
      {"unix", connected_by_path},
      {"fork", forked},
      {"run", ran},
      {"signal_parent", [](Target) { return told(::kill(::getppid(), 0)); }},
      {"signal_parent_thread",
       [](Target) { return told(::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0)); }},
      {"ptrace",
       [](Target) { return told(::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr)); }},
      {"io_uring",
       [](Target) {
         char parameters[128] = {};
         return told(::syscall(SYS_io_uring_setup, 1, parameters));
       }},
      {"mount",
       [](Target path) { return told(::mount("none", path.c_str(), "tmpfs", 0, nullptr)); }},
      {"unshare", [](Target) { return told(::unshare(CLONE_NEWUSER | CLONE_NEWNS)); }},
      {"setuid",
       [](Target uid) { return told(::setuid(static_cast<uid_t>(std::atoi(uid.c_str())))); }},
      {"raise_limit", raised},
      {"parent_environment",
       [](Target) { return read_some("/proc/" + std::to_string(::getppid()) + "/environ"); }},
      {"allocate", allocated},
      {"burn",
       [](Target) {
         for (std::atomic<unsigned> turns{0};;) ++turns;
         return 0;
       }},
      {"thread", threaded},
      {"exception", caught},
      {"timer", timed},
      {"memfd", sealed_memory},
      {"maps", [](Target) { return read_some("/proc/self/maps"); }},
      {"signal_stack", with_signal_stack},
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
