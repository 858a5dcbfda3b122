// Reads the rest of a pipe whose writer has ended.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace host::upstream {

// The most bytes to read from the rest. The limit is needed because a process outside the ended
// process tree may have the pipe open and write for ever.
inline constexpr std::size_t kMostOfTheRest = 4u << 20u;

// Reads until the pipe is empty, at most `most` bytes. `fd` must not block.
void take_rest(int fd, std::size_t most, const std::function<void(std::string_view)>& take);

}  // namespace host::upstream
