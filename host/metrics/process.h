// Writes the standard metrics of a process, under the names that Prometheus defines.
#pragma once

#include "metrics/page.h"

namespace host::metrics {

// Writes memory, descriptors, processor time and start time of this process. add_process() leaves
// out values that the kernel does not provide.
void add_process(Page& page);

}  // namespace host::metrics
