// The standard metrics of a process, with Prometheus' names.
#pragma once

#include "metrics/page.h"

namespace host::metrics {

// Writes memory, descriptors, processor time and start time of this process. Values that the kernel
// does not provide are left out.
void add_process(Page& page);

}  // namespace host::metrics
