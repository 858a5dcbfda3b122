// Converts content blocks for protocol versions that lack some kinds of blocks.
#pragma once

#include <string>

#include "protocol/versions.h"

namespace host::protocol {

// `blocks` has the form of tool::CallResult: joined by commas, without brackets. A block of a kind
// that the protocol version lacks becomes a text block that describes it, so that the model still
// learns of the content.
std::string content_for(const std::string& blocks, Version version);

}  // namespace host::protocol
