// The fields of an audit line that are columns of the audit table. Any thread can call the
// functions of this header.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "json/json.h"

namespace host::store {

// The string views point into the parsed line. A field that does not occur in the line is empty.
struct AuditLine {
  std::uint64_t time = 0;  // milliseconds since 1970; 0: no time
  std::string_view event;  // "call" for a call
  std::string_view principal;
  std::string_view agent;
  std::string_view name;  // name of the tool, resource or prompt
  std::string_view outcome;
};

AuditLine read_audit_line(const json::Value& line);

// Parses a time in the form of audit lines, 2026-11-21T20:00:00.000Z, or a prefix of it,
// 2026-11-21T20. Returns milliseconds since 1970. Returns nullopt if the text does not have the
// form of a time.
std::optional<std::uint64_t> read_audit_time(std::string_view text);

// The table stores and compares only the first kAuditNameBytes bytes of a name. The limit
// kAuditNameBytes keeps the table's index small.
inline constexpr std::size_t kAuditNameBytes = 512;
inline std::string_view audit_name(std::string_view name) {
  return name.substr(0, kAuditNameBytes);
}

}  // namespace host::store
