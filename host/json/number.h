// Number texts of JSON to values, without RapidJSON's own arithmetic.
#pragma once

#include <cstdint>
#include <string_view>

namespace host::json {

struct Number {
  enum class Kind { Signed, Unsigned, Real, IntegerTooLarge, RealTooLarge };

  Kind kind = Kind::Signed;
  std::int64_t as_signed = 0;
  std::uint64_t as_unsigned = 0;
  double as_real = 0;
};

// `text` has the shape of a JSON number. Without fraction and exponent it is an integer, save `-0`,
// which only a double can keep. What is too small for a double becomes a zero of its sign.
Number read_number(std::string_view text);

}  // namespace host::json
