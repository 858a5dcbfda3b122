#include "protocol/log_level.h"

#include <algorithm>
#include <array>

namespace host::protocol {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"debug", "info",     "notice", "warning",
                                                    "error", "critical", "alert",  "emergency"};

}  // namespace

std::optional<int> log_level_from(std::string_view name) {
  const auto at = std::find(kNames.begin(), kNames.end(), name);
  if (at == kNames.end()) return std::nullopt;
  return static_cast<int>(at - kNames.begin());
}

std::string_view log_level_name(int level) {
  return kNames[static_cast<std::size_t>(std::clamp(level, 0, 7))];
}

}  // namespace host::protocol
