// Measures the memory of compiled patterns. A compiled pattern can take a thousand times the memory
// of its text, so the size of a schema says little about its memory.
#pragma once

#include <cstddef>

namespace host::json::schema {

// Returns the bytes of all patterns that this thread has compiled so far, including patterns that
// were deleted.
std::size_t pattern_bytes_of_thread();

}  // namespace host::json::schema
