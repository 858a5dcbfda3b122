// What one worker may touch. Plain data: the host makes it of the configuration and sends it to the
// worker, which puts it on before it loads the plugin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/layer.h"

namespace host::sandbox {

// A file, or a folder with all below it.
struct FsGrant {
  std::string path;  // absolute
  bool write = false;
  bool operator==(const FsGrant&) const = default;
};

struct Profile {
  static constexpr std::uint32_t kNewestAbi = ~0u;

  std::string library;      // the staged copy of the plugin, readable
  std::string work_dir;     // an empty folder to stand in; empty: stay
  std::vector<FsGrant> fs;  // beside what every worker may read: libraries, locales, time zones
  bool sockets = false;     // IPv4 and IPv6
  bool exec = false;        // processes of its own, of the system's programs
  std::vector<std::string> programs;  // with `exec`: by name, the only ones; empty: all
  std::uint64_t memory_bytes = 0;     // private and writable; 0: no limit
  std::uint64_t file_bytes = 0;       // of any file it writes; 0: no limit
  std::uint64_t cpu_seconds = 0;      // of the process's whole life; 0: no limit
  std::uint32_t uid = 0;              // 0: stays the host's user
  LayerSet required;                  // without one of these nothing is loaded
  std::string filter;                 // a compile_filter(): struct sock_filter, one after another

  // For tests: as if the kernel were older, or had not these layers.
  std::uint32_t landlock_abi = kNewestAbi;
  LayerSet without;  // not sent to workers
  bool operator==(const Profile&) const = default;
};

}  // namespace host::sandbox
