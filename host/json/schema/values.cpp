#include "json/schema/values.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "json/excerpt.h"
#include "json/hash.h"
#include "json/schema/run.h"

namespace host::json::schema {
namespace {

constexpr std::size_t kShownBytes = 60;

// A double against an integer: beyond 64 bits by size alone, within them by integral part first.
template <class Integer>
std::partial_ordering compare_real(double real, Integer integer) {
  constexpr double kTooLarge = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
  if (real >= kTooLarge) return std::partial_ordering::greater;
  if (real < (std::is_signed_v<Integer> ? -0x1p63 : 0.0)) return std::partial_ordering::less;
  const auto whole = static_cast<Integer>(real);
  if (whole != integer) return whole <=> integer;
  return real <=> std::trunc(real);
}

std::partial_ordering compare_real(double real, const Value& integer) {
  return integer.IsInt64() ? compare_real(real, integer.GetInt64())
                           : compare_real(real, integer.GetUint64());
}

std::partial_ordering reversed(std::partial_ordering order) {
  return 0 <=> order;
}

// digits * 10^exponent
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

Decimal decimal(const Value& number) {
  if (number.IsInt64()) {
    const std::int64_t value = number.GetInt64();
    return {value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                      : static_cast<std::uint64_t>(value),
            0};
  }
  if (number.IsUint64()) return {number.GetUint64(), 0};
  // The shortest text of a double is what was written, as long as that had 17 digits or fewer.
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(),
                                 std::abs(number.GetDouble()), std::chars_format::scientific)
                       .ptr;
  Decimal result;
  const char* at = text.data();
  bool fraction = false;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    result.digits = result.digits * 10 + static_cast<unsigned>(*at - '0');
    result.exponent -= fraction ? 1 : 0;
  }
  int exponent = 0;
  const char* const power = at + (at + 1 < end && at[1] == '+' ? 2 : 1);
  if (at != end) std::from_chars(power, end, exponent);
  result.exponent += exponent;
  return result;
}

std::uint64_t power_of_ten_modulo(int exponent, std::uint64_t modulus) {
  unsigned __int128 result = 1 % modulus;
  unsigned __int128 base = 10 % modulus;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result = result * base % modulus;
    base = base * base % modulus;
  }
  return static_cast<std::uint64_t>(result);
}

bool equal_arrays(const Value& left, const Value& right, Run* run) {
  if (left.Size() != right.Size()) return false;
  for (rapidjson::SizeType i = 0; i < left.Size(); ++i) {
    if (!equal(left[i], right[i], run)) return false;
  }
  return true;
}

bool equal_objects(const Value& left, const Value& right, Run* run) {
  if (left.MemberCount() != right.MemberCount()) return false;
  for (auto member = left.MemberBegin(); member != left.MemberEnd(); ++member) {
    if (run != nullptr && !run->spend(right.MemberCount() / 4)) return false;
    const Value* const other = find(right, text(member->name));
    if (other == nullptr || !equal(member->value, *other, run)) return false;
  }
  return true;
}

std::uint64_t hash_number(const Value& value, std::uint64_t secret) {
  // Integers that a double holds exactly hash as doubles do; the others equal no double.
  const double real = value.IsDouble()  ? value.GetDouble()
                      : value.IsInt64() ? static_cast<double>(value.GetInt64())
                                        : static_cast<double>(value.GetUint64());
  const bool exact = value.IsDouble() || compare_real(real, value) == 0;
  const double plain = real == 0 ? 0.0 : real;  // -0 equals 0
  std::uint64_t bits;
  if (exact) {
    std::memcpy(&bits, &plain, sizeof bits);
  } else {
    bits = value.IsInt64() ? static_cast<std::uint64_t>(value.GetInt64()) : value.GetUint64();
  }
  return hash_mix(bits ^ secret, 0x9E3779B97F4A7C15 ^ secret);
}

}  // namespace

bool equal(const Value& left, const Value& right, Run* run) {
  if (run != nullptr && !run->spend(1)) return false;
  if (left.GetType() != right.GetType()) return false;
  switch (left.GetType()) {
    case rapidjson::kStringType:
      return text(left) == text(right);
    case rapidjson::kNumberType:
      return compare_numbers(left, right) == 0;
    case rapidjson::kArrayType:
      return equal_arrays(left, right, run);
    case rapidjson::kObjectType:
      return equal_objects(left, right, run);
    default:
      return true;
  }
}

