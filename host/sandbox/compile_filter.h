// Compiles a worker's system call filter. The host does it once for each kind. Only this file uses
// libseccomp.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "base/result.h"
#include "sandbox/profile.h"

namespace host::sandbox {

// What a filter allows in addition to what every plugin needs.
struct FilterKind {
  bool write = false;    // changes of names in file systems
  bool exec = false;     // processes
  bool sockets = false;  // IPv4 and IPv6
  // Landlock refuses opening files for writing and truncating them; otherwise the filter does.
  bool landlock_holds_writes = false;
  // same, for an older Landlock that does not cover truncating
  bool landlock_holds_opening = false;
  auto operator<=>(const FilterKind&) const = default;
};

FilterKind filter_kind(const Profile& profile);

Result<std::string> compile_filter(const FilterKind& kind);

// A cache of compiled filters. I/O thread only.
class Filters {
 public:
  // Empty if libseccomp cannot make it. Then the layer is reported as absent.
  const std::string& of(const FilterKind& kind);
  void give_to(Profile& profile) { profile.filter = of(filter_kind(profile)); }

 private:
  std::map<FilterKind, std::string> compiled_;
};

}  // namespace host::sandbox
