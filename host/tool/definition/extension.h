// Declares functions with which the host extends the declaration of a tool. The host can add
// arguments for the model in addition to the tool's own arguments. The host can also set arguments
// of a tool to fixed values. Any thread can call the functions of this header.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tool/definition/tool.h"

namespace host::tool {

// Merges `extension` into the input schema. `extension` is the JSON text of an object with
// "properties", and optionally "required" and "$defs", as in a schema. The function extend()
// returns an Error in three cases: `extension` has a property or a definition that the tool itself
// has, a property with a reserved name, or a member other than "properties", "required" and
// "$defs".
//
// The host validates calls against the merged schema. The host passes the added arguments to the
// provider only if the tool's original schema allows additional properties. If the tool's original
// schema does not allow additional properties, the provider does not get the added arguments.
// Reviewers, rules, interceptors and the audit log see the added arguments even if the provider
// does not get them.
Result<void> extend(Declaration& declaration, std::string_view extension);

// Presets are JSON object texts; an empty text means that there are no presets. In the returned
// presets, the members of `changes` replace members of `presets` with the same name.
Result<std::string> changed_presets(const std::string& presets, const std::string& changes);
// Returns `presets` with the members of `more` added. added_presets() returns an Error if `more`
// and `presets` give the same member different values.
Result<std::string> added_presets(const std::string& presets, const std::string& more);

}  // namespace host::tool
