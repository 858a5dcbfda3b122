#include "cli/command/length_of_time.h"

#include <charconv>
#include <string>

namespace host::cli {
namespace {

constexpr long kHour = 60;
constexpr long kDay = 24 * kHour;
constexpr long kLongest = 3650 * kDay;

// 0: no unit.
long minutes_in(std::string_view unit) {
  if (unit == "m") return 1;
  if (unit == "h") return kHour;
  if (unit == "d") return kDay;
  return unit == "w" ? 7 * kDay : 0;
}

}  // namespace

Result<std::chrono::minutes> length_of_time(std::string_view text) {
  const char* const end = text.data() + text.size();
  long count = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  const long unit =
      error == std::errc() ? minutes_in({rest, static_cast<std::size_t>(end - rest)}) : 0;
  if (unit != 0 && count >= 1 && count <= kLongest / unit)
    return std::chrono::minutes(count * unit);
  return Error{ErrorKind::InvalidArgument,
               "\"" + std::string(text.substr(0, 40)) +
                   "\" is not a length of time: a number and m, h, d or w, such as 90d, from one "
                   "minute to 3650 days"};
}

}  // namespace host::cli
