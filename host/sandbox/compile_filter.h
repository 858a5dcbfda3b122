// Compiles the seccomp filters for the system calls of workers. The host compiles a filter once for
// each FilterKind. Only compile_filter.cpp and call_name.cpp use libseccomp.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "base/result.h"
#include "sandbox/profile.h"

namespace host::sandbox {

// A FilterKind contains the permissions that decide which additional system calls a worker's filter
// allows.
struct FilterKind {
  bool write = false;    // may create, rename and delete files and folders
  bool exec = false;     // may run programs
  bool sockets = false;  // may use IPv4 and IPv6 sockets
  bool server = false;   // see Profile::server
  // `landlock_holds_writes` is true if the kernel's Landlock refuses to open files for writing and
  // to truncate them, except where a grant allows writing.
  bool landlock_holds_writes = false;
  // `landlock_holds_opening` is true if the kernel's Landlock refuses at least to open files for
  // writing. If only landlock_holds_opening is true, the filter must refuse to truncate files. If
  // both Landlock flags are false, the filter must also refuse to open files for writing.
  bool landlock_holds_opening = false;
  auto operator<=>(const FilterKind&) const = default;
};

FilterKind filter_kind(const Profile& profile);

Result<std::string> compile_filter(const FilterKind& kind);

// A Filters object is a cache of compiled filters. The functions of Filters are called on the I/O
// thread.
class Filters {
 public:
  // Returns the compiled seccomp filter for `kind`. The filter is empty if libseccomp cannot make
  // it. A worker with an empty filter reports that its sandbox lacks the filter layer.
  const std::string& of(const FilterKind& kind);
  void give_to(Profile& profile) { profile.filter = of(filter_kind(profile)); }

 private:
  std::map<FilterKind, std::string> compiled_;
};

}  // namespace host::sandbox
