#include "webhook/backoff.h"

#include <algorithm>

namespace host::webhook {
namespace {

using std::chrono::milliseconds;

constexpr double kGrowth = 4;
constexpr double kJitter = 0.2;

}  // namespace

std::optional<milliseconds> pause_after(const Retries& retries, std::uint32_t attempts,
                                        milliseconds age, double dice,
                                        std::optional<milliseconds> asked) {
  const bool is_late = age >= retries.lasts;
  if (is_late && attempts >= kLeastAttempts) return std::nullopt;
  const double most = static_cast<double>(retries.most.count());
  double pause = static_cast<double>(retries.first.count());
  for (std::uint32_t i = 1; i < attempts && pause < most; ++i) pause *= kGrowth;
  pause = std::min(pause, most) * (1 - kJitter + 2 * kJitter * dice);
  if (asked) pause = std::max(pause, std::min(static_cast<double>(asked->count()), most));
  const auto whole = std::max(milliseconds(static_cast<std::int64_t>(pause)), milliseconds(1));
  return is_late ? whole : std::min(whole, retries.lasts - age);
}

}  // namespace host::webhook
