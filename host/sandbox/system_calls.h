// Lists the names of the system calls that a worker or an upstream server can use. Names that the
// kernel or libseccomp does not know are ignored. System calls that are not in the lists fail, most
// of them with EPERM. compile_filter.cpp lists the system calls that are allowed only with certain
// commands, such as fcntl().
#pragma once

namespace host::sandbox {

inline constexpr const char* kAlways[] = {
    // memory
    "brk", "madvise", "membarrier", "mincore", "mprotect", "mremap", "msync", "munlock", "munmap",
    // threads and time
    "arch_prctl", "clock_getres", "clock_gettime", "clock_nanosleep", "exit", "exit_group", "futex",
    "futex_waitv", "getcpu", "getitimer", "gettimeofday", "nanosleep", "restart_syscall", "rseq",
    "sched_get_priority_max", "sched_get_priority_min", "sched_getaffinity", "sched_getparam",
    "sched_getscheduler", "sched_yield", "set_robust_list", "set_tid_address", "setitimer", "time",
    "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime", "timer_settime", "times",
    // System calls for signals. A separate filter restricts to which processes a worker can send
    // signals.
    "alarm", "kill", "pause", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigqueueinfo",
    "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "rt_tgsigqueueinfo", "sigaltstack",
    "tgkill",
    // identity and environment
    "getegid", "geteuid", "getgid", "getgroups", "getpgid", "getpgrp", "getpid", "getpriority",
    "getppid", "getrandom", "getresgid", "getresuid", "getrlimit", "getrusage", "getsid", "gettid",
    "getuid", "sysinfo", "uname",
    // These system calls use descriptors and file names. Landlock restricts which files can be
    // opened.
    "access", "chdir", "close", "close_range", "copy_file_range", "dup", "dup2", "dup3",
    "faccessat", "faccessat2", "fadvise64", "fallocate", "fchdir", "fdatasync", "flock", "fstat",
    "fstatfs", "fsync", "ftruncate", "getcwd", "getdents", "getdents64", "lseek", "lstat",
    "newfstatat", "pread64", "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "read",
    "readahead", "readlink", "readlinkat", "readv", "sendfile", "splice", "stat", "statfs", "statx",
    "sync_file_range", "tee", "umask", "write", "writev",
    // waiting for descriptors
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
    "eventfd", "eventfd2", "pipe", "pipe2", "poll", "ppoll", "pselect6", "select", "signalfd",
    "signalfd4", "timerfd_create", "timerfd_gettime", "timerfd_settime",
    // System calls for sockets that already exist. A separate rule allows or refuses system calls
    // that make sockets.
    "getpeername", "getsockname", "getsockopt", "recvfrom", "recvmmsg", "recvmsg", "sendmmsg",
    "sendmsg", "sendto", "setsockopt", "shutdown"};

// The system calls in kWriting are also allowed if the worker has a write grant. Landlock restricts
// the paths. kWriting omits chmod, chown, setxattr and calls that change a file's times by its
// name, because Landlock does not restrict them. System calls that set the mode of a file, such as
// mkdir, are in compile_filter.cpp.
inline constexpr const char* kWriting[] = {"fchown",    "link",      "linkat", "rename",
                                           "renameat",  "renameat2", "rmdir",  "symlink",
                                           "symlinkat", "truncate",  "unlink", "unlinkat"};

// The system calls in kRunning are also allowed if the worker may run programs, because a shell and
// small tools use these calls. kRunning omits setsid(), because the host finds and kills the
// processes of a worker by their session.
inline constexpr const char* kRunning[] = {"execve",   "execveat",  "fork",      "fgetxattr",
                                           "getxattr", "lgetxattr", "listxattr", "llistxattr",
                                           "setpgid",  "vfork",     "wait4",     "waitid"};

// The system calls in kExecuting are also allowed for the process of an upstream server that may
// not run programs, because this process must execute the server itself.
inline constexpr const char* kExecuting[] = {"execve", "execveat"};

// The system calls in kSettingIds are also allowed if the worker may run programs, because
// posix_spawn() sets the ids that the process already has. A separate filter restricts the ids that
// the system calls in kSettingIds can set.
inline constexpr const char* kSettingIds[] = {"setgid",    "setregid", "setresgid",
                                              "setresuid", "setreuid", "setuid"};

// The system calls in kConnecting are also allowed if the worker may use sockets. A separate rule
// for socket() restricts the kinds of sockets.
inline constexpr const char* kConnecting[] = {"accept", "accept4", "bind", "connect", "listen"};

// Only hostile plugins need the system calls in kDeadly: in a worker, they cause the signal SIGSYS,
// which ends the worker. In an upstream server, a system call in kDeadly only fails.
inline constexpr const char* kDeadly[] = {"add_key",
                                          "bpf",
                                          "delete_module",
                                          "finit_module",
                                          "fsconfig",
                                          "fsmount",
                                          "fsopen",
                                          "fspick",
                                          "init_module",
                                          "io_uring_enter",
                                          "io_uring_register",
                                          "io_uring_setup",
                                          "kexec_file_load",
                                          "kexec_load",
                                          "keyctl",
                                          "mount",
                                          "mount_setattr",
                                          "move_mount",
                                          "open_tree",
                                          "perf_event_open",
                                          "pidfd_getfd",
                                          "pivot_root",
                                          "process_madvise",
                                          "process_vm_readv",
                                          "process_vm_writev",
                                          "ptrace",
                                          "request_key",
                                          "umount2",
                                          "userfaultfd"};

}  // namespace host::sandbox
