// The command line from words to exit code.
#pragma once

namespace host::cli {

int run(int argc, const char* const* argv);

}  // namespace host::cli
