#include "json/number.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

namespace host::json {
namespace {

using Kind = Number::Kind;

// Any number of so many digits fits 64 bits.
constexpr std::ptrdiff_t kSafeDigits = 19;

// The powers of ten that a double holds exactly.
constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::int64_t kLargestPower = kPowers.size() - 1;
constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 53u;

bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

Number failure(Kind kind) {
  return Number{.kind = kind, .as_unsigned = 0};
}

Number real(double value) {
  return Number{.kind = Kind::Real, .as_real = value};
}

// Appends the digits at `at` to `value`, which wraps where they are too many.
void read_digits(const char*& at, const char* end, std::uint64_t& value) {
  const char* position = at;
  for (; position != end && is_digit(*position); ++position) {
    value = value * 10 + static_cast<unsigned>(*position - '0');
  }
  at = position;
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

// Any real number, at the price of a second look at its text.
[[gnu::noinline]] Number read_long_real(const char* from, const char* end) {
  double value = 0;
  if (std::from_chars(from, end, value).ec == std::errc{}) return real(value);
  // from_chars says "out of range" for both ends and does not tell which.
  const std::string_view text(from, static_cast<std::size_t>(end - from));
  if (magnitude(text) > 0) return failure(Kind::RealTooLarge);
  return real(*from == '-' ? -0.0 : 0.0);
}

[[gnu::noinline]] Number read_long_integer(const char* from, const char* end) {
  Number number{.kind = Kind::Unsigned, .as_unsigned = 0};
  if (std::from_chars(from, end, number.as_unsigned).ec == std::errc{}) return number;
  return failure(Kind::IntegerTooLarge);
}

Number integer(bool negative, std::uint64_t value) {
  constexpr auto kMost = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (negative) {
    if (value == 0) return real(-0.0);
    if (value > kMost + 1) return failure(Kind::IntegerTooLarge);
    return Number{.kind = Kind::Signed, .as_signed = static_cast<std::int64_t>(0 - value)};
  }
  if (value > kMost) return Number{.kind = Kind::Unsigned, .as_unsigned = value};
  return Number{.kind = Kind::Signed, .as_signed = static_cast<std::int64_t>(value)};
}

// The exponent behind its `e`, saturated: far beyond any double, far below an overflow.
std::int64_t read_exponent(const char*& at, const char* end) {
  constexpr std::int64_t kFar = 1'000'000;
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  std::int64_t power = 0;
  for (; at != end && is_digit(*at); ++at) power = std::min(power * 10 + (*at - '0'), kFar);
  return negative ? -power : power;
}

}  // namespace

Number read_number(const char*& at, const char* end) {
  const char* const from = at;
  const bool negative = *at == '-';
  if (negative) ++at;
  const char* const first = at;
  std::uint64_t digits = 0;
  if (at != end && *at == '0') {
    ++at;
  } else {
    read_digits(at, end, digits);
    if (at == first) return failure(Kind::DigitMissing);
  }
  std::ptrdiff_t count = at - first;
  if (at == end || (*at != '.' && *at != 'e' && *at != 'E')) {
    return count <= kSafeDigits ? integer(negative, digits) : read_long_integer(from, at);
  }

  std::int64_t exponent = 0;
  if (*at == '.') {
    const char* const fraction = ++at;
    read_digits(at, end, digits);
    if (at == fraction) return failure(Kind::FractionDigitMissing);
    exponent = fraction - at;
    count -= exponent;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    exponent += read_exponent(at, end);
    if (!is_digit(at[-1])) return failure(Kind::ExponentDigitMissing);
  }
  if (count > kSafeDigits) return read_long_real(from, at);
  if (digits == 0) return real(negative ? -0.0 : 0.0);
  // Two exact doubles: one multiplication or division rounds once (Clinger 1990).
  static_assert(FLT_EVAL_METHOD == 0);
  if (digits > kExactIntegers || exponent < -kLargestPower || exponent > kLargestPower) {
    return read_long_real(from, at);
  }
  const double whole = static_cast<double>(digits);
  const double value = exponent < 0 ? whole / kPowers[static_cast<std::size_t>(-exponent)]
                                    : whole * kPowers[static_cast<std::size_t>(exponent)];
  return real(negative ? -value : value);
}

double nearest_double(const char* from, const char* end) {
  double value = 0;
  if (std::from_chars(from, end, value).ec == std::errc{}) return value;
  constexpr double kLargest = std::numeric_limits<double>::max();
  return *from == '-' ? -kLargest : kLargest;
}

}  // namespace host::json
