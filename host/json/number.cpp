#include "json/number.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

namespace host::json {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The exponent of ten of the first digit that is not zero: positive for 10 and above. Saturates,
// since an exponent may have a million digits.
std::int64_t magnitude(std::string_view text) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;
  const std::size_t mark = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return -kFar;
  std::int64_t exponent = 0;
  if (mark != std::string_view::npos) {
    std::string_view power = text.substr(mark + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (error != std::errc{} || exponent > kFar || exponent < -kFar) {
      exponent = power.starts_with('-') ? -kFar : kFar;
    }
  }
  return exponent + static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
}

Number read_integer(std::string_view text) {
  Number number;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number.as_signed).ec == std::errc{}) return number;
  number.kind = Number::Kind::Unsigned;
  if (std::from_chars(text.data(), end, number.as_unsigned).ec == std::errc{}) return number;
  number.kind = Number::Kind::IntegerTooLarge;
  return number;
}

Number read_real(std::string_view text) {
  Number number;
  number.kind = Number::Kind::Real;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.as_real);
  if (error == std::errc{}) return number;
  // from_chars says "out of range" for both ends and does not tell which.
  if (magnitude(text) > 0) {
    number.kind = Number::Kind::RealTooLarge;
  } else {
    number.as_real = text.starts_with('-') ? -0.0 : 0.0;
  }
  return number;
}

}  // namespace

Number read_number(std::string_view text) {
  for (const char c : text) {
    if (!is_digit(c) && c != '-') return read_real(text);
  }
  if (text == "-0") return Number{.kind = Number::Kind::Real, .as_real = -0.0};
  return read_integer(text);
}

}  // namespace host::json
