// Reads the rest of a pipe after its writer has ended.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace host::upstream {

// kMostOfTheRest is the maximum number of bytes that the host reads from a pipe after the writer
// has ended. A process outside the ended process tree can have the pipe open and write without end.
inline constexpr std::size_t kMostOfTheRest = 4u << 20u;

// Reads until the pipe is empty, but at most `most` bytes. `fd` must be non-blocking.
void take_rest(int fd, std::size_t most, const std::function<void(std::string_view)>& take);

// Returns true if `line`, a last line without a newline, is one whole JSON text. A truncated
// message is not one whole JSON text.
bool is_whole(std::string_view line);

}  // namespace host::upstream
