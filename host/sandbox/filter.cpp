#include "sandbox/filter.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

namespace host::sandbox {
namespace {

constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;

bool install(const std::vector<sock_filter>& filter) {
  sock_fprog program{static_cast<unsigned short>(filter.size()),
                     const_cast<sock_filter*>(filter.data())};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

std::vector<sock_filter> from_bytes(const std::string& bytes) {
  std::vector<sock_filter> filter(bytes.size() / sizeof(sock_filter));
  if (!filter.empty()) std::memcpy(filter.data(), bytes.data(), filter.size() * sizeof filter[0]);
  return filter;
}

constexpr std::uint32_t kNumber = offsetof(seccomp_data, nr);
constexpr std::uint32_t kFirstArgument = offsetof(seccomp_data, args);  // its low half
constexpr std::uint32_t kNextArgument = sizeof(std::uint64_t);
constexpr std::uint32_t kSecondArgument = kFirstArgument + kNextArgument;

// The host that compiled the main filter cannot know these numbers. Which architecture calls is
// checked there too, and the stricter answer wins.
std::vector<sock_filter> of_signals(const std::vector<std::uint32_t>& targets, bool allowed) {
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_tgsigqueueinfo, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigqueueinfo, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFirstArgument),
  };
  for (const std::uint32_t target : targets) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, target, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, allowed ? SECCOMP_RET_ALLOW : kRefused));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, allowed ? kRefused : SECCOMP_RET_ALLOW));
  return filter;
}

std::vector<sock_filter> own_signals_only() {
  return of_signals({static_cast<std::uint32_t>(::getpid())}, true);
}

// For one that runs programs, whose numbers nobody knows in advance. Neither the host, nor a group
// that it is in; other processes of the user are the business of Landlock. The parent of a server
// is its keeper, so the host is named too.
std::vector<sock_filter> no_signals_to_host(std::uint32_t named) {
  std::vector<std::uint32_t> targets = {static_cast<std::uint32_t>(-1)};
  for (const pid_t host : {::getppid(), static_cast<pid_t>(named)}) {
    if (host <= 0) continue;
    targets.push_back(static_cast<std::uint32_t>(host));
    const pid_t group = ::getpgid(host);
    if (group > 0) targets.push_back(static_cast<std::uint32_t>(-group));
  }
  return of_signals(targets, false);
}

// A process signals its own group without naming it. A keeper is in the session of its server, so
// the kernel would let the server into the keeper's group.
std::vector<sock_filter> no_group_of_host(std::uint32_t named) {
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setpgid, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kSecondArgument),
  };
  for (const pid_t host : {::getppid(), static_cast<pid_t>(named)}) {
    const pid_t group = host > 0 ? ::getpgid(host) : 0;
    if (group <= 0) continue;
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(group), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, kRefused));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return filter;
}

// SIGSYS reports a deadly call to the handler that the process has now, and no other: to set one
// changes nothing. It succeeds, because some runtimes set a handler for every signal, and end if
// they cannot. To read the handler is allowed.
std::vector<sock_filter> handler_of_sigsys_stays() {
  constexpr std::uint32_t kHighHalf = sizeof(std::uint32_t);
  return {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 6),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFirstArgument),  // the kernel reads this half alone
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGSYS, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kSecondArgument),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kSecondArgument + kHighHalf),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),  // 0
  };
}

struct IdCall {
  std::uint32_t number;
  std::uint8_t arguments;
};

constexpr IdCall kUserCalls[] = {{SYS_setuid, 1}, {SYS_setreuid, 2}, {SYS_setresuid, 3}};
constexpr IdCall kGroupCalls[] = {{SYS_setgid, 1}, {SYS_setregid, 2}, {SYS_setresgid, 3}};

// Each of its arguments is one of the ids, or the call is refused. The number is loaded before and
// after it.
void add_id_call(const IdCall& call, const std::vector<std::uint32_t>& ids,
                 std::vector<sock_filter>& filter) {
  const std::size_t of_argument = 2 + ids.size();
  const auto whole = static_cast<std::uint8_t>(call.arguments * of_argument + 1);
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call.number, 0, whole));
  for (std::uint32_t i = 0; i < call.arguments; ++i) {
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFirstArgument + i * kNextArgument));
    for (std::size_t left = ids.size(); left > 0; --left) {
      const auto past = static_cast<std::uint8_t>(left);
      filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ids[left - 1], past, 0));
    }
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, kRefused));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

// The id of a process whose real, effective and saved one are the same, and -1, which leaves it as
// it is. Of another process nothing may be set.
std::vector<std::uint32_t> settable(std::uint32_t real, std::uint32_t effective,
                                    std::uint32_t saved) {
  if (real != effective || real != saved) return {};
  return {real, static_cast<std::uint32_t>(-1)};
}

// To set the ids that the process has changes nothing. Calls of the main filter's list alone get
// here: a plugin that runs no programs has none.
std::vector<sock_filter> own_ids_only() {
  uid_t uid[3] = {0, 1, 2};
  gid_t gid[3] = {0, 1, 2};
  static_cast<void>(::getresuid(&uid[0], &uid[1], &uid[2]));
  static_cast<void>(::getresgid(&gid[0], &gid[1], &gid[2]));
  const std::vector<std::uint32_t> users = settable(uid[0], uid[1], uid[2]);
  const std::vector<std::uint32_t> groups = settable(gid[0], gid[1], gid[2]);
  std::vector<sock_filter> filter = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber)};
  for (const IdCall& call : kUserCalls) add_id_call(call, users, filter);
  for (const IdCall& call : kGroupCalls) add_id_call(call, groups, filter);
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return filter;
}

}  // namespace

bool can_filter(const Profile& profile) {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return !profile.filter.empty() &&
         ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

Layer enter_filter(const Profile& profile) {
  const std::vector<sock_filter> filter = from_bytes(profile.filter);
  if (filter.empty()) return {LayerName::Seccomp, false, "no filter"};
  const bool held = install(profile.exec ? no_signals_to_host(profile.host) : own_signals_only());
  if (!held || !install(no_group_of_host(profile.host)) || !install(own_ids_only()) ||
      !install(handler_of_sigsys_stays()) || !install(filter))
    return {LayerName::Seccomp, false, std::strerror(errno)};
  return {LayerName::Seccomp, true, std::to_string(filter.size()) + " instructions"};
}

}  // namespace host::sandbox
