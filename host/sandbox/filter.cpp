#include "sandbox/filter.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

namespace host::sandbox {
namespace {

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
  const std::uint32_t refused = SECCOMP_RET_ERRNO | EPERM;
  for (const std::uint32_t target : targets) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, target, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, allowed ? SECCOMP_RET_ALLOW : refused));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, allowed ? refused : SECCOMP_RET_ALLOW));
  return filter;
}

std::vector<sock_filter> own_signals_only() {
  return of_signals({static_cast<std::uint32_t>(::getpid())}, true);
}

// For one that runs programs, whose numbers nobody knows in advance. Neither the host, nor a group
// that it is in; other processes of the user are the business of Landlock.
std::vector<sock_filter> no_signals_to_host() {
  const pid_t host = ::getppid();
  const auto group = static_cast<std::uint32_t>(-::getpgid(host));
  return of_signals({static_cast<std::uint32_t>(host), group, static_cast<std::uint32_t>(-1)},
                    false);
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
  const bool held = install(profile.exec ? no_signals_to_host() : own_signals_only());
  if (!held || !install(filter)) return {LayerName::Seccomp, false, std::strerror(errno)};
  return {LayerName::Seccomp, true, std::to_string(filter.size()) + " instructions"};
}

}  // namespace host::sandbox
