// Decides when the audit file is rotated.
#pragma once

#include <chrono>
#include <cstdint>

namespace host::store {

struct AuditRotation {
  std::uint64_t bytes = 64u << 20u;
  std::chrono::milliseconds age = std::chrono::hours(24 * 30);
};

}  // namespace host::store
