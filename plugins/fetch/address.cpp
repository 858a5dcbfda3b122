#include "address.h"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>

#include <toolpost/toolpost.hpp>

#include "lower.h"

namespace {

constexpr std::size_t kMaxBytes = 4096;

[[noreturn]] void refuse(const std::string& url, const char* why) {
  throw toolpost::Error("url \"" + std::string(toolpost::cut(url, 200)) + "\" " + why);
}

// Who fetches resolves "." and "..", and a rule would not see it.
bool climbs(std::string_view rest) {
  const std::string path = std::string(rest.substr(0, rest.find('?'))) + '/';
  return path.find("/../") != path.npos || path.find("/./") != path.npos;
}

bool is_letter_or_digit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// RFC 3986, 6.2.2: letters, digits and -._~ in clear, every other escape in capital letters.
std::string plain_escapes(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned code = 0;
    const char* const digits = text.data() + at + 1;
    const bool escape = text[at] == '%' && at + 2 < text.size() &&
                        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    if (!escape) {
      out += text[at];
      continue;
    }
    const char c = static_cast<char>(code);
    const bool unreserved =
        code < 0x80 && (is_letter_or_digit(c) ||
                        (code != 0 && std::string_view("-._~").find(c) != std::string_view::npos));
    constexpr char hex[] = "0123456789ABCDEF";
    if (unreserved) {
      out += c;
    } else {
      out.append({'%', hex[code >> 4], hex[code & 15]});
    }
    at += 2;
  }
  return out;
}

// An address of IPv6 can be written in many ways, and one of IPv4 within it; empty: it is none.
std::string plain_v6(const std::string& address) {
  in6_addr bytes{};
  char text[INET6_ADDRSTRLEN];
  if (::inet_pton(AF_INET6, address.c_str(), &bytes) != 1) return {};
  if (IN6_IS_ADDR_V4MAPPED(&bytes))
    return ::inet_ntop(AF_INET, bytes.s6_addr + 12, text, sizeof text);
  return "[" + std::string(::inet_ntop(AF_INET6, &bytes, text, sizeof text)) + "]";
}

// The resolver takes a host whose last part is a number for an address of IPv4: it may have fewer
// parts than four, and octal and hexadecimal ones.
bool is_v4(std::string_view host) {
  std::string_view last = host.substr(host.rfind('.') + 1);
  const bool is_hex = last.starts_with("0x");
  if (is_hex) last.remove_prefix(2);
  return last.find_first_not_of(is_hex ? "0123456789abcdef" : "0123456789") == last.npos;
}

bool is_plain_v4(const std::string& host) {
  in_addr bytes{};
  return ::inet_pton(AF_INET, host.c_str(), &bytes) == 1;
}

// The host gate and the resolver take a name with a final dot for the same host.
std::string plain_host(const std::string& url, std::string host) {
  if (host.starts_with('[')) {
    std::string address = plain_v6(host.substr(1, host.size() - 2));
    if (!host.ends_with(']') || address.empty()) refuse(url, "has no valid host");
    return address;
  }
  if (host.ends_with('.')) host.pop_back();
  const bool plain = std::all_of(host.begin(), host.end(), [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_';
  });
  if (host.empty()) refuse(url, "has no host");
  if (!plain || host.ends_with('.'))
    refuse(url, "has no valid host: write its name in letters, digits, \"-\" and \".\"");
  if (is_v4(host) && !is_plain_v4(host))
    refuse(url, "has no valid host: write the address as four decimal numbers");
  return host;
}

// ":8443", or nothing for the default port of the scheme.
std::string plain_port(const std::string& url, std::string_view scheme, std::string_view digits) {
  std::uint32_t port = 0;
  const char* const end = digits.data() + digits.size();
  const auto [read, fault] = std::from_chars(digits.data(), end, port);
  if (fault != std::errc() || read != end || port == 0 || port > 65'535)
    refuse(url, "has no valid port: write a number from 1 to 65535, or leave the colon out");
  return port == (scheme == "https" ? 443u : 80u) ? "" : ":" + std::to_string(port);
}

// Host and port in one spelling.
std::string plain_authority(const std::string& url, std::string_view scheme,
                            const std::string& authority) {
  if (authority.find('@') != authority.npos) refuse(url, "has a name or password: leave it out");
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  const std::size_t colon = authority.find(':', std::min(bracket, authority.size()));
  std::string host = plain_host(url, authority.substr(0, colon));
  if (colon == authority.npos) return host;
  return host + plain_port(url, scheme, std::string_view(authority).substr(colon + 1));
}

}  // namespace

Address parse_address(const std::string& url) {
  if (url.size() > kMaxBytes) refuse(url, "is too long");
  const bool plain = std::all_of(url.begin(), url.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '\\' && c != '"' && c != '<' && c != '>';
  });
  if (!plain) refuse(url, "has characters that no URL has: write them as %20 and so on");
  const std::size_t colon = url.find("://");
  const std::string scheme = lower(url.substr(0, std::min(colon, url.size())));
  if (colon == url.npos || (scheme != "https" && scheme != "http"))
    refuse(url, "is no http or https URL");
  const std::size_t start = colon + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", start), url.size());
  const std::string authority = lower(url.substr(start, end - start));
  const std::string origin = scheme + "://" + plain_authority(url, scheme, authority);
  std::string rest = plain_escapes(url.substr(end, std::min(url.find('#', end), url.size()) - end));
  if (!rest.starts_with('/')) rest.insert(0, 1, '/');
  if (climbs(rest)) refuse(url, "has a part \".\" or \"..\": write the path without it");
  return {origin, rest};
}

bool address_fits(std::string_view pattern, std::string_view address) {
  std::size_t at = 0, in = 0;
  std::size_t star = pattern.npos, retry = 0;
  while (in < address.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      retry = in;
    } else if (at < pattern.size() && pattern[at] == address[in]) {
      ++at, ++in;
    } else if (star != pattern.npos) {
      at = star + 1;
      in = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}
