// The memory that compiled patterns take. A short pattern can compile to a thousand times its
// length, so that the size of a schema's text says little of it.
#pragma once

#include <cstddef>

namespace host::json::schema {

// Bytes of all patterns that this thread has compiled so far, also of those that are gone. The
// difference of two values is what was compiled between them.
std::size_t pattern_bytes_of_thread();

}  // namespace host::json::schema
