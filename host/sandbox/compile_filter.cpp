#include "sandbox/compile_filter.h"

#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"
#include "sandbox/landlock.h"
#include "sandbox/system_calls.h"

// libseccomp's macros for arguments leave out a member that their comparison does not use.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace host::sandbox {
namespace {

constexpr std::uint64_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
// The host's child, which it would never reap; or one that a tracer of ours gets.
constexpr std::uint64_t kOthersChild = CLONE_PARENT | CLONE_PTRACE;
constexpr std::uint64_t kOpensForWriting = O_ACCMODE | O_CREAT | O_TRUNC;
constexpr std::uint64_t kSetsIds = S_ISUID | S_ISGID;  // in the mode of a file
constexpr std::uint64_t kMakesFiles = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);
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

// Landlock looks at what is opened to be written, before it is truncated. It does not see what is
// truncated and opened otherwise: to be read, or to be neither read nor written (3).
void add_opening_under_landlock(Rules& rules, const char* name, unsigned flags) {
  rules.add(SCMP_ACT_ALLOW, name,
            scmp_arg_cmp{flags, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_TRUNC, O_RDONLY});
  for (const std::uint64_t access : {O_WRONLY, O_RDWR})
    rules.add(SCMP_ACT_ALLOW, name, scmp_arg_cmp{flags, SCMP_CMP_MASKED_EQ, O_ACCMODE, access});
}

// A program of the host's user that runs with this user's rights for everyone is made nowhere. The
// kernel reads the mode only where a file is made.
void add_opening_of_writers(Rules& rules, const char* name, unsigned flags) {
  rules.add(SCMP_ACT_ALLOW, name, scmp_arg_cmp{flags, SCMP_CMP_MASKED_EQ, kMakesFiles, 0});
  rules.add(SCMP_ACT_ALLOW, name, scmp_arg_cmp{flags + 1, SCMP_CMP_MASKED_EQ, kSetsIds, 0});
}

void add_modes(Rules& rules) {
  constexpr std::pair<const char*, unsigned> kModes[] = {
      {"creat", 1}, {"fchmod", 1}, {"mkdir", 1}, {"mkdirat", 2}};
  for (const auto& [name, mode] : kModes)
    rules.add(SCMP_ACT_ALLOW, name, scmp_arg_cmp{mode, SCMP_CMP_MASKED_EQ, kSetsIds, 0});
}

void add_opening(Rules& rules, const FilterKind& kind) {
  const bool held = !kind.write && kind.landlock_holds_writes;
  for (const auto& [name, flags] : {std::pair{"open", 1u}, std::pair{"openat", 2u}}) {
    if (kind.write) {
      add_opening_of_writers(rules, name, flags);
    } else if (held) {
      rules.add(SCMP_ACT_ALLOW, name);
    } else if (kind.landlock_holds_opening) {
      add_opening_under_landlock(rules, name, flags);
    } else {
      rules.add(SCMP_ACT_ALLOW, name,
                scmp_arg_cmp{flags, SCMP_CMP_MASKED_EQ, kOpensForWriting, O_RDONLY});
    }
  }
  // Its flags and its mode lie in memory, where no filter can look.
  rules.add(held ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(ENOSYS), "openat2");
}

void add_processes(Rules& rules, const FilterKind& kind) {
  // Its flags lie in memory too: the libraries fall back to clone().
  rules.add(SCMP_ACT_ERRNO(ENOSYS), "clone3");
  if (kind.exec) {
    rules.add(SCMP_ACT_ALLOW, "clone",
              SCMP_A0_64(SCMP_CMP_MASKED_EQ, kNewNamespaces | kOthersChild, 0));
    rules.add(SCMP_ACT_ALLOW, kRunning);
    rules.add(SCMP_ACT_ALLOW, kSettingIds);
  } else {
    rules.add(SCMP_ACT_ALLOW, "clone",
              SCMP_A0_64(SCMP_CMP_MASKED_EQ, kNewNamespaces | CLONE_THREAD, CLONE_THREAD));
    // The process becomes the server that way. What the server executes later replaces it.
    if (kind.server) rules.add(SCMP_ACT_ALLOW, kExecuting);
  }
}

// Runtimes of servers try some of them, and do without: those fail like all other calls. io_uring
// has to look as if the kernel had none.
void add_deadly(Rules& rules, const FilterKind& kind) {
  if (!kind.server) return rules.add(SCMP_ACT_TRAP, kDeadly);
  for (const char* const name : kDeadly) {
    if (std::string_view(name).starts_with("io_uring_")) rules.add(SCMP_ACT_ERRNO(ENOSYS), name);
  }
}

