#include "webhook/held_events.h"

#include <algorithm>

namespace host::webhook {

using store::WebhookEvent;

bool HeldEvents::add(const WebhookEvent& event) {
  const auto own = of_principal_.find(event.principal);
  const std::size_t held = own == of_principal_.end() ? 0 : own->second;
  if (events_.size() >= most_ || 4 * held > 3 * most_) return false;
  ++of_principal_[event.principal];
  events_.push_back(event);
  return true;
}

std::vector<WebhookEvent> HeldEvents::oldest(std::size_t count) const {
  const auto end = events_.begin() + static_cast<std::ptrdiff_t>(std::min(count, events_.size()));
  return {events_.begin(), end};
}

void HeldEvents::remove(std::size_t count) {
  for (; count > 0; --count) {
    const auto own = of_principal_.find(events_.front().principal);
    if (--own->second == 0) of_principal_.erase(own);
    events_.pop_front();
  }
}

}  // namespace host::webhook
