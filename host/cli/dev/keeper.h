// The process that stands between `toolpost dev` and a program which it runs, so that all of that
// program ends in time: what it started, in whatever group or session, ends with it; and it ends
// with `toolpost dev`, also where that is killed.
//
// It is this same executable, started as `toolpost --keep FD PROGRAM ARGUMENT...`. FD is its end of
// a pair of sockets: the other end's close is the end of all; what became of the program is sent
// there.
#pragma once

#include <string_view>

namespace host::cli::dev {

inline constexpr std::string_view kKeeperFlag = "--keep";

struct KeptEnd {
  int start_fault = 0;  // an errno: it could not be started
  int status = 0;       // as waitpid() has it
};

// Whether these are a keeper's arguments, as main() has them.
bool is_keeper(int argc, const char* const* argv);
int keep(const char* const* argv);  // the exit code

}  // namespace host::cli::dev
