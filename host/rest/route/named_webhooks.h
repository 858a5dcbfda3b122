// Checks the webhooks that a session or a detached call names: the principal of the session or call
// must own them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "rest/route/services.h"

namespace host::rest {

// kMostNamedWebhooks is the maximum number of webhooks that one session or call can name.
inline constexpr std::size_t kMostNamedWebhooks = 16;

// If a webhook does not exist or belongs to another principal, the function returns an Error for
// the JSON Pointer /webhooks. If `ids` is nullopt, the session or call names no webhooks.
Result<void> check_webhooks(const Services& services, const std::string& principal,
                            const std::optional<std::vector<std::string>>& ids);

}  // namespace host::rest
