#include "config/listen_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>

namespace host::config {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::size_t kLongestPath = 107;  // sockaddr_un

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
}

std::string without_brackets(const std::string& host) {
  return host.size() > 2 && host.front() == '[' && host.back() == ']'
             ? host.substr(1, host.size() - 2)
             : std::string();
}

std::optional<in_addr> v4_of(const std::string& host) {
  in_addr address{};
  if (::inet_pton(AF_INET, host.c_str(), &address) != 1) return std::nullopt;
  return address;
}

std::optional<in6_addr> v6_of(const std::string& host) {
  in6_addr address{};
  if (::inet_pton(AF_INET6, without_brackets(host).c_str(), &address) != 1) return std::nullopt;
  return address;
}

// Resolvers read "0" and "127.1" as addresses too. Only the full form is accepted, so that what
// an address means can be seen, here and by the reader. A top-level domain is never a number.
bool is_host(const std::string& host) {
  if (host.starts_with('[')) return v6_of(host).has_value();
  if (host.empty() || !std::all_of(host.begin(), host.end(), is_name_character)) return false;
  const std::string last = host.substr(host.rfind('.') + 1);
  const bool numeric = last.empty() || is_digit(last.front());
  return !numeric || v4_of(host).has_value();
}

std::optional<ListenAddress> unix_address(std::string_view path) {
  const bool fits = path.size() > 1 && path.size() <= kLongestPath && path.front() == '/' &&
                    path.find('\0') == std::string_view::npos;
  if (!fits) return std::nullopt;
  return ListenAddress{{}, 0, std::string(path)};
}

}  // namespace

bool ListenAddress::is_loopback() const {
  if (is_unix()) return true;
  if (const auto v4 = v4_of(host)) return (ntohl(v4->s_addr) >> 24u) == 127;
  if (const auto v6 = v6_of(host)) return IN6_IS_ADDR_LOOPBACK(&*v6);
  constexpr std::string_view kName = "localhost";
  return std::equal(host.begin(), host.end(), kName.begin(), kName.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

bool ListenAddress::is_all_interfaces() const {
  if (const auto v4 = v4_of(host)) return v4->s_addr == INADDR_ANY;
  if (const auto v6 = v6_of(host)) return IN6_IS_ADDR_UNSPECIFIED(&*v6);
  return false;
}

std::optional<ListenAddress> listen_address(std::string_view text) {
  if (text.starts_with(kUnix)) return unix_address(text.substr(kUnix.size()));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  ListenAddress made;
  made.host = std::string(text.substr(0, colon));
  const std::string_view port = text.substr(colon + 1);
  const auto [end, fault] = std::from_chars(port.data(), port.data() + port.size(), made.port);
  if (fault != std::errc{} || end != port.data() + port.size()) return std::nullopt;
  return is_host(made.host) ? std::optional(made) : std::nullopt;
}

const char* listen_form(std::string_view text) {
  if (listen_address(text)) return nullptr;
  return text.starts_with(kUnix)
             ? "unix: and an absolute path of at most 107 bytes"
             : "ADDRESS:PORT, like \"127.0.0.1:8808\" or \"[::1]:0\", or \"unix:/PATH\"";
}

}  // namespace host::config
