#include "plugin/lifecycle/warm_build.h"

#include <utility>

namespace host::plugin {

void WarmBuild::keep(Kept before, std::chrono::milliseconds window) {
  // Anew, so that a timer that ran out this very moment finds nothing.
  kept_ = std::make_shared<std::optional<Kept>>(std::move(before));
  until_.expires_after(window);
  until_.async_wait([kept = std::weak_ptr(kept_)](boost::system::error_code cancelled) {
    if (const auto alive = kept.lock(); alive && !cancelled) alive->reset();
  });
}

WarmBuild::Kept WarmBuild::take() {
  Kept before = *std::move(*kept_);
  drop();
  return before;
}

void WarmBuild::drop() {
  until_.cancel();
  kept_->reset();
}

}  // namespace host::plugin
