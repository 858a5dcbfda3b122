// Finds the programs that a profile names.
#pragma once

#include <string>
#include <vector>

namespace host::sandbox {

// Returns the paths of the programs' executables in the system's folders (/usr/bin and so on), and
// the paths of the loaders that the kernel needs to start them. Skips programs that are in no
// system folder.
std::vector<std::string> program_files(const std::vector<std::string>& names);

// Returns the files that the kernel needs to execute `command`: the command's own file, its loader,
// and the interpreter if the file is a script. If the interpreter of a script is `env`, the result
// includes the program that `env` looks up. `command` is a path if it has a slash. If `command` has
// no slash, the function looks it up in the environment variable PATH. If the program does not
// exist, the result is empty.
std::vector<std::string> files_of_command(const std::string& command);

}  // namespace host::sandbox
