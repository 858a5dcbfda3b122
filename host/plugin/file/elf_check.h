// Checks that a file is a complete shared library for this machine. The check of the library does
// not load the file. The dynamic loader checks little and crashes on half-written files.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace host::plugin {

// Returns an Error unless the file is a 64-bit little-endian x86-64 ET_DYN whose headers, segments
// and sections all lie inside the file.
Result<void> check_elf(int fd, std::uint64_t size);

}  // namespace host::plugin
