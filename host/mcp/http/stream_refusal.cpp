#include "mcp/http/stream_refusal.h"

#include <utility>

#include "mcp/http/answers.h"

namespace host::mcp {

std::optional<PrincipalQuota::Place> take_stream_place(transport::HttpExchange& exchange,
                                                       PrincipalQuota& quota,
                                                       const Services& services,
                                                       const tool::Peer& who,
                                                       const protocol::Id& id) {
  const config::Limits& limits = services.config.limits;
  auto taken =
      quota.take(who.principal, {limits.subscriptions, limits.subscriptions_per_principal});
  if (auto* const place = std::get_if<PrincipalQuota::Place>(&taken)) return std::move(*place);
  if (std::get<PrincipalQuota::Full>(taken) == PrincipalQuota::Full::Principal) {
    services.refused("limits.subscriptions_per_principal");
    refuse_busy(exchange, 429,
                "this principal has too many streams for notifications open "
                "(limits.subscriptions_per_principal): end one, or retry later",
                id);
  } else {
    services.refused("limits.subscriptions");
    refuse_busy(exchange, 503,
                "this host has too many streams for notifications open (limits.subscriptions): "
                "retry later",
                id);
  }
  return std::nullopt;
}

}  // namespace host::mcp
