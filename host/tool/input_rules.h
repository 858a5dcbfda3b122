// What the arguments of a tool must satisfy, wherever they come from: a call, or a reviewer who
// changes them. Any thread.
#pragma once

#include <optional>
#include <string>

#include "json/json.h"
#include "json/schema/schema.h"

namespace host::tool {

struct InputRules {
  const json::Value& tree;             // the input schema
  const json::schema::Schema& schema;  // the same, compiled
  const json::Value* presets;          // object of arguments that are fixed; nullptr: none
};

// Makes of an object the arguments that the tool will see: nulls of optional members are dropped,
// presets are overlaid and win. Returns what does not satisfy the schema, in words; nullopt: all
// does.
std::optional<std::string> fit(json::Document& arguments, const InputRules& rules);

// Returns why a member that the host reserves, and the tool does not declare, is refused; nullopt:
// there is none. `properties`: of the input schema; nullptr: it has none.
std::optional<std::string> reserved_member(const json::Value& arguments,
                                           const json::Value* properties);

// Removes null members of `value` that `schema` declares and does not require, through objects,
// items, additionalProperties and references within the schema. A required or undeclared null
// stays.
void drop_optional_nulls(json::Value& value, const json::Value& schema,
                         const json::Value& root_schema);

}  // namespace host::tool
