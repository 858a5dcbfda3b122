// A thread for which every file system is like NFS, 9p and older FUSE servers: renameat2() with a
// flag fails with EINVAL.
#pragma once

#include <cerrno>
#include <cstddef>
#include <thread>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace old_file_system {

inline bool refuse_flags_of_rename() {
  constexpr auto kFlags = static_cast<__u32>(offsetof(seccomp_data, args) + 4 * sizeof(__u64));
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFlags),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof steps / sizeof *steps, steps};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

template <class Body>
void run(const Body& body) {
  std::thread([&] {
    ASSERT_TRUE(refuse_flags_of_rename());
    body();
  }).join();
}

}  // namespace old_file_system
