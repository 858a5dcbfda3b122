// Open files that the host sends to a worker over their socket, each with bytes of the stream
// (SCM_RIGHTS). The worker receives the files in the order in which they were sent, each no later
// than the byte that it was sent with. Any thread.
#pragma once

#include <sys/types.h>

#include <deque>
#include <span>
#include <string_view>

#include "base/unique_fd.h"

namespace host::plugin {

// Sends some of `bytes`, and `file` with the first byte. Returns as send() does: if it sent at
// least one byte, it has sent the file. `bytes` is not empty.
ssize_t send_with_file(int socket, std::string_view bytes, int file);

// Receives as recv() does, and appends the files that came with the bytes to `files`. A file for
// which this process has no free descriptor becomes an invalid UniqueFd.
ssize_t receive_with_files(int socket, std::span<char> room, std::deque<UniqueFd>& files);

}  // namespace host::plugin
