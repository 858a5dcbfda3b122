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
// transaction. `event` can be nullopt. A refusal by `spend` may keep some writes, so a refusal does
// not end the transaction.
Result<std::optional<store::ApprovalRecord>> meet_and_tell(
    store::Store& store, const store::ApprovalRecord& fresh, const std::set<std::string>& taken,
    WallTime no_since, const std::function<Result<void>()>& spend,
    const std::optional<store::WebhookEvent>& event);

}  // namespace host::approval
