// Landlock by raw system calls, with constants of its own: the kernel may be newer than the
// headers. What an ABI does not know is left out, and the layer's detail says which ABI it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/profile.h"

namespace host::sandbox {

// The newest that this kernel has, at most `most`; 0: none.
std::uint32_t landlock_abi(std::uint32_t most = Profile::kNewestAbi);

// From this ABI on no file outside the grants can be opened for writing.
inline constexpr std::uint32_t kAbiThatHoldsOpening = 1;
// From this ABI on no file outside the grants can be changed; before, truncate() was overlooked.
inline constexpr std::uint32_t kAbiThatHoldsWrites = 3;
// From this one on signals stay within the sandbox.
inline constexpr std::uint32_t kAbiThatHoldsSignals = 6;

// For the calling thread and all it starts. Needs no_new_privs. Adds to `absent` the grants whose
// path cannot be opened. Keeps a descriptor open on /proc/self.
Layer enter_landlock(const Profile& profile, std::vector<std::string>& absent);

}  // namespace host::sandbox
