// Finds the function and line of an offset into a library, from its debug information. That is
// untrusted too, so it is read in a separate process, which may crash: `toolpost-worker
// --symbolize`.
#pragma once

namespace host::plugin::worker {

// Reads one Config frame from `socket`, up to its end. It has the library, the sandbox, and as
// settings the offsets, in hexadecimal, one a line. For each offset, in order, it writes lines of
// `function TAB file TAB line`, inlined functions first, and an empty line. Returns the process's
// exit code.
int symbolize(int socket);

}  // namespace host::plugin::worker
