#include "transport/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace host::transport {
namespace {

constexpr std::string_view kScheme = "unix:";
constexpr int kUnixBacklog = 1024;

Error cannot(const std::string& path, const std::string& why) {
  return {ErrorKind::Io, "cannot listen on \"unix:" + path + "\": " + why};
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

template <class Act>
int with_address(const std::string& path, Act act) {
  const sockaddr_un address = address_of(path);
  return act(reinterpret_cast<const sockaddr*>(&address), socklen_t(sizeof address));
}

// In such a folder anybody could put a socket of their own in this one's place.
Result<void> check_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    return cannot(path, "the folder " + folder + ": " + std::strerror(errno));
  }
  const bool others_write = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (others_write && (status.st_mode & S_ISVTX) == 0) {
    return cannot(path, "other users may write to the folder " + folder +
                            ": take that right from them (`chmod go-w`), or choose another folder");
  }
  return {};
}

// A host that was killed leaves its socket behind.
Result<void> remove_stale(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return cannot(path, std::strerror(errno));
  }
  const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int connected = with_address(path, [&](const sockaddr* address, socklen_t length) {
    return ::connect(probe.get(), address, length);
  });
  // EAGAIN: whoever listens has a full backlog.
  if (connected == 0 || errno == EAGAIN) return cannot(path, "another process listens there");
  if (errno != ECONNREFUSED) return cannot(path, std::strerror(errno));
  if (::unlink(path.c_str()) != 0) return cannot(path, std::strerror(errno));
  return {};
}

}  // namespace

std::optional<std::string> unix_path_in(std::string_view listen) {
  if (!listen.starts_with(kScheme)) return std::nullopt;
  return std::string(listen.substr(kScheme.size()));
}

UnixSocketFile::~UnixSocketFile() {
  if (keeps_) return;
  struct stat status {};
  const bool there = ::lstat(path_.c_str(), &status) == 0;
  if (there && status.st_dev == device_ && status.st_ino == inode_) ::unlink(path_.c_str());
}

Result<void> check_socket_place(const std::string& path) {
  HOST_TRY(check_folder(path));
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && !S_ISSOCK(status.st_mode))
    return cannot(path, "a file that is not a socket is there");
  return {};
}

Result<UniqueFd> listen_at(const std::string& path) {
  if (path.empty() || path.front() != '/') return cannot(path, "the path must be absolute");
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return cannot(path, "the path must be shorter than " +
                            std::to_string(sizeof(sockaddr_un::sun_path)) + " bytes");
  }
  HOST_TRY(check_socket_place(path));
  HOST_TRY(remove_stale(path));
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return cannot(path, std::strerror(errno));
  // On the socket, before it has a name: bind() makes the file with these rights at once, so there
  // is no moment at which others could connect.
  if (::fchmod(fd.get(), S_IRUSR | S_IWUSR) != 0) return cannot(path, std::strerror(errno));
  const int bound = with_address(path, [&](const sockaddr* address, socklen_t length) {
    return ::bind(fd.get(), address, length);
  });
  if (bound != 0) return cannot(path, std::strerror(errno));
  const auto file = file_of(path);  // removed again, where what follows fails
  struct stat status {};
  if (!file || ::lstat(path.c_str(), &status) != 0) return cannot(path, std::strerror(errno));
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return cannot(path, "the file system gives other users rights to it");
  }
  if (::listen(fd.get(), kUnixBacklog) != 0) return cannot(path, std::strerror(errno));
  file->keep();
  return fd;
}

std::unique_ptr<UnixSocketFile> file_of(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return nullptr;
  return std::make_unique<UnixSocketFile>(path, status.st_dev, status.st_ino);
}

bool is_own_user(int fd) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

}  // namespace host::transport
