// Finds lines of the audit, from its end. Reads a file that hosts append to; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace host::store {

// What is empty fits every line.
struct AuditQuery {
  std::string principal;
  std::string tool;  // or the URI or prompt that was asked for
  std::string outcome;
  std::string event;  // "call", or what a line that is none says
  std::string since;  // a time as lines have it, or how one begins: 2026-11-21T20
  std::size_t limit = 100;
  std::uint64_t bytes = 256u << 20u;  // that are looked through at most
};

struct AuditFound {
  std::vector<std::string> lines;  // JSON objects, the newest first
  bool whole = true;               // false: there is more than was looked through
};

// A file that is not there has no lines.
Result<AuditFound> search_audit(const std::filesystem::path& file, const AuditQuery& query);

}  // namespace host::store