std::uint64_t hash(const Value& value, std::uint64_t secret, Run& run) {
  if (!run.spend(1)) return 0;
  constexpr std::uint64_t kOdd = 0xD6E8FEB86659FD93;
  std::uint64_t state = secret + static_cast<std::uint64_t>(value.GetType());
  switch (value.GetType()) {
    case rapidjson::kStringType:
      return hash_bytes(text(value), secret);
    case rapidjson::kNumberType:
      return hash_number(value, secret);
    case rapidjson::kArrayType:
      for (const Value& element : value.GetArray()) {
        state = hash_mix(state ^ hash(element, secret, run), kOdd ^ secret);
      }
      return state;
    case rapidjson::kObjectType:  // a sum: the order of members is of no matter
      for (const auto& member : value.GetObject()) {
        state +=
            hash_mix(hash_bytes(text(member.name), secret) ^ kOdd, hash(member.value, secret, run));
      }
      return state;
    default:
      return hash_mix(state, kOdd ^ secret);
  }
}

std::partial_ordering compare_numbers(const Value& left, const Value& right) {
  if (left.IsDouble()) {
    return right.IsDouble() ? left.GetDouble() <=> right.GetDouble()
                            : compare_real(left.GetDouble(), right);
  }
  if (right.IsDouble()) return reversed(compare_real(right.GetDouble(), left));
  if (left.IsInt64() && right.IsInt64()) return left.GetInt64() <=> right.GetInt64();
  if (left.IsUint64() && right.IsUint64()) return left.GetUint64() <=> right.GetUint64();
  return left.IsInt64() ? std::partial_ordering::less : std::partial_ordering::greater;
}

bool is_multiple(const Value& value, const Value& divisor) {
  const Decimal dividend = decimal(value);
  const Decimal unit = decimal(divisor);
  if (dividend.digits == 0) return true;
  if (dividend.exponent >= unit.exponent) {
    const std::uint64_t power = power_of_ten_modulo(dividend.exponent - unit.exponent, unit.digits);
    return static_cast<unsigned __int128>(dividend.digits % unit.digits) * power % unit.digits == 0;
  }
  unsigned __int128 scaled = unit.digits;
  for (int i = dividend.exponent; i < unit.exponent; ++i) {
    scaled *= 10;
    if (scaled > dividend.digits) return false;
  }
  return dividend.digits % scaled == 0;
}

std::string quoted(std::string_view text) {
  std::string written;
  write_string(excerpt(text, kShownBytes), written);
  return written;
}

std::string shown(const Value& value) {
  if (value.IsString()) return quoted(text(value));
  return excerpt(write(value), kShownBytes);
}

std::string listed(const std::vector<const Value*>& values) {
  constexpr std::size_t kListed = 12;
  std::string list;
  for (std::size_t i = 0; i < values.size() && i < kListed; ++i)
    list.append(i == 0 ? "" : ", ").append(shown(*values[i]));
  if (values.size() > kListed) list += " (" + std::to_string(values.size() - kListed) + " more)";
  return list;
}

std::string describe_value(const Value& value) {
  const auto counted = [](std::size_t count, const std::string& one, const std::string& many) {
    return std::to_string(count) + ' ' + (count == 1 ? one : many);
  };
  switch (value.GetType()) {
    case rapidjson::kNullType:
      return "null";
    case rapidjson::kFalseType:
      return "boolean false";
    case rapidjson::kTrueType:
      return "boolean true";
    case rapidjson::kStringType:
      return "string " + shown(value);
    case rapidjson::kNumberType:
      return "number " + shown(value);
    case rapidjson::kArrayType:
      return "array of " + counted(value.Size(), "item", "items");
    case rapidjson::kObjectType:
      return "object with " + counted(value.MemberCount(), "property", "properties");
  }
  return {};
}

std::string describe_types(Types types) {
  constexpr std::array<std::pair<Types, std::string_view>, 7> kNames = {{{kNull, "null"},
                                                                         {kBoolean, "boolean"},
                                                                         {kNumber, "number"},
                                                                         {kInteger, "integer"},
                                                                         {kString, "string"},
                                                                         {kArray, "array"},
                                                                         {kObject, "object"}}};
  std::string list;
  for (const auto& [type, name] : kNames) {
    if ((types & type) != type) continue;
    if (type == kInteger && (types & kFraction) != 0) continue;
    list.append(list.empty() ? "" : " or ").append(name);
  }
  return list;
}

}  // namespace host::json::schema
