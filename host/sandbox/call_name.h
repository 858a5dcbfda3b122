// Finds the names of system calls, so that messages can contain the names. The function needs
// libseccomp, so workers do not use it.
#pragma once

#include <cstdint>
#include <string>

namespace host::sandbox {

// Returns a name like "ptrace". The name is empty if no system call of this machine has this
// number.
std::string name_of_system_call(std::int32_t number);

}  // namespace host::sandbox
