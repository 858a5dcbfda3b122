// Declares one function for each group of JSON Schema keywords, in the order in which the compiler
// calls them. Each function adds the rules for its keywords in the current schema. A returned Error
// says what is wrong with a keyword.
#pragma once

#include <cstdint>
#include <limits>

#include "json/schema/compiler.h"

namespace host::json::schema {

inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

Result<void> add_value_rules(Builder& builder);       // type, enum, const
Result<void> add_number_rules(Builder& builder);      // minimum ... multipleOf
Result<void> add_string_rules(Builder& builder);      // minLength, maxLength, pattern, format
Result<void> add_array_rules(Builder& builder);       // items, prefixItems, contains, ...
Result<void> add_object_rules(Builder& builder);      // properties, required, ...
Result<void> add_dependency_rules(Builder& builder);  // dependentRequired, dependentSchemas, ...
Result<void> add_logic_rules(Builder& builder);       // allOf, anyOf, oneOf, not, if
Result<void> add_reference_rules(Builder& builder);   // $ref, $dynamicRef
// Call add_unevaluated_rules() after all other functions of this header, because its rules apply to
// members that no other rule has evaluated.
Result<void> add_unevaluated_rules(Builder& builder);

}  // namespace host::json::schema
