// Whether a file is a whole shared library for this machine, without loading it: the dynamic loader
// checks little and dies of what it finds in a half-written file.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace host::plugin {

// 64-bit little-endian x86-64 ET_DYN whose headers, segments and sections all lie inside the file.
Result<void> check_elf(int fd, std::uint64_t size);

}  // namespace host::plugin
