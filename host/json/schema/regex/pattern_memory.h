// Measures the memory of compiled patterns. A short pattern can need a thousand times its length,
// so the size of the schema's text says little about the memory.
#pragma once

#include <cstddef>

namespace host::json::schema {

// Returns the bytes of all patterns that this thread has compiled so far, including patterns that
// were deleted. The difference between the results of two calls is the memory of the patterns that
// the thread compiled between the calls.
std::size_t pattern_bytes_of_thread();

}  // namespace host::json::schema
