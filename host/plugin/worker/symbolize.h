// Finds the function and line for an offset into a library, with the library's debug information.
// Debug information is untrusted, so a separate process reads it (`toolpost-worker --symbolize`),
// which can crash.
#pragma once

namespace host::plugin::worker {

// Reads one Config frame from `socket`. The Config frame contains the library's path and the
// sandbox profile. In place of the plugin's settings, the Config frame contains offsets into the
// library in hexadecimal, one per line. For each offset, in order, the function writes lines of
// `function TAB file TAB line`, inlined functions first, and then an empty line. Returns the
// process's exit code.
int symbolize(int socket);

}  // namespace host::plugin::worker
