// What the audit's table has of a line in columns of their own. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "json/json.h"

namespace host::store {

// Views of the tree that it was read from. What a line does not have is empty.
struct AuditLine {
  std::uint64_t time = 0;  // milliseconds since 1970; 0: it has none
  std::string_view event;  // "call" for a call
  std::string_view principal;
  std::string_view agent;
  std::string_view name;  // of the tool, resource or prompt
  std::string_view outcome;
};

AuditLine read_audit_line(const json::Value& line);

// Milliseconds since 1970 of a time as lines have it, 2026-11-21T20:00:00.000Z, or of the moment
// that such a text begins: 2026-11-21T20. Nothing: it is no time.
std::optional<std::uint64_t> read_audit_time(std::string_view text);

// Names are told apart by so many bytes, which bounds what an index holds.
inline constexpr std::size_t kAuditNameBytes = 512;
inline std::string_view audit_name(std::string_view name) {
  return name.substr(0, kAuditNameBytes);
}

}  // namespace host::store
