// Converts content blocks for protocol versions that lack some kinds of blocks.
#pragma once

#include <string>

#include "protocol/versions.h"

namespace host::protocol {

// `blocks` are JSON objects joined by commas, without brackets, as in tool::CallResult. If the
// protocol version lacks a block's kind, the result contains a text block that describes the
// content, so that the model still learns of the content.
std::string content_for(const std::string& blocks, Version version);

}  // namespace host::protocol
