// Makes listening sockets and accepts connections. Child processes do not inherit the descriptors
// of the sockets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host::transport {

struct Endpoint {
  std::string address;  // "127.0.0.1", "::1", "unix:/run/toolpost.sock"
  std::uint16_t port = 0;
};

// `text` is "address:port", "[address]:port" or "name:port". With port 0, listen_on() takes any
// free port. `text` can also be "unix:/PATH".
Result<UniqueFd> listen_on(std::string_view text);

Endpoint bound_to(int fd);
std::string to_string(const Endpoint& endpoint);

struct Accepted {
  UniqueFd fd;          // non-blocking; TCP without delay (TCP_NODELAY)
  int family = 0;       // AF_INET, AF_INET6, AF_UNIX
  std::string address;  // "127.0.0.1", "::1", "unix"
};
// Accepts one connection. Returns nullopt if no connection waits, or after an error. If
// accept_one() returns nullopt, `error` gives the reason (0: no connection; EACCES: a different
// user connected to a Unix socket).
std::optional<Accepted> accept_one(int fd, int& error);

}  // namespace host::transport