void add_sockets(Rules& rules, const FilterKind& kind) {
  // Of these kinds alone: an end of a pair of datagram sockets sends to any address, and so to
  // every service of this machine. A raw one is a datagram socket by another name.
  if (kind.exec || kind.sockets) {
    for (const std::uint64_t type : {SOCK_STREAM, SOCK_SEQPACKET}) {
      rules.add(SCMP_ACT_ALLOW, "socketpair", SCMP_A0_64(SCMP_CMP_EQ, AF_UNIX),
                SCMP_A1_64(SCMP_CMP_MASKED_EQ, kSocketKind, type));
    }
  }
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

// The kernel reads the low half of commands and of process numbers; a program may leave anything in
// the other one.
constexpr std::uint64_t kLow = 0xffff'ffff;

template <class Values>
void add_commands(Rules& rules, const char* name, unsigned argument, const Values& values) {
  for (const std::uint64_t value : values)
    rules.add(SCMP_ACT_ALLOW, name, scmp_arg_cmp{argument, SCMP_CMP_MASKED_EQ, kLow, value});
}

// What may be set of a descriptor that is there. Not O_ASYNC: it has the kernel send signals.
constexpr std::uint64_t kSettable = O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND |
                                    O_NONBLOCK | O_SYNC | O_DIRECT | O_DIRECTORY | O_NOFOLLOW |
                                    O_NOATIME | O_CLOEXEC | O_PATH | 0100000;  // O_LARGEFILE

// Not whom the kernel signals for a descriptor, and by which signal (F_SETOWN, F_SETOWN_EX,
// F_SETSIG), nor what makes it signal (F_SETLEASE, F_NOTIFY): before Landlock's ABI 6 that reaches
// the host.
void add_fcntl(Rules& rules) {
  constexpr std::uint64_t kCommands[] = {F_DUPFD,     F_DUPFD_CLOEXEC, F_GETFD,      F_SETFD,
                                         F_GETFL,     F_GETLK,         F_SETLK,      F_SETLKW,
                                         F_OFD_GETLK, F_OFD_SETLK,     F_OFD_SETLKW, F_ADD_SEALS,
                                         F_GET_SEALS, F_GETPIPE_SZ,    F_SETPIPE_SZ};
  add_commands(rules, "fcntl", 1, kCommands);
  rules.add(SCMP_ACT_ALLOW, "fcntl", SCMP_A1_64(SCMP_CMP_MASKED_EQ, kLow, F_SETFL),
            SCMP_A2_64(SCMP_CMP_MASKED_EQ, kLow & ~kSettable, 0));
}

// The kernel counts private memory alone against the limit, and no stacks. So no worker makes
// memory that is shared: by mmap(), or as a file by memfd_create(), which stands nowhere here. Nor
// does it make memory that grows as a stack does, which no library needs.
void add_mmap(Rules& rules) {
  constexpr std::uint64_t kOfNoFile = MAP_SHARED | MAP_ANONYMOUS;
  for (const std::uint64_t flags : {0, MAP_SHARED, MAP_ANONYMOUS})
    rules.add(SCMP_ACT_ALLOW, "mmap",
              SCMP_A3_64(SCMP_CMP_MASKED_EQ, kOfNoFile | MAP_GROWSDOWN, flags));
  rules.add(SCMP_ACT_ERRNO(ENOMEM), "mmap", SCMP_A3_64(SCMP_CMP_MASKED_EQ, kOfNoFile, kOfNoFile));
}

void add_careful(Rules& rules, const FilterKind& kind) {
  add_mmap(rules);
  add_fcntl(rules);
  constexpr std::uint64_t kOfTheProcess[] = {
      PR_SET_NAME,    PR_GET_NAME,     PR_GET_DUMPABLE, PR_GET_NO_NEW_PRIVS,
      PR_GET_SECCOMP, PR_CAPBSET_READ, kSetVma};
  add_commands(rules, "prctl", 0, kOfTheProcess);
  constexpr std::uint64_t kOfDescriptors[] = {TCGETS,  TIOCGWINSZ, FIONREAD,
                                              FIONBIO, FIOCLEX,    FIONCLEX};
  add_commands(rules, "ioctl", 1, kOfDescriptors);
  // Reading its own limits; nobody else's processors and priority.
  rules.add(SCMP_ACT_ALLOW, "prlimit64", SCMP_A0_64(SCMP_CMP_MASKED_EQ, kLow, 0),
            SCMP_A2_64(SCMP_CMP_EQ, 0));
  rules.add(SCMP_ACT_ALLOW, "sched_setaffinity", SCMP_A0_64(SCMP_CMP_MASKED_EQ, kLow, 0));
  if (!kind.exec) return;
  // So that it finds and ends what its programs started, whatever became of their parents.
  constexpr std::uint64_t kOfItsPrograms[] = {PR_SET_CHILD_SUBREAPER};
  add_commands(rules, "prctl", 0, kOfItsPrograms);
  for (const std::uint64_t of : {std::uint64_t{PRIO_PROCESS}, std::uint64_t{PRIO_PGRP}}) {
    rules.add(SCMP_ACT_ALLOW, "setpriority", SCMP_A0_64(SCMP_CMP_MASKED_EQ, kLow, of),
              SCMP_A1_64(SCMP_CMP_MASKED_EQ, kLow, 0));
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
  kind.server = profile.server;
  const std::uint32_t landlock = landlock_abi(profile.landlock_abi);
  kind.landlock_holds_writes = landlock >= kAbiThatHoldsWrites;
  kind.landlock_holds_opening = landlock >= kAbiThatHoldsOpening;
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
    add_modes(rules);
    rules.add(SCMP_ACT_ALLOW, "utimensat", SCMP_A1_64(SCMP_CMP_EQ, 0));  // by descriptor
  }
  add_opening(rules, kind);
  add_processes(rules, kind);
  add_sockets(rules, kind);
  add_careful(rules, kind);
  add_deadly(rules, kind);
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
