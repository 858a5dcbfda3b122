// The command line of toolpost-confine, which applies a sandbox profile to itself and executes an
// upstream server:
//
//     toolpost-confine WORD... -- COMMAND ARGUMENT...
//
// toolpost-keeper starts toolpost-confine instead of the server, and passes the descriptor
// kKeeperStatus (keeper/control.h) to it. toolpost-confine writes its report (report.h) to this
// descriptor. The server does not inherit the descriptor.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/profile.h"

namespace host::upstream {

// Returns the words before "--" for `profile`, whose `server` must be true. The words contain
// neither `command`, which follows "--", nor `filter`, which toolpost-confine compiles itself.
std::vector<std::string> words_of(const sandbox::Profile& profile);

// Reads the words before "--". Returns an Error for a word that words_of() never returns.
Result<sandbox::Profile> profile_in(std::span<const char* const> words);

}  // namespace host::upstream
