// A tool's definition as it is pinned: all that the host uses of it, as JSON that is the same for
// the same definition.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::upstream {

struct Definition {
  std::string tool;  // as the upstream names it
  std::string text;  // canonical JSON
};

// From an entry of the upstream's list. Members that the host does not use are left out, so that
// they may change. InvalidArgument: it has no name.
Result<Definition> definition_of(std::string_view entry);

// "sha256:..." of the text.
std::string digest_of(std::string_view definition);

}  // namespace host::upstream
