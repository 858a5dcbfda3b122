// Converts JSON numbers to values, without RapidJSON's own arithmetic.
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

// Reads the number that begins at `at` with a digit or a minus, and moves `at` behind it. If a
// digit is missing, `at` is moved to the byte in its place. A number without fraction and exponent
// is an integer, except `-0`, which only a double can represent. A double is the value nearest to
// the text. Too small numbers become zero, with their sign.
Number read_number(const char*& at, const char* end);

}  // namespace host::json
