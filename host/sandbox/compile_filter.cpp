#include "sandbox/compile_filter.h"

#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/unique_fd.h"
#include "sandbox/landlock.h"
#include "sandbox/system_calls.h"

namespace host::sandbox {
namespace {

constexpr std::uint64_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint64_t kOpensForWriting = O_ACCMODE | O_CREAT | O_TRUNC;
constexpr std::uint64_t kSetVma = 0x53564d41;  // PR_SET_VMA: malloc names its mappings
constexpr std::uint64_t kSocketKind = 0xf;     // without SOCK_CLOEXEC and SOCK_NONBLOCK

// Adds rules; after the first that is refused nothing more is added, and ok() tells.
class Rules {
 public:
  explicit Rules(scmp_filter_ctx filter) : filter_(filter) {}

  template <class Names>
  void add(std::uint32_t action, const Names& names) {
    for (const char* name : names) add(action, name);
  }
  template <class... Comparisons>
  void add(std::uint32_t action, const char* name, Comparisons... comparisons) {
    const int number = ::seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR) return;
    const scmp_arg_cmp arguments[] = {comparisons..., scmp_arg_cmp{}};
    const int code =
        ::seccomp_rule_add_array(filter_, action, number, sizeof...(comparisons), arguments);
    // A call of another architecture, such as fork() where there is only clone().
    if (code != 0 && code != -EDOM) failed_ = true;
  }

  bool ok() const { return !failed_; }

 private:
  scmp_filter_ctx filter_;
  bool failed_ = false;
};

void add_opening(Rules& rules, const FilterKind& kind) {
  if (kind.write || kind.landlock_holds_writes) {
    rules.add(SCMP_ACT_ALLOW, "open");
    rules.add(SCMP_ACT_ALLOW, "openat");
  } else {
    rules.add(SCMP_ACT_ALLOW, "open", SCMP_A1_64(SCMP_CMP_MASKED_EQ, kOpensForWriting, O_RDONLY));
    rules.add(SCMP_ACT_ALLOW, "openat", SCMP_A2_64(SCMP_CMP_MASKED_EQ, kOpensForWriting, O_RDONLY));
  }
  // Its flags lie in memory, where no filter can look.
  const bool held = kind.write || kind.landlock_holds_writes;
  rules.add(held ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(ENOSYS), "openat2");
}

void add_processes(Rules& rules, const FilterKind& kind) {
  // Its flags lie in memory too: the libraries fall back to clone().
  rules.add(SCMP_ACT_ERRNO(ENOSYS), "clone3");
  if (kind.exec) {
    rules.add(SCMP_ACT_ALLOW, "clone", SCMP_A0_64(SCMP_CMP_MASKED_EQ, kNewNamespaces, 0));
    rules.add(SCMP_ACT_ALLOW, kRunning);
  } else {
    rules.add(SCMP_ACT_ALLOW, "clone",
              SCMP_A0_64(SCMP_CMP_MASKED_EQ, kNewNamespaces | CLONE_THREAD, CLONE_THREAD));
  }
}

void add_sockets(Rules& rules, const FilterKind& kind) {
  if (kind.exec || kind.sockets)
    rules.add(SCMP_ACT_ALLOW, "socketpair", SCMP_A0_64(SCMP_CMP_EQ, AF_UNIX));
  if (!kind.sockets) return;
  rules.add(SCMP_ACT_ALLOW, kConnecting);
  for (const int family : {AF_INET, AF_INET6}) {
    for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
      rules.add(SCMP_ACT_ALLOW, "socket",
                SCMP_A0_64(SCMP_CMP_EQ, static_cast<std::uint64_t>(family)),
                SCMP_A1_64(SCMP_CMP_MASKED_EQ, kSocketKind, static_cast<std::uint64_t>(type)));
    }
  }
  // Which addresses this machine has: names are resolved by it.
  rules.add(SCMP_ACT_ALLOW, "socket", SCMP_A0_64(SCMP_CMP_EQ, AF_NETLINK),
            SCMP_A2_64(SCMP_CMP_EQ, 0));
}

void add_careful(Rules& rules) {
  for (const std::uint64_t option :
       {std::uint64_t{PR_SET_NAME}, std::uint64_t{PR_GET_NAME}, std::uint64_t{PR_GET_DUMPABLE},
        std::uint64_t{PR_GET_NO_NEW_PRIVS}, std::uint64_t{PR_GET_SECCOMP},
        std::uint64_t{PR_CAPBSET_READ}, kSetVma}) {
    rules.add(SCMP_ACT_ALLOW, "prctl", SCMP_A0_64(SCMP_CMP_EQ, option));
  }
  // Reading its own limits.
  rules.add(SCMP_ACT_ALLOW, "prlimit64", SCMP_A0_64(SCMP_CMP_EQ, 0), SCMP_A2_64(SCMP_CMP_EQ, 0));
  for (const std::uint64_t request :
       {std::uint64_t{TCGETS}, std::uint64_t{TIOCGWINSZ}, std::uint64_t{FIONREAD},
        std::uint64_t{FIONBIO}, std::uint64_t{FIOCLEX}, std::uint64_t{FIONCLEX}}) {
    rules.add(SCMP_ACT_ALLOW, "ioctl", SCMP_A1_64(SCMP_CMP_EQ, request));
  }
}

Result<std::string> exported(scmp_filter_ctx filter) {
  const UniqueFd file(::memfd_create("filter", MFD_CLOEXEC));
  if (!file || ::seccomp_export_bpf(filter, file.get()) != 0)
    return Error{ErrorKind::Internal, "libseccomp cannot write the filter"};
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  std::string bytes(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
  if (::pread(file.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Error{ErrorKind::Internal, "cannot read the filter back"};
  return bytes;
}

}  // namespace

FilterKind filter_kind(const Profile& profile) {
  FilterKind kind;
  kind.write = std::any_of(profile.fs.begin(), profile.fs.end(),
                           [](const FsGrant& grant) { return grant.write; });
  kind.exec = profile.exec;
  kind.sockets = profile.sockets;
  kind.landlock_holds_writes = landlock_abi(profile.landlock_abi) >= kAbiThatHoldsWrites;
  return kind;
}

Result<std::string> compile_filter(const FilterKind& kind) {
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(
      ::seccomp_init(SCMP_ACT_ERRNO(EPERM)), ::seccomp_release);
  if (!filter) return Error{ErrorKind::Internal, "libseccomp cannot make a filter"};
  ::seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  ::seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree, not a list
  Rules rules(filter.get());
  rules.add(SCMP_ACT_ALLOW, kAlways);
  if (kind.write) {
    rules.add(SCMP_ACT_ALLOW, kWriting);
    rules.add(SCMP_ACT_ALLOW, "utimensat", SCMP_A1_64(SCMP_CMP_EQ, 0));  // by descriptor
  }
  add_opening(rules, kind);
  add_processes(rules, kind);
  add_sockets(rules, kind);
  add_careful(rules);
  rules.add(SCMP_ACT_KILL_PROCESS, kDeadly);
  if (!rules.ok()) return Error{ErrorKind::Internal, "libseccomp refuses a rule"};
  return exported(filter.get());
}

const std::string& Filters::of(const FilterKind& kind) {
  const auto known = compiled_.find(kind);
  if (known != compiled_.end()) return known->second;
  auto filter = compile_filter(kind);
  return compiled_.emplace(kind, filter ? *std::move(filter) : std::string()).first->second;
}

}  // namespace host::sandbox
