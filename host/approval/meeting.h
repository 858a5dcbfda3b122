// Finds or makes the approval request of a call, on the store's thread.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "store/part/approval_store.h"
#include "store/part/webhook_store.h"
#include "store/store.h"

namespace host::approval {

// Calls ApprovalStore::meet(). If the request is new, the webhooks get `event` in the same
// transaction. `event` can be nullopt. A refusal by `spend` may keep some writes, so it does not end
// the transaction.
inline Result<std::optional<store::ApprovalRecord>> meet_and_tell(
    store::Store& store, const store::ApprovalRecord& fresh, const std::set<std::string>& taken,
    WallTime no_since, const std::function<Result<void>()>& spend,
    const std::optional<store::WebhookEvent>& event) {
  if (!event) return store.approvals().meet(fresh, taken, no_since, spend);
  Result<std::optional<store::ApprovalRecord>> met = Error{};
  const auto stored = store.together([&]() -> Result<void> {
    met = store.approvals().meet(fresh, taken, no_since, spend);
    const bool is_new = met && *met && (*met)->id == fresh.id;
    if (is_new) HOST_TRY(store.webhooks().queue({*event}));
    return {};
  });
  if (!stored) return stored.error();
  return met;
}

}  // namespace host::approval
