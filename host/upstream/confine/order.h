// Defines the command line of toolpost-confine, which applies a sandbox profile to itself and
// executes an upstream server:
//
//     toolpost-confine WORD... -- COMMAND ARGUMENT...
//
// toolpost-keeper starts toolpost-confine instead of the server, and passes the descriptor
// kKeeperStatus (keeper/control.h) to toolpost-confine. toolpost-confine writes its report
// (report.h) to this descriptor. The upstream server does not inherit the descriptor kKeeperStatus.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/profile.h"

namespace host::upstream {

// Returns the words that come before "--" on the command line for `profile`. `profile.server` must
// be true. The returned words contain neither `command`, which follows "--", nor `filter`, which
// toolpost-confine compiles itself.
std::vector<std::string> words_of(const sandbox::Profile& profile);

// Reads the words that come before "--" on the command line of toolpost-confine. Returns an Error
// for an unknown word.
Result<sandbox::Profile> profile_in(std::span<const char* const> words);

}  // namespace host::upstream
