// Uses Landlock through raw system calls, with its own definitions of the constants, because the
// kernel can be newer than the system's headers. The code uses only features that the kernel's
// Landlock ABI has. The report about the Landlock layer contains the number of the ABI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/profile.h"

namespace host::sandbox {

// Returns the newest Landlock ABI that this kernel has, but not more than `most`. If the result is
// 0, the kernel has no Landlock.
std::uint32_t landlock_abi(std::uint32_t most = Profile::kNewestAbi);

// kAbiThatHoldsOpening is the first ABI with which Landlock refuses to open a file for writing
// outside the grants.
inline constexpr std::uint32_t kAbiThatHoldsOpening = 1;
// kAbiThatHoldsWrites is the first ABI with which Landlock refuses every change of the contents of
// files outside the grants. With an older ABI, Landlock does not restrict truncate().
inline constexpr std::uint32_t kAbiThatHoldsWrites = 3;
// kAbiThatHoldsSignals is the first ABI with which a process in the sandbox can send signals only
// to processes in the same sandbox.
inline constexpr std::uint32_t kAbiThatHoldsSignals = 6;

// Applies Landlock to the calling thread and to all threads and processes that this thread starts.
// The function needs no_new_privs. enter_landlock() adds to `absent` the grants whose path cannot
// be opened. enter_landlock() keeps a descriptor of /proc/self open, which an upstream server
// inherits.
Layer enter_landlock(const Profile& profile, std::vector<std::string>& absent);

}  // namespace host::sandbox
