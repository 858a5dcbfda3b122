// Converts content blocks for protocol versions that lack some kinds of blocks.
#pragma once

#include <string>

#include "protocol/versions.h"

namespace host::protocol {

// `blocks` are JSON objects joined by commas, without brackets, as in tool::CallResult. If the
// protocol version lacks a block's kind, the result has a text block instead, which describes the
// content for the model.
std::string content_for(const std::string& blocks, Version version);

}  // namespace host::protocol
