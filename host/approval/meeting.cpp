#include "approval/meeting.h"

namespace host::approval {

Result<std::optional<store::ApprovalRecord>> meet_and_tell(
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
