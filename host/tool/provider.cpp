#include "tool/provider.h"

namespace host::tool {

const Offer& Provider::offer() const {
  static const Offer nothing;
  return nothing;
}

}  // namespace host::tool
