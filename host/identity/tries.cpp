#include "identity/tries.h"

namespace host::identity {
namespace {

constexpr std::chrono::seconds kWindow{60};
constexpr std::size_t kMostNames = 4096;

}  // namespace

std::optional<std::chrono::seconds> Tries::count(std::string_view name) {
  const SteadyTime now = clock_.steady();
  make_room(now);
  Window& window = windows_[std::string(name)];
  if (now - window.since >= kWindow) window = {0, now};
  if (++window.count <= most_) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(window.since + kWindow - now);
}

void Tries::make_room(SteadyTime now) {
  if (windows_.size() < kMostNames) return;
  std::erase_if(windows_, [now](const auto& one) { return now - one.second.since >= kWindow; });
  if (windows_.size() >= kMostNames) windows_.clear();
}

}  // namespace host::identity
