// A Definition is a tool's pinned definition: all members that the host uses, as canonical JSON,
// which is the same text for the same definition.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::upstream {

struct Definition {
  std::string tool;  // the upstream's name for the tool
  std::string text;  // canonical JSON
};

// Makes a definition from an entry of the upstream's list. The definition omits members that the
// host does not use, also in `_meta`. So if a member that the host does not use changes, the
// definition does not change. The Error InvalidArgument means that the entry has no name, or that
// the definition has more than 256 KiB, or its `_meta` more than 64 KiB.
Result<Definition> definition_of(std::string_view entry);

// Returns "sha256:HEX" of a definition's text.
std::string digest_of(std::string_view definition);

}  // namespace host::upstream
