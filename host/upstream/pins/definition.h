// A Definition is a tool's pinned definition: all members that the host uses. Two definitions that
// differ only in the order of object members are the same definition. The order of the members is
// kept, because models and people see the arguments of a tool in this order.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace host::upstream {

struct Definition {
  std::string tool;            // the upstream's name for the tool
  std::string text;            // JSON, with the members of objects in the upstream's order
  std::string canonical = {};  // canonical JSON; only definition_of() sets it
};

// Makes a definition from an entry of the upstream's list. The definition omits members that the
// host does not use, also in `_meta`. So if a member that the host does not use changes, the
// definition does not change. The Error InvalidArgument means that the entry has no name, or that
// the definition has more than 256 KiB, or its `_meta` more than 64 KiB.
Result<Definition> definition_of(std::string_view entry);

// Returns "sha256:HEX" of a definition's text. The order of the members of objects has no effect.
std::string digest_of(std::string_view definition);
// Returns true if `text` is the text of the same definition as `definition`.
bool is_same(const Definition& definition, const std::string& text);

}  // namespace host::upstream
