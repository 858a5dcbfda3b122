// Runs a command line and returns the exit code.
#pragma once

namespace host::cli {

int run(int argc, const char* const* argv);

}  // namespace host::cli
