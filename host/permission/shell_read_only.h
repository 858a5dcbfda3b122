// Commands that are known to change nothing. A command or an option that is not known here is not
// read-only: it is asked for.
#pragma once

#include "permission/shell_words.h"

namespace host::permission::shell {

// One segment: known command, harmless options, no file written, no variable that changes what
// runs.
bool is_read_only(const Segment& segment);

// Every segment; an empty script is not read-only.
bool is_read_only(const Script& script);

}  // namespace host::permission::shell
