#include "recorder.h"

#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "become_shell.h"

namespace {

// What never ends is meant to be caught, not what is slow.
constexpr std::chrono::seconds kLimit{60};

constexpr const char* kChanging[] = {
    "creat",        "truncate",    "ftruncate", "rename",    "renameat",    "renameat2",
    "unlink",       "unlinkat",    "rmdir",     "mkdir",     "mkdirat",     "mknod",
    "mknodat",      "link",        "linkat",    "symlink",   "symlinkat",   "chmod",
    "fchmod",       "fchmodat",    "chown",     "fchown",    "lchown",      "fchownat",
    "utime",        "utimes",      "utimensat", "futimesat", "setxattr",    "lsetxattr",
    "fsetxattr",    "removexattr", "fallocate", "mount",     "sethostname", "clock_settime",
    "settimeofday", "ptrace",      "kill",      "tkill",     "bpf",         "socket"};

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

scmp_filter_ctx make_filter() {
  scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ALLOW);
  if (filter == nullptr) give_up("seccomp_init");
  const auto ask = [&](const char* name) {
    const int number = ::seccomp_syscall_resolve_name(name);
    if (number != __NR_SCMP_ERROR) ::seccomp_rule_add(filter, SCMP_ACT_NOTIFY, number, 0);
  };
  for (const char* name : kChanging) ask(name);
  for (const char* name : {"execve", "execveat", "openat2"}) ask(name);
  // For writing: O_WRONLY, O_RDWR, O_CREAT or O_TRUNC.
  for (const auto& [name, argument] : {std::pair{"open", 1u}, std::pair{"openat", 2u}}) {
    for (const std::uint64_t flag : {O_WRONLY, O_RDWR, O_CREAT, O_TRUNC}) {
      ::seccomp_rule_add(filter, SCMP_ACT_NOTIFY, ::seccomp_syscall_resolve_name(name), 1,
                         SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, flag, flag));
    }
  }
  return filter;
}

void send_fd(int over, int fd) {
  char byte = 'f';
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  if (::sendmsg(over, &message, 0) != 1) give_up("sendmsg");
}

Fd receive_fd(int over) {
  char byte = 0;
  iovec data{&byte, 1};
  int fd = -1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(over, &message, MSG_CMSG_CLOEXEC) != 1) return Fd();
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr) return Fd();
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return Fd(fd);
}

[[noreturn]] void become(const std::string& command, const std::string& folder,
                         const std::vector<std::string>& environment, int over) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = ::open("/dev/null", O_RDWR);
  for (const int fd : {0, 1, 2}) ::dup2(null, fd);
  if (::chdir(folder.c_str()) != 0) give_up("chdir");
  const scmp_filter_ctx filter = make_filter();
  if (::seccomp_load(filter) != 0) give_up("seccomp_load");
  send_fd(over, ::seccomp_notify_fd(filter));
  ::close_range(3, ~0u, 0);
  become_shell(command, environment);
}

std::string text_at(pid_t pid, std::uint64_t address) {
  std::string text;
  // Page by page: the next one may not be mapped.
  while (text.size() < PATH_MAX) {
    char buffer[4096];
    const std::size_t size = 4096 - (address + text.size()) % 4096;
    iovec local{buffer, size};
    iovec remote{reinterpret_cast<void*>(address + text.size()), size};
    const ssize_t count = ::process_vm_readv(pid, &local, 1, &remote, 1, 0);
    if (count <= 0) return text;
    const void* const end = std::memchr(buffer, '\0', static_cast<std::size_t>(count));
    if (end != nullptr)
      return text.append(static_cast<const char*>(buffer), static_cast<const char*>(end));
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

bool is_of_the_system(std::string_view path) {
  return path.starts_with("/usr/") || path.starts_with("/bin/");
}

// Answers one question; nothing: it is allowed.
std::optional<Attempt> judge(const seccomp_notif& asked,
                             const std::set<std::string, std::less<>>& programs) {
  char* const resolved = ::seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, asked.data.nr);
  Attempt attempt{resolved != nullptr ? resolved : "?", ""};
  std::free(resolved);
  const auto pid = static_cast<pid_t>(asked.pid);
  const bool at = attempt.call.ends_with("at") || attempt.call == "openat2";
  if (attempt.call == "socket") {
    // Names of users may be asked for over one of the machine's own.
    if (asked.data.args[0] == AF_UNIX) return std::nullopt;
    return attempt;
  }
  if (attempt.call == "kill" || attempt.call == "tkill") return attempt;
  attempt.what = text_at(pid, asked.data.args[at ? 1 : 0]);
  if (attempt.call == "openat" || attempt.call == "open") {
    if (attempt.what == "/dev/null") return std::nullopt;
  }
  if (attempt.call.starts_with("execve")) {
    const std::string_view path = attempt.what;
    if (is_of_the_system(path) && programs.contains(path.substr(path.rfind('/') + 1)))
      return std::nullopt;
  }
  return attempt;
}

}  // namespace

Recorder::Recorder(std::set<std::string, std::less<>> programs) : programs_(std::move(programs)) {}

bool Recorder::works() {
  return ::seccomp_api_get() >= 5;
}

Recorded Recorder::run(const std::string& command, const std::string& folder,
                       const std::vector<std::string>& environment) const {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) give_up("socketpair");
  const Fd ours(ends[0]);
  Fd theirs(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) give_up("fork");
  if (pid == 0) become(command, folder, environment, theirs.get());
  theirs = Fd();
  const Fd questions = receive_fd(ours.get());
  if (questions.get() < 0) give_up("the filter");

  Recorded recorded;
  seccomp_notif* asked = nullptr;
  seccomp_notif_resp* answer = nullptr;
  if (::seccomp_notify_alloc(&asked, &answer) != 0) give_up("seccomp_notify_alloc");
  const auto limit = std::chrono::steady_clock::now() + kLimit;
  while (true) {
    if (std::chrono::steady_clock::now() > limit) {
      recorded.ended = false;
      break;
    }
    pollfd waits{questions.get(), POLLIN, 0};
    if (::poll(&waits, 1, 1000) <= 0) continue;
    if ((waits.revents & POLLIN) == 0) break;  // nobody is left who could ask
    std::memset(asked, 0, sizeof *asked);
    if (::seccomp_notify_receive(questions.get(), asked) != 0) continue;
    const auto refused = judge(*asked, programs_);
    // Ours is the first: nothing of the command's has run yet.
    std::memset(answer, 0, sizeof *answer);
    answer->id = asked->id;
    if (refused) {
      answer->error = -EPERM;
    } else {
      answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    if (::seccomp_notify_respond(questions.get(), answer) == 0 && refused)
      recorded.refused.push_back(*refused);
  }
  ::seccomp_notify_free(asked, answer);
  ::kill(-pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return recorded;
}
