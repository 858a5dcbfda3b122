// The rules for a tool's arguments, from a call or from a reviewer who changes them. Any thread.
#pragma once

#include <optional>
#include <string>

#include "json/json.h"
#include "json/schema/schema.h"

namespace host::tool {

struct InputRules {
  const json::Value& tree;             // the input schema
  const json::schema::Schema& schema;  // the same, compiled
  const json::Value* presets;          // object of fixed arguments; nullptr: none
};

// Turns an object into the arguments that the tool gets: drops nulls of optional members, and
// overrides members with presets. Returns why the arguments are not valid against the schema;
// nullopt: they are valid.
std::optional<std::string> fit(json::Document& arguments, const InputRules& rules);

// Returns the reason if `arguments` has a member that the host reserves and the tool does not
// declare; otherwise nullopt. `properties`: of the input schema; nullptr: it has none.
std::optional<std::string> reserved_member(const json::Value& arguments,
                                           const json::Value* properties);

// Removes null members of `value` that `schema` declares and does not require, also through
// objects, items, additionalProperties and references within the schema. Required and undeclared
// nulls stay.
void drop_optional_nulls(json::Value& value, const json::Value& schema,
                         const json::Value& root_schema);

}  // namespace host::tool
