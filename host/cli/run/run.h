// Runs a command line and returns the exit code.
#pragma once

#include <string>

namespace host::cli {

// `commit` is the commit of the sources, shown with the version; empty if the commit is not known.
int run(int argc, const char* const* argv, std::string commit);

}  // namespace host::cli
