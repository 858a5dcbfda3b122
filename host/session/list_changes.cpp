#include "session/list_changes.h"

namespace host::session {

void ListChanges::Registration::reset() {
  const auto listeners = std::exchange(listeners_, nullptr);
  if (!listeners) return;
  // What the listener holds may hold this: it goes once the list is whole again.
  Listeners leaving;
  leaving.splice(leaving.begin(), *listeners, at_);
}

ListChanges::Registration ListChanges::add(std::function<void()> listener) {
  return {listeners_, listeners_->insert(listeners_->end(), std::move(listener))};
}

void ListChanges::tell() const {
  const auto listeners = listeners_;
  for (auto at = listeners->begin(); at != listeners->end();) {
    const auto listener = *at++;  // a copy, and the step first: it may take itself off the list
    listener();
  }
}

}  // namespace host::session
