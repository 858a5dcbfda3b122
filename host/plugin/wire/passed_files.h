// Passes open files from the host to a worker over their socket (SCM_RIGHTS). The host attaches
// each open file to one byte of the socket's stream. The worker receives the files in the order in
// which they were sent. Any thread can call the functions of this header.
#pragma once

#include <sys/types.h>

#include <deque>
#include <span>
#include <string_view>

#include "base/unique_fd.h"

namespace host::plugin {

// Sends some of `bytes`, and `file` with the first byte. Returns what send() returns. `bytes` must
// not be empty.
ssize_t send_with_file(int socket, std::string_view bytes, int file);

// Receives bytes like recv(), and appends the received files to `files`. If this process has no
// free descriptor for a file, the function appends an invalid UniqueFd.
ssize_t receive_with_files(int socket, std::span<char> room, std::deque<UniqueFd>& files);

}  // namespace host::plugin
