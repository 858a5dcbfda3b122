// Finds the programs that a profile names.
#pragma once

#include <string>
#include <vector>

namespace host::sandbox {

// Returns the files of these programs in the system's folders, and the loaders that the kernel
// needs to start them. The function leaves out names that are in none of the folders.
std::vector<std::string> program_files(const std::vector<std::string>& names);

}  // namespace host::sandbox
