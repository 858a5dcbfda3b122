// Whether the audit is as it was written. Shows every change, insertion, removal and cut by whoever
// does not compute all later digests and the mark anew; whoever runs as the host's own user can.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace host::store {

struct AuditVerdict {
  std::uint64_t files = 0;
  std::uint64_t first = 0;  // the number of the first line; 1 unless older files were taken away
  std::uint64_t last = 0;
  std::uint64_t loose = 0;  // lines without a digest: cut off by a kill, or of an older host
  std::string digest;       // of the last line: whoever notes it elsewhere can compare it later
  std::string fault;        // the first one, with file and line; empty: there is none
};

// Reads all of it. Processes may append meanwhile. An error: it cannot be read.
Result<AuditVerdict> verify_audit(const std::filesystem::path& audit_file);

}  // namespace host::store
