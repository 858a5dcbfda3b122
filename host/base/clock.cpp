#include "base/clock.h"

#include <cstdio>
#include <ctime>

namespace host {
namespace {

class SystemClock final : public Clock {
 public:
  SteadyTime steady() const override { return std::chrono::steady_clock::now(); }
  WallTime wall() const override { return std::chrono::system_clock::now(); }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

std::string to_rfc3339(WallTime time) {
  using namespace std::chrono;
  const auto since_epoch = floor<milliseconds>(time.time_since_epoch());
  const auto whole_seconds = floor<std::chrono::seconds>(since_epoch);
  const std::time_t seconds = whole_seconds.count();
  const auto millis = static_cast<int>((since_epoch - whole_seconds).count());
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[40];
  const int length = std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                                   parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                                   parts.tm_hour, parts.tm_min, parts.tm_sec, millis);
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace host
