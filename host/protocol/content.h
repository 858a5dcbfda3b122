// Converts content blocks for versions that lack some kinds.
#pragma once

#include <string>

#include "protocol/versions.h"

namespace host::protocol {

// `blocks` as in tool::CallResult: joined by commas, without brackets. Kinds that `version` lacks
// become text blocks that describe them, so that a model still learns of them.
std::string content_for(const std::string& blocks, Version version);

}  // namespace host::protocol
