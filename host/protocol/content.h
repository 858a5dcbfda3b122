// Converts content blocks for versions that lack some kinds.
#pragma once

#include <string>

#include "protocol/versions.h"

namespace host::protocol {

// `blocks` as in tool::CallResult: joined by commas, without brackets. Blocks of kinds that
// `version` lacks become text blocks that describe them, so that the model still gets the
// information.
std::string content_for(const std::string& blocks, Version version);

}  // namespace host::protocol
