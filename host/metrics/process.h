// What every program shows of itself, under the names that Prometheus has for it.
#pragma once

#include "metrics/page.h"

namespace host::metrics {

// Memory, descriptors, processor time and start of this process; what the kernel does not tell is
// left out.
void add_process(Page& page);

}  // namespace host::metrics
