#include "base/clock.h"

#include <cstdint>

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

// By hand: every line of the audit has one, and snprintf would cost more than the rest of the line.
std::string to_rfc3339(WallTime time) {
  using namespace std::chrono;
  const auto since_epoch = floor<milliseconds>(time.time_since_epoch());
  const sys_days day = floor<days>(sys_time<milliseconds>(since_epoch));
  const year_month_day date(day);
  const hh_mm_ss clock(since_epoch - day.time_since_epoch());
  std::string text = "0000-00-00T00:00:00.000Z";
  const auto put = [&text](std::size_t at, std::size_t digits, std::int64_t value) {
    for (; digits-- > 0; value /= 10) text[at + digits] = static_cast<char>('0' + value % 10);
  };
  put(0, 4, static_cast<int>(date.year()));
  put(5, 2, static_cast<unsigned>(date.month()));
  put(8, 2, static_cast<unsigned>(date.day()));
  put(11, 2, clock.hours().count());
  put(14, 2, clock.minutes().count());
  put(17, 2, clock.seconds().count());
  put(20, 3, clock.subseconds().count());
  return text;
}

}  // namespace host
