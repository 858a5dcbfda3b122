// Makes the system call filter of a worker. The host compiles it, once for each kind; the one place
// that knows libseccomp.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "base/result.h"
#include "sandbox/profile.h"

namespace host::sandbox {

// What a filter lets through beside what every plugin needs.
struct FilterKind {
  bool write = false;    // changes of names in file systems
  bool exec = false;     // processes
  bool sockets = false;  // IPv4 and IPv6
  // Landlock is there to refuse files that are opened for writing or truncated; else the filter
  // does.
  bool landlock_holds_writes = false;
  bool landlock_holds_opening = false;  // the same, of an older one that overlooks truncating
  auto operator<=>(const FilterKind&) const = default;
};

FilterKind filter_kind(const Profile& profile);

Result<std::string> compile_filter(const FilterKind& kind);

// Compiled filters, kept. I/O thread only.
class Filters {
 public:
  // Empty where libseccomp cannot make it: then the layer is absent and says so.
  const std::string& of(const FilterKind& kind);
  void give_to(Profile& profile) { profile.filter = of(filter_kind(profile)); }

 private:
  std::map<FilterKind, std::string> compiled_;
};

}  // namespace host::sandbox
