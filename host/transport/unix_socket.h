// A listening Unix socket in the file system: only its owner and root can connect to it (0600), and
// the kernel says who did.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host::transport {

// The absolute path in "unix:/run/toolpost.sock"; nothing: it is no such text.
std::optional<std::string> unix_path_in(std::string_view listen);

// The file of a socket that listens. Removes it at the end, unless another file took its place.
class UnixSocketFile {
 public:
  UnixSocketFile(std::string path, dev_t device, ino_t inode)
      : path_(std::move(path)), device_(device), inode_(inode) {}
  ~UnixSocketFile();
  UnixSocketFile(const UnixSocketFile&) = delete;
  UnixSocketFile& operator=(const UnixSocketFile&) = delete;

  void keep() { keeps_ = true; }  // it is not removed

 private:
  const std::string path_;
  const dev_t device_;
  const ino_t inode_;
  bool keeps_ = false;
};

// Whether a socket may be made there: no other user may write to the folder, and no file that is
// not a socket has the name. Nothing is made or removed.
Result<void> check_socket_place(const std::string& path);

// Takes the place of a socket that nobody listens on any more, and of nothing else.
Result<UniqueFd> listen_at(const std::string& path);
// Of a socket that listen_at() made.
std::unique_ptr<UnixSocketFile> file_of(const std::string& path);

// Whether the process at the other end runs as this one's user, or as root.
bool is_own_user(int fd);

}  // namespace host::transport
