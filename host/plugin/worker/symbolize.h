// Finds out which function and line an offset into a library is, from its debug information. That
// is foreign too, so it is read in a process that may die of it: `toolpost-worker --symbolize`.
#pragma once

namespace host::plugin::worker {

// Reads from `socket`, to its end, one Config frame: which library, which sandbox, and as its
// settings offsets in hexadecimal, a line each. Writes for each, in order, lines of `function TAB
// file TAB line`, inlined functions first, and an empty line. The process's exit code.
int symbolize(int socket);

}  // namespace host::plugin::worker
