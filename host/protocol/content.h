// Converts content blocks for protocol versions that lack some kinds of blocks.
#pragma once

#include <string>

#include "protocol/versions.h"

namespace host::protocol {

// `blocks` as in tool::CallResult: joined by commas, without brackets. Blocks of kinds that
// `version` lacks become text blocks that describe them, so that the model still learns of the
// content.
std::string content_for(const std::string& blocks, Version version);

}  // namespace host::protocol
