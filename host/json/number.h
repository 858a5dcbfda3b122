// Number texts of JSON to values, without RapidJSON's own arithmetic.
#pragma once

#include <cstdint>

namespace host::json {

struct Number {
  enum class Kind {
    Signed,
    Unsigned,
    Real,
    // No value:
    IntegerTooLarge,
    RealTooLarge,
    DigitMissing,          // after the sign
    FractionDigitMissing,  // after the point
    ExponentDigitMissing,
  };

  Kind kind;
  union {
    std::int64_t as_signed;
    std::uint64_t as_unsigned;
    double as_real;
  };
};

// Reads the number that begins at `at`, by a digit or a minus, and moves `at` behind it; where a
// digit is missing, to the byte that stands there instead. Without fraction and exponent it is an
// integer, save `-0`, which only a double can keep. Doubles are the nearest to the text; what is
// too small for one becomes a zero of its sign.
Number read_number(const char*& at, const char* end);

}  // namespace host::json
