// JSON values by the data model of JSON Schema: equality, order of numbers, and their names in
// messages.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "json/json.h"
#include "json/schema/program.h"

namespace host::json::schema {

// Numbers are equal if their values are (1 and 1.0). Objects are equal in any order of their
// members. Each compared value takes one step of the budget of `run`, unless `run` is null. If the
// budget is exhausted, the values are unequal.
bool equal(const Value& left, const Value& right, Run* run);
// Equal values have equal hashes. Each value takes one step of the budget of `run`.
std::uint64_t hash(const Value& value, std::uint64_t secret, Run& run);

// Compares by the exact values, also between 64-bit integers and doubles.
std::partial_ordering compare_numbers(const Value& left, const Value& right);
// True if `value` is a multiple of `divisor`, computed exactly in decimal: 0.3 is a multiple of
// 0.1.
bool is_multiple(const Value& value, const Value& divisor);

std::string describe_value(const Value& value);               // `string "12"`, `array of 3 items`
std::string describe_types(Types types);                      // `string or null`
std::string quoted(std::string_view text);                    // shortened if long
std::string shown(const Value& value);                        // its text, shortened if long
std::string listed(const std::vector<const Value*>& values);  // `1, "a" (3 more)`

}  // namespace host::json::schema
