// The restrictions that a session adds to the permissions of its agent. It can never add
// permissions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "permission/rule/rule.h"

namespace host::permission {

struct Narrowing {
  std::optional<Mode> mode;  // used if it is stricter than the mode that applies otherwise
  // Folders inside the folders that apply without the session; others are ignored. nullopt: no
  // restriction.
  std::optional<std::vector<std::string>> working_dirs;
};

// The mode that allows less. From strict to lenient: explore, dont_ask, default, accept_edits,
// bypass. Each mode allows everything that the previous mode allows.
Mode stricter(Mode a, Mode b);

// The folders of `wanted` that are inside a folder of `allowed`, compared by their current real
// paths.
std::vector<std::string> inside(const std::vector<std::string>& wanted,
                                const std::vector<std::string>& allowed);

}  // namespace host::permission
