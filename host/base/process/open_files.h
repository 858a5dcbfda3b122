// Raises the limit of the host's open descriptors. Connections, workers and uploads need open
// descriptors. The usual soft limit of 1,024 is for programs that call select(), which the host
// does not call.
#pragma once

#include <cstdint>

namespace host {

// Raises the soft limit of open descriptors to the hard limit.
void raise_open_files();

// Returns the soft limit from before raise_open_files(), for other programs that the host starts.
// The result 0 means that the host has not raised the soft limit.
std::uint64_t open_files_of_programs();

}  // namespace host
