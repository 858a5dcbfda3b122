// `server.listen` and `--listen`, read in one place. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace host::config {

struct ListenAddress {
  std::string host;        // a name, an IPv4 address, or an IPv6 address in brackets
  std::uint16_t port = 0;  // 0: any free one
  std::string unix_path;   // of a Unix socket, absolute; then `host` is empty

  bool is_unix() const { return !unix_path.empty(); }
  // Only this machine reaches it.
  bool is_loopback() const;
  // Every interface of this machine: an address to listen on, not one to connect to.
  bool is_all_interfaces() const;
};

// nullopt: `text` is not an address of the form that listen_form() describes.
std::optional<ListenAddress> listen_address(std::string_view text);

// What was expected instead of `text`, or null where it is an address.
const char* listen_form(std::string_view text);

}  // namespace host::config
