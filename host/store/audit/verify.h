// Whether the audit is as it was written. Shows every change, insertion, removal and cut by whoever
// does not compute all later digests and the mark anew; whoever runs as the host's own user can.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::store {

enum class AuditState {
  Ok,
  Changed,
  Missing,    // there is no file
  NoDigests,  // an older toolpost wrote all lines: nothing can be said of them
};

// "ok", "changed", "missing", "no_digests"
std::string_view to_string(AuditState state);

struct AuditVerdict {
  AuditState state = AuditState::Ok;
  std::uint64_t files = 0;
  std::uint64_t first = 0;  // the number of the first line; 1 unless older files were archived
  std::uint64_t last = 0;
  std::uint64_t loose = 0;  // without a digest: cut off by a kill, or of an older toolpost and in
                            // front of the first line with one, whose digest is of them too
  std::string digest;       // of the last line: whoever notes it elsewhere can compare it later
  std::string fault;        // the first one, with file and line; empty where the state is Ok
};

// Reads all of it. Processes may append meanwhile. `store_file` is what a host keeps next to its
// audit, by which a missing audit is known to have been there; may be empty. Lines from number
// `from` on must be there: older ones may have been archived. An error: it cannot be read.
Result<AuditVerdict> verify_audit(const std::filesystem::path& audit_file,
                                  const std::filesystem::path& store_file = {},
                                  std::uint64_t from = 1);

// What is wrong with the file that notes where the audit ends, without a look at its lines. Empty:
// nothing, or there are no lines.
std::string fault_of_mark(const std::filesystem::path& audit_file);

}  // namespace host::store
