// Where the programs lie that a profile names.
#pragma once

#include <string>
#include <vector>

namespace host::sandbox {

// The files of these programs in the system's folders, and the loaders by which the kernel starts
// them. A name that no folder has is left out.
std::vector<std::string> program_files(const std::vector<std::string>& names);

}  // namespace host::sandbox
