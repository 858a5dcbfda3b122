// Finds lines of the audit, from its end. Reads a file that hosts append to; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
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
  std::uint64_t bytes = 256u << 20u;                   // that are looked through at most
  std::optional<std::uint64_t> before = std::nullopt;  // AuditFound::older of an earlier search
};

struct AuditFound {
  std::vector<std::string> lines;  // JSON objects, the newest first
  bool whole = true;               // false: there is more than was looked through
  // Where in the file to look on for older ones; nothing: it was looked through to its begin, or to
  // `since`. Stays good while the file only grows.
  std::optional<std::uint64_t> older;
};

// A file that is not there has no lines. InvalidArgument: `before` is past the file's end, so it
// is not the file of before.
Result<AuditFound> search_audit(const std::filesystem::path& file, const AuditQuery& query);

}  // namespace host::store
