// What a plugin might try that it was not granted, and what every plugin may do.
#pragma once

#include <string>

namespace escape {

// "done", or the name of the error that refused it: "EPERM". `target` is the path, the port or the
// number that the attempt is about. What is deadly does not return.
//
//   files      read, list, write, make_folder, remove, truncate, truncate_open, chmod, watch
//   network    tcp (a port), udp (a port), unix (a path)
//   processes  fork, run, signal_parent, signal_parent_thread, ptrace, io_uring, mount, unshare,
//              setuid, raise_limit, parent_environment
//   memory     allocate (MiB); processor: burn, which never returns
//   allowed    thread, exception, timer, memfd, maps, signal_stack, zone
std::string attempt(const std::string& what, const std::string& target = {});

}  // namespace escape
