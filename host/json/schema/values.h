// Compares JSON values by the data model of JSON Schema, compares numbers, and describes values in
// messages.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "json/json.h"
#include "json/schema/program.h"

namespace host::json::schema {

// Two numbers are equal if their values are equal (1 and 1.0). Two objects are equal even if their
// members have a different order. Each compared value takes one step of the budget of `run`, unless
// `run` is null. If the budget is exhausted, the values are unequal.
bool equal(const Value& left, const Value& right, Run* run);
// Returns a hash that is the same for equal values. Each value takes one step of the budget of
// `run`.
std::uint64_t hash(const Value& value, std::uint64_t secret, Run& run);

// Compares the exact values of two numbers, even of a 64-bit integer and a double.
std::partial_ordering compare_numbers(const Value& left, const Value& right);
// Returns true if `value` is a multiple of `divisor`, computed exactly in decimal: 0.3 is a
// multiple of 0.1.
bool is_multiple(const Value& value, const Value& divisor);

std::string describe_value(const Value& value);               // `string "12"`, `array of 3 items`
std::string describe_types(Types types);                      // `string or null`
std::string quoted(std::string_view text);                    // shortened if long
std::string shown(const Value& value);                        // the text, shortened if it is long
std::string listed(const std::vector<const Value*>& values);  // `1, "a" (3 more)`

}  // namespace host::json::schema
