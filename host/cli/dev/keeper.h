// The keeper is a process between `toolpost dev` and a program that `toolpost dev` runs. When the
// program ends, the keeper ends all processes that the program started, in any group or session.
// The keeper also ends the program when `toolpost dev` ends, even if `toolpost dev` is killed.
//
// The keeper is a process of the same executable as `toolpost dev`, started as `toolpost --keep FD
// PROGRAM ARGUMENT...`. FD is the keeper's end of a pair of sockets. When the other end of the pair
// of sockets is closed, the keeper ends all processes. When the program has ended, the keeper sends
// a KeptEnd to `toolpost dev`, which says how the program ended.
#pragma once

#include <string_view>

namespace host::cli::dev {

inline constexpr std::string_view kKeeperFlag = "--keep";

struct KeptEnd {
  int start_fault = 0;  // the errno if the program could not be started
  int status = 0;       // the program's status, as waitpid() returns it
};

// Returns true if the arguments of main() are the arguments of a keeper.
bool is_keeper(int argc, const char* const* argv);
int keep(const char* const* argv);  // returns the exit code

}  // namespace host::cli::dev
