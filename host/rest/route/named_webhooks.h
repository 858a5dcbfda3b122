// Webhooks that a session or a detached call names: its principal must have them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "rest/route/services.h"

namespace host::rest {

// The most that one session or call can name.
inline constexpr std::size_t kMostNamedWebhooks = 16;

// The fault is at /webhooks. nullopt names none.
Result<void> check_webhooks(const Services& services, const std::string& principal,
                            const std::optional<std::vector<std::string>>& ids);

}  // namespace host::rest
