// Content blocks for versions that do not know all kinds of them.
#pragma once

#include <string>

#include "protocol/versions.h"

namespace host::protocol {

// `blocks` as tool::CallResult has them: joined by commas, without brackets. Kinds that `version`
// lacks become text blocks that say what stood there, so that a model still learns of them.
std::string content_for(const std::string& blocks, Version version);

}  // namespace host::protocol
