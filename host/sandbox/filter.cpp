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

// Signals to this process alone: the host that compiled the main filter cannot know its number.
// Which architecture calls is checked there too, and the stricter answer wins.
std::vector<sock_filter> own_signals_only() {
  constexpr std::uint32_t kNumber = offsetof(seccomp_data, nr);
  constexpr std::uint32_t kFirstArgument = offsetof(seccomp_data, args);  // its low half
  const auto self = static_cast<std::uint32_t>(::getpid());
  return {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_tgsigqueueinfo, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigqueueinfo, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFirstArgument),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
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
  // Its own processes it may signal; then Landlock is what keeps it from others.
  const bool own = profile.exec || install(own_signals_only());
  if (!own || !install(filter)) return {LayerName::Seccomp, false, std::strerror(errno)};
  return {LayerName::Seccomp, true, std::to_string(filter.size()) + " instructions"};
}

}  // namespace host::sandbox
