// A Profile lists the permissions of one worker, or of the process of one upstream server. A
// Profile is plain data. The host makes the Profile from the configuration and sends it to the
// process. A worker applies its Profile before the worker loads the plugin. For an upstream server,
// toolpost-confine applies the Profile and then executes the server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/layer.h"

namespace host::sandbox {

// A grant is a file, or a folder with everything below it.
struct FsGrant {
  std::string path;  // absolute
  bool write = false;
  bool operator==(const FsGrant&) const = default;
};

struct Profile {
  static constexpr std::uint32_t kNewestAbi = ~0u;

  std::string library;   // private copy of the plugin; the worker can read it
  std::string work_dir;  // path of an empty working folder; empty: the folder is not changed
  // `fs` contains the files and folders that the profile grants. Every worker may also read
  // libraries, locales and time zones.
  std::vector<FsGrant> fs;
  bool sockets = false;               // IPv4 and IPv6
  bool exec = false;                  // true: may run the system's programs
  std::vector<std::string> programs;  // if `exec`: names of the programs that may run; empty: all
  std::uint64_t memory_bytes = 0;     // private and writable memory; 0: no limit
  std::uint64_t file_bytes = 0;       // maximum size of each written file; 0: no limit
  std::uint64_t cpu_seconds = 0;      // processor time of the process's whole life; 0: no limit
  std::uint32_t uid = 0;              // 0: the process keeps the host's user
  LayerSet required;                  // without these layers, no plugin is loaded
  std::string filter;                 // an array of struct sock_filter, made by Filters
  std::uint32_t open_files = 64;      // descriptors of the process

  // The host does not send the following members to workers.
  //
  // `server` is true for an upstream server: a program that was not written for this sandbox, and
  // that the process executes after apply(). An upstream server may read and execute all programs
  // and libraries of the system. An upstream server may also execute those files of its `fs` that
  // it cannot write. A system call that would end a worker does not end a server: only the call
  // fails. Without `exec`, a server can start threads, but no processes.
  bool server = false;
  std::string command;          // the server: a path, or a program's name in PATH
  std::uint32_t processes = 0;  // processes and threads of a server together; 0: no limit
  std::uint32_t host = 0;       // process id of the host; a server can send it no signals

  // Tests use landlock_abi to simulate an older kernel, and `without` to simulate a kernel that
  // lacks layers.
  std::uint32_t landlock_abi = kNewestAbi;
  LayerSet without;  // the host does not send `without` to workers
  bool operator==(const Profile&) const = default;
};

}  // namespace host::sandbox
