#include "transport/http/allowed_names.h"

#include <algorithm>
#include <array>
#include <optional>

#include "transport/ascii.h"

namespace host::transport {
namespace {

constexpr std::array<std::string_view, 3> kLoopback = {"localhost", "127.0.0.1", "[::1]"};

// `name[:port]` without its port; nothing where the port is no number.
std::optional<std::string_view> without_port(std::string_view value) {
  const std::size_t name_end = value.starts_with('[') ? value.find(']') : 0;
  if (name_end == std::string_view::npos) return {};
  const std::size_t colon = value.find(':', name_end);
  if (colon == std::string_view::npos) return value;
  const std::string_view port = value.substr(colon + 1);
  if (!port.empty() && !is_port(port)) return {};
  return value.substr(0, colon);
}

bool is_loopback(std::string_view value) {
  const auto name = without_port(value);
  return name && std::any_of(kLoopback.begin(), kLoopback.end(),
                             [&](std::string_view one) { return equal_ignoring_case(one, *name); });
}

bool contains(const std::vector<std::string>& list, std::string_view value) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& one) { return equal_ignoring_case(one, value); });
}

}  // namespace

AllowedNames::AllowedNames(const std::vector<std::string>& hosts,
                           const std::vector<std::string>& origins)
    : hosts_(hosts), origins_(origins) {}

bool AllowedNames::host(std::string_view value) const {
  if (is_loopback(value)) return true;
  const auto name = without_port(value);
  return name && (contains(hosts_, *name) || contains(hosts_, value));
}

bool AllowedNames::origin(std::string_view value) const {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (value.size() <= scheme.size()) continue;
    if (!equal_ignoring_case(value.substr(0, scheme.size()), scheme)) continue;
    if (is_loopback(value.substr(scheme.size()))) return true;
  }
  return contains(origins_, value);
}

}  // namespace host::transport
