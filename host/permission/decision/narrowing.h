// What a session takes away from the permissions of its agent. It can only take away.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "permission/rule/rule.h"

namespace host::permission {

struct Narrowing {
  std::optional<Mode> mode;  // used if it is stricter than the mode that applies otherwise
  // Used if inside the folders that apply otherwise. nullopt: all of those.
  std::optional<std::vector<std::string>> working_dirs;
};

// The one that allows less. From strict to lenient: explore, dont_ask, default, accept_edits,
// bypass. Each allows what the mode before it allows.
Mode stricter(Mode a, Mode b);

// Those of `wanted` that are inside one of `allowed`, by their real paths at this moment.
std::vector<std::string> inside(const std::vector<std::string>& wanted,
                                const std::vector<std::string>& allowed);

}  // namespace host::permission
