// Parses `server.listen` and `--listen`. Any thread can call the functions of this header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace host::config {

struct ListenAddress {
  std::string host;        // a name, an IPv4 address, or an IPv6 address in brackets
  std::uint16_t port = 0;  // 0: any free port
  std::string unix_path;   // absolute path of a Unix socket; if it is set, `host` is empty

  bool is_unix() const { return !unix_path.empty(); }
  // Returns true if only this machine can reach the address.
  bool is_loopback() const;
  // Returns true if the address means all interfaces of the machine. A host can listen on all
  // interfaces, but clients cannot use such an address to connect.
  bool is_all_interfaces() const;
};

// Returns nullopt if `text` is not an address of the form that listen_form() describes.
std::optional<ListenAddress> listen_address(std::string_view text);

// If `text` is not an address, listen_form() returns the expected form, as words. Otherwise it
// returns nullptr.
const char* listen_form(std::string_view text);

}  // namespace host::config
