// What the host adds to a tool's declaration: arguments that the model must or may give in addition
// to those of the tool, and arguments that are fixed. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tool/definition/tool.h"

namespace host::tool {

// Merges `extension` into the input schema. It is the JSON text of an object with "properties", and
// perhaps "required" and "$defs", as in a schema. An Error names a property or a definition that
// the tool itself has, a reserved name, or another member.
//
// Calls are validated against the merged schema. The provider gets the added arguments only if its
// own schema allows additional properties. Otherwise they are withheld from it: reviewers, rules,
// interceptors and the audit see them.
Result<void> extend(Declaration& declaration, std::string_view extension);

// Presets as JSON object texts; empty: none. The members of `changes` replace those of `presets`.
Result<std::string> changed_presets(const std::string& presets, const std::string& changes);
// The same, but what is fixed stays fixed: an Error names a member of `more` that `presets` has
// with another value.
Result<std::string> added_presets(const std::string& presets, const std::string& more);

}  // namespace host::tool
