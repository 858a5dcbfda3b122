#include "rest/route/named_webhooks.h"

#include "json/fault.h"

namespace host::rest {

Result<void> check_webhooks(const Services& services, const std::string& principal,
                            const std::optional<std::vector<std::string>>& ids) {
  if (!ids || ids->empty()) return {};
  if (ids->size() > kMostNamedWebhooks)
    return json::fault_at("/webhooks", "must have at most 16 ids");
  const std::string unknown =
      services.webhooks ? services.webhooks->unknown_of(principal, *ids) : ids->front();
  if (unknown.empty()) return {};
  return json::fault_at("/webhooks", "you have no webhook \"" + unknown.substr(0, 80) +
                                         "\": register it with POST /v1/webhooks");
}

}  // namespace host::rest
