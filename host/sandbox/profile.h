// A Profile has the permissions of one worker. A Profile is plain data. The host makes it from the
// configuration and sends it to the worker. The worker applies it before it loads the plugin.
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

  std::string library;   // the staged copy of the plugin, readable
  std::string work_dir;  // an empty working folder; empty: unchanged
  // The granted files and folders. Every worker may also read libraries, locales and time zones.
  std::vector<FsGrant> fs;
  bool sockets = false;               // IPv4 and IPv6
  bool exec = false;                  // may run the system's programs
  std::vector<std::string> programs;  // if `exec`: the only programs, by name; empty: all
  std::uint64_t memory_bytes = 0;     // private and writable memory; 0: no limit
  std::uint64_t file_bytes = 0;       // size of any file that the worker writes; 0: no limit
  std::uint64_t cpu_seconds = 0;      // processor time of the process's whole life; 0: no limit
  std::uint32_t uid = 0;              // 0: the process keeps the host's user
  LayerSet required;                  // if one of these layers is missing, nothing is loaded
  std::string filter;                 // compiled by Filters: an array of struct sock_filter

  // Tests use these two members to simulate an older kernel, or a kernel without the layers
  // `without`.
  std::uint32_t landlock_abi = kNewestAbi;
  LayerSet without;  // not sent to workers
  bool operator==(const Profile&) const = default;
};

}  // namespace host::sandbox
