// Defines the restrictions that a session adds to the permissions of its agent. A session can never
// add permissions to those of its agent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "permission/rule/rule.h"

namespace host::permission {

struct Narrowing {
  // The session's mode. The host uses the session's mode only if it is stricter than the mode that
  // would apply without the session.
  std::optional<Mode> mode;
  // `working_dirs` contains the folders that the session allows. The host ignores a folder that
  // would not be allowed without the session. nullopt means that the session sets no restriction.
  std::optional<std::vector<std::string>> working_dirs;
};

// Returns the stricter of two modes. The order of the modes from strict to lenient is: explore,
// dont_ask, default, accept_edits, bypass. A lenient mode allows everything that a stricter mode
// allows.
Mode stricter(Mode a, Mode b);

// Returns the folders of `wanted` that are inside a folder of `allowed`, compared by their current
// real paths.
std::vector<std::string> inside(const std::vector<std::string>& wanted,
                                const std::vector<std::string>& allowed);

}  // namespace host::permission
