#include "session/list_changes.h"

#include <vector>

namespace host::session {

void ListChanges::Registration::reset() {
  const auto listeners = std::exchange(listeners_, nullptr);
  if (!listeners) return;
  // What the listener holds may hold this: it goes once the list is whole again.
  Listeners leaving;
  leaving.splice(leaving.begin(), *listeners, at_);
}

ListChanges::Registration ListChanges::add(Listener listener) {
  auto shared = std::make_shared<const Listener>(std::move(listener));
  return {listeners_, listeners_->insert(listeners_->end(), std::move(shared))};
}

void ListChanges::tell() const {
  const std::vector<std::weak_ptr<const Listener>> now(listeners_->begin(), listeners_->end());
  for (const auto& weak : now) {
    if (const auto listener = weak.lock()) (*listener)();
  }
}

}  // namespace host::session
