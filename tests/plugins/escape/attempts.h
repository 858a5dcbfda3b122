// What a plugin might try that it was not granted, and what every plugin may do.
#pragma once

#include <string>

namespace escape {

// "done", or the name of the error that refused it: "EPERM". `target` is the path, the port or the
// number that the attempt is about. What is deadly does not return.
//
//   files      read, list, write, make_folder, remove, truncate, truncate_open, truncate_unopened,
//              chmod, chmod_open, set_user_id, set_group_id, make_user_id, create_group_id,
//              make_unnamed_user_id (a folder), make_user_id_by_openat2, watch
//   network    tcp (a port), udp (a port); to local services unix, datagram_pair, raw_pair (a path)
//   pairs      stream_pair, packet_pair, which stay within the process
//   processes  fork, fork_often (400 at a time), run, signal and trace (a process id),
//              signal_parent, signal_parent_thread, ptrace, io_uring, mount, unshare, setuid,
//              raise_limit, parent_environment
//   signals    aim_at_parent, which kills it where nothing stops that, and its steps one by one:
//              own_by_parent, own_by_parent_thread, own_by_ioctl, choose_signal, notify,
//              notify_by_ioctl; lease, notify_of_folder, type, outlive_parent, timer_to_parent,
//              queue_to_parent, queue_to_parent_thread, pidfd_signal, perf_event, process_madvise,
//              signal_parent_group, join_parent_group, signal_all, signal_thread, leave_session
//   slowing    slow_parent, slow_parent_priority, slow_user, limit_parent
//   memory     allocate, share (MiB), allocate_growing, memfd; processor: burn, which never returns
//   allowed    thread, exception, timer, maps, signal_stack, zone, nonblocking, duplicate,
//              own_affinity
std::string attempt(const std::string& what, const std::string& target = {});

}  // namespace escape
