// What is left in a pipe whose writer has ended.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace host::upstream {

// At most: a process outside the ended tree may have the pipe, and go on writing for ever.
inline constexpr std::size_t kMostOfTheRest = 4u << 20u;

// Reads until nothing is there, and at most `most` bytes. `fd` does not block.
void take_rest(int fd, std::size_t most, const std::function<void(std::string_view)>& take);

}  // namespace host::upstream
