#include "transport/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "transport/ascii.h"
#include "transport/unix_socket.h"

namespace host::transport {
namespace {

constexpr int kBacklog = 1024;

Endpoint endpoint_of(const sockaddr_storage& storage) {
  if (storage.ss_family == AF_UNIX) {
    return {std::string("unix:") + reinterpret_cast<const sockaddr_un&>(storage).sun_path, 0};
  }
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return {text, ntohs(v6.sin6_port)};
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
  ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
  return {text, ntohs(v4.sin_port)};
}

void set_option(int fd, int level, int name) {
  const int on = 1;
  ::setsockopt(fd, level, name, &on, sizeof on);
}

Result<UniqueFd> listen_at(const addrinfo& where, const std::string& text) {
  UniqueFd fd(::socket(where.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd) {
    set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR);
    if (where.ai_family == AF_INET6) set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY);
    if (::bind(fd.get(), where.ai_addr, where.ai_addrlen) == 0 && ::listen(fd.get(), kBacklog) == 0)
      return fd;
  }
  return Error{ErrorKind::Io, "cannot listen on \"" + text + "\": " + std::strerror(errno)};
}

}  // namespace

Result<UniqueFd> listen_on(std::string_view text) {
  if (const auto path = unix_path_in(text)) return listen_at(*path);
  const std::string whole(text);
  const std::size_t colon = whole.rfind(':');
  // The resolver takes 99999 for 34463.
  if (colon == std::string::npos || !is_port(std::string_view(whole).substr(colon + 1))) {
    return Error{ErrorKind::InvalidArgument,
                 "cannot listen on \"" + whole + "\": expected address:port, a port of 0 to 65535"};
  }
  std::string name = whole.substr(0, colon);
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(name.empty() ? nullptr : name.c_str(), whole.c_str() + colon + 1,
                                   &hints, &found);
  if (failed != 0) {
    return Error{ErrorKind::InvalidArgument,
                 "cannot listen on \"" + whole + "\": " + ::gai_strerror(failed)};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  Result<UniqueFd> fd = listen_at(*all, whole);
  for (const addrinfo* next = all->ai_next; next != nullptr && !fd; next = next->ai_next)
    fd = listen_at(*next, whole);
  return fd;
}

Endpoint bound_to(int fd) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &length);
  return endpoint_of(storage);
}

std::string to_string(const Endpoint& endpoint) {
  if (endpoint.address.starts_with("unix:")) return endpoint.address;
  const bool v6 = endpoint.address.find(':') != std::string::npos;
  return (v6 ? "[" + endpoint.address + "]" : endpoint.address) + ":" +
         std::to_string(endpoint.port);
}

std::optional<Accepted> accept_one(int fd, int& error) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  Accepted accepted;
  accepted.fd = UniqueFd(
      ::accept4(fd, reinterpret_cast<sockaddr*>(&storage), &length, SOCK_CLOEXEC | SOCK_NONBLOCK));
  error = 0;
  if (!accepted.fd) {
    if (errno != EAGAIN && errno != EWOULDBLOCK) error = errno;
    return {};
  }
  accepted.family = storage.ss_family;
  if (accepted.family == AF_UNIX) {
    accepted.address = "unix";
    if (is_own_user(accepted.fd.get())) return accepted;
    error = EACCES;
    return {};
  }
  set_option(accepted.fd.get(), IPPROTO_TCP, TCP_NODELAY);
  accepted.address = endpoint_of(storage).address;
  return accepted;
}

}  // namespace host::transport
