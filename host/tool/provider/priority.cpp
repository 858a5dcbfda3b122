#include "tool/provider/priority.h"

#include <algorithm>

namespace host::tool {

bool is_kept_from_upstreams(const Offers& offers, std::string_view uri) {
  const OfferedResource* const exact = offers.resource(uri);
  if (exact && !exact->provider->identity().is_upstream()) return true;
  const auto& templates = offers.templates();
  return std::any_of(templates.begin(), templates.end(), [&](const OfferedTemplate& each) {
    return !each.provider->identity().is_upstream() && each.pattern.matches(uri);
  });
}

}  // namespace host::tool
