#include "plugin/wire/passed_files.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace host::plugin {
namespace {

// The host sends one file with a message, and the kernel ends a read after a message with a file.
union Control {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

void take_files(msghdr& message, std::deque<UniqueFd>& files) {
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at; at = CMSG_NXTHDR(&message, at)) {
    if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(at) + i * sizeof file, sizeof file);
      files.emplace_back(file);
    }
  }
  if (message.msg_flags & MSG_CTRUNC) files.emplace_back();  // there was no descriptor for it
}

}  // namespace

ssize_t send_with_file(int socket, std::string_view bytes, int file) {
  Control control{};
  iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
  for (;;) {
    const ssize_t count = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (count >= 0 || errno != EINTR) return count;
  }
}

ssize_t receive_with_files(int socket, std::span<char> room, std::deque<UniqueFd>& files) {
  for (;;) {
    Control control{};
    iovec piece{room.data(), room.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    const ssize_t count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) continue;
    if (count > 0) take_files(message, files);
    return count;
  }
}

}  // namespace host::plugin
