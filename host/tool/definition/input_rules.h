// InputRules are the rules that a tool's arguments must follow. The input rules apply to the
// arguments of a call, and to arguments that a reviewer changes. Any thread can call the functions
// of this header.
#pragma once

#include <optional>
#include <string>

#include "json/json.h"
#include "json/schema/schema.h"

namespace host::tool {

struct InputRules {
  const json::Value& tree;             // the input schema
  const json::schema::Schema& schema;  // the compiled form of `tree`
  const json::Value* presets;          // an object of fixed arguments; nullptr: no fixed arguments
};

// Returns the schema as clients see it: without the arguments that `presets` fixes.
json::Document shown_schema(const json::Value& tree, const json::Value& presets);

// Sets the arguments that the presets fix to the values of the presets. `presets` may be nullptr.
void set_presets(json::Document& arguments, const json::Value* presets);

// fit() turns a JSON object into the arguments that the tool gets. fit() drops nulls of optional
// members as drop_optional_nulls() does, and sets the members that presets fix. If the arguments
// are not valid against the schema, the function returns the reason; otherwise nullopt. The reason
// that fit() returns contains neither the name nor the value of a preset.
std::optional<std::string> fit(json::Document& arguments, const InputRules& rules);

// If `arguments` has a member that the host reserves and the tool does not declare, the
// function returns the reason; otherwise nullopt. `properties` is the member "properties" of the
// input schema, or nullptr if the schema has none.
std::optional<std::string> reserved_member(const json::Value& arguments,
                                           const json::Value* properties);

// Removes null members of `value` that `schema` declares and does not require. The function
// drop_optional_nulls() also looks inside nested objects and arrays (`items`,
// `additionalProperties`, and references within the schema). The function keeps nulls that the
// schema requires or does not declare. A null also stays if the schema of its member allows null,
// because the null can mean "clear this".
void drop_optional_nulls(json::Value& value, const json::Value& schema,
                         const json::Value& root_schema);

}  // namespace host::tool
