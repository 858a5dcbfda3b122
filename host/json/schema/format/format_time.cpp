#include <array>

#include "json/schema/format/format_checks.h"
#include "json/schema/regex/characters.h"

namespace host::json::schema {
namespace {

// `count` digits at `at` as a number; -1 where they are not.
int number(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return -1;
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (!is_digit(c)) return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

int days_of(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

// Minutes east of UTC of `Z` or `+hh:mm`; a value no zone has where it is neither.
constexpr int kNoZone = 100'000;
int zone(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || !is_one_of(text[0], "+-") || text[3] != ':') return kNoZone;
  const int hours = number(text, 1, 2);
  const int minutes = number(text, 4, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return kNoZone;
  return (text[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

// Whole units in the order given, such as `1Y2M`: what stands between must not be left out.
bool units(std::string_view& text, std::string_view letters) {
  std::size_t next = letters.size();
  std::size_t at = 0;
  bool some = false;
  while (at < text.size() && is_digit(text[at])) {
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at == text.size()) return false;
    const std::size_t unit = letters.find(text[at]);
    if (unit == std::string_view::npos || (some && unit != next)) return false;
    next = unit + 1;
    some = true;
    text.remove_prefix(at + 1);
    at = 0;
  }
  return some;
}

}  // namespace

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const int year = number(text, 0, 4);
  const int month = number(text, 5, 2);
  const int day = number(text, 8, 2);
  return year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= days_of(year, month);
}

bool is_time(std::string_view text) {
  if (text.size() < 9 || text[2] != ':' || text[5] != ':') return false;
  const int hour = number(text, 0, 2);
  const int minute = number(text, 3, 2);
  const int second = number(text, 6, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return false;
  text.remove_prefix(8);
  if (text.starts_with('.')) {
    std::size_t end = 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end == 1) return false;
    text.remove_prefix(end);
  }
  const int offset = zone(text);
  if (offset == kNoZone) return false;
  if (second < 60) return true;
  constexpr int kDay = 24 * 60;
  return (hour * 60 + minute - offset + kDay) % kDay == kDay - 1;
}

bool is_date_time(std::string_view text) {
  return text.size() > 11 && is_one_of(text[10], "Tt") && is_date(text.substr(0, 10)) &&
         is_time(text.substr(11));
}

bool is_duration(std::string_view text) {
  if (!text.starts_with('P')) return false;
  text.remove_prefix(1);
  std::string_view weeks = text;
  if (units(weeks, "W") && weeks.empty()) return true;
  const bool has_date = !text.starts_with('T');
  if (has_date && !units(text, "YMD")) return false;
  if (text.empty()) return has_date;
  if (!text.starts_with('T')) return false;
  text.remove_prefix(1);
  return units(text, "HMS") && text.empty();
}

}  // namespace host::json::schema
