// Makes a listening Unix socket in the file system. Only the owner of the Unix socket and root can
// connect (0600), and the kernel reports who connected.
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

// Returns the absolute path in a text such as "unix:/run/toolpost.sock". Returns nullopt if the
// text does not have the form "unix:/PATH".
std::optional<std::string> unix_path_in(std::string_view listen);

// A UnixSocketFile owns the file of a listening socket. The destructor removes the socket's file,
// unless a different file has replaced it.
class UnixSocketFile {
 public:
  UnixSocketFile(std::string path, dev_t device, ino_t inode)
      : path_(std::move(path)), device_(device), inode_(inode) {}
  ~UnixSocketFile();
  UnixSocketFile(const UnixSocketFile&) = delete;
  UnixSocketFile& operator=(const UnixSocketFile&) = delete;

  void keep() { keeps_ = true; }  // after keep(), the destructor does not remove the file

 private:
  const std::string path_;
  const dev_t device_;
  const ino_t inode_;
  bool keeps_ = false;
};

// Checks that a socket can be made at `path`: no other user may be able to write to the folder, and
// if there is a file at `path`, it must be a socket. The function check_socket_place() makes no
// changes.
Result<void> check_socket_place(const std::string& path);

// Listens at `path`. listen_at() replaces a socket that has no listener, but no other file.
Result<UniqueFd> listen_at(const std::string& path);
// Returns the file of a socket that listen_at() made.
std::unique_ptr<UnixSocketFile> file_of(const std::string& path);

// Returns true if the process that connected runs as this process' user, or as root.
bool is_own_user(int fd);

}  // namespace host::transport
