// Converts JSON numbers to values, without RapidJSON's own arithmetic.
#pragma once

#include <cstdint>

namespace host::json {

struct Number {
  enum class Kind {
    Signed,
    Unsigned,
    Real,
    // IntegerTooLarge and all later kinds mean that the text is not a valid number.
    IntegerTooLarge,
    RealTooLarge,
    DigitMissing,          // no digit after the sign
    FractionDigitMissing,  // no digit after the point
    ExponentDigitMissing,
  };

  Kind kind;
  union {
    std::int64_t as_signed;
    std::uint64_t as_unsigned;
    double as_real;
  };
};

// Reads the number that begins at `at` with a digit or a minus, and moves `at` to its end. If a
// digit is missing, `at` then points to the byte where the digit should be. A number without
// fraction and exponent is an integer, except `-0`, which only a double can represent. A double is
// the value nearest to the text. Numbers that are too small for a double become zero and keep their
// sign.
Number read_number(const char*& at, const char* end);

// Returns the double that is nearest to a number for which read_number() returns IntegerTooLarge or
// RealTooLarge.
double nearest_double(const char* from, const char* end);

}  // namespace host::json
