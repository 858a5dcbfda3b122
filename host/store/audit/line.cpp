#include "store/audit/line.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace host::store {
namespace {

constexpr std::string_view kWholeTime = "0000-01-01T00:00:00.000Z";
// Where a time may end: behind the year, month, day, hour, minute, second, milliseconds and Z.
constexpr std::size_t kTimeEnds[] = {4, 7, 10, 13, 16, 19, 23, 24};

bool has_form_of_time(std::string_view text) {
  if (std::find(std::begin(kTimeEnds), std::end(kTimeEnds), text.size()) == std::end(kTimeEnds))
    return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    const bool wants_digit = kWholeTime[i] >= '0' && kWholeTime[i] <= '9';
    if (wants_digit ? !digit : text[i] != kWholeTime[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<std::uint64_t> read_audit_time(std::string_view text) {
  using namespace std::chrono;
  if (!has_form_of_time(text)) return std::nullopt;
  char whole[kWholeTime.size()];
  std::copy(kWholeTime.begin(), kWholeTime.end(), whole);
  std::copy(text.begin(), text.end(), whole);
  const auto number = [&whole](std::size_t at, std::size_t digits) {
    int value = 0;
    for (std::size_t i = at; i < at + digits; ++i) value = value * 10 + (whole[i] - '0');
    return value;
  };
  const year_month_day date(year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                            day(static_cast<unsigned>(number(8, 2))));
  const int of_day = (number(11, 2) * 60 + number(14, 2)) * 60 + number(17, 2);
  if (!date.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 60)
    return std::nullopt;
  const auto since =
      sys_days(date).time_since_epoch() + seconds(of_day) + milliseconds(number(20, 3));
  return static_cast<std::uint64_t>(std::max<std::int64_t>(since.count(), 0));
}

AuditLine read_audit_line(const json::Value& line) {
  AuditLine found;
  found.event = "call";
  for (const auto& member : line.GetObject()) {
    if (!member.value.IsString()) continue;
    const std::string_view key = json::text(member.name);
    const std::string_view text = json::text(member.value);
    if (key == "time") {
      found.time = read_audit_time(text).value_or(0);
    } else if (key == "event") {
      found.event = audit_name(text);
    } else if (key == "principal") {
      found.principal = audit_name(text);
    } else if (key == "agent") {
      found.agent = audit_name(text);
    } else if (key == "tool" || key == "resource" || key == "prompt") {
      found.name = audit_name(text);
    } else if (key == "outcome") {
      found.outcome = audit_name(text);
    }
  }
  return found;
}

}  // namespace host::store
