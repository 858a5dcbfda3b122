// Checks that the audit was not altered. The check detects every change, insertion, removal and
// truncation, unless an attacker has also recomputed all later digests and the file
// audit.jsonl.chain. Every process that runs as the host's user could recompute the digests and
// change audit.jsonl.chain.
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
  Missing,    // the file or a line that must exist is missing
  NoDigests,  // an older toolpost wrote all lines, so they cannot be checked
};

// Returns "ok", "changed", "missing", "no_digests"
std::string_view to_string(AuditState state);

struct AuditVerdict {
  AuditState state = AuditState::Ok;
  std::uint64_t files = 0;
  std::uint64_t first = 0;  // number of the first line; 1 unless older files were archived
  std::uint64_t last = 0;
  // The number of audit lines without a digest. A line without a digest was cut off when a host was
  // killed, or was written by an older version of toolpost before the first line with a digest. The
  // digest of a later line also covers the lines without a digest.
  std::uint64_t loose = 0;
  std::string digest;  // the digest of the last line; record it elsewhere to compare it later
  std::string fault;   // the first fault, with file and line; empty if the state is Ok
};

// Reads the whole audit. Other processes can append to the audit at the same time. `store_file` is
// the host's database, which records whether the audit existed before. `store_file` can be empty.
// The check fails if a line from the number `from` to the last line is missing. Lines before the
// number `from` may be missing, because they can have been archived. Returns an Error if the audit
// cannot be read.
Result<AuditVerdict> verify_audit(const std::filesystem::path& audit_file,
                                  const std::filesystem::path& store_file = {},
                                  std::uint64_t from = 1);

// Checks the file audit.jsonl.chain, without reading the audit's lines. Returns the fault of
// audit.jsonl.chain, or an empty text if it has no fault or the audit has no lines.
std::string fault_of_mark(const std::filesystem::path& audit_file);

}  // namespace host::store
