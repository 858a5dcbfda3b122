#include "tool/provider/provider.h"

namespace host::tool {

const Offer& Provider::offer() const {
  static const Offer nothing;
  return nothing;
}

bool Provider::catch_up(const std::function<void()>&) {
  return false;
}

const std::vector<Limit>& Provider::limits() const {
  static const std::vector<Limit> none;
  return none;
}

AtOnce Provider::run_at_once(AtOnceCall&) {
  return AtOnce::No;
}

void Provider::abandon(const std::string&) {}

}  // namespace host::tool
