#include "tool/definition/question_url.h"

#include <algorithm>

#include "base/text/letters.h"
#include "base/text/visible.h"

namespace host::tool {
namespace {

constexpr std::string_view kMark = "://";

// Browsers remove some of these characters from a URL, so that it becomes another one.
bool is_unseen(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte == 0x7f;
}

// Browsers end it at a backslash too.
std::string_view authority_in(std::string_view rest) {
  return rest.substr(0, rest.find_first_of("/?#\\"));
}

std::string_view host_in(std::string_view authority) {
  const std::string_view host = authority.substr(authority.rfind('@') + 1);
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_ipv4(std::string_view host) {
  return std::count(host.begin(), host.end(), '.') == 3 && !host.ends_with('.') &&
         host.find("..") == std::string_view::npos &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_loopback(std::string_view host) {
  return same_letters(host, "localhost") || host == "[::1]" ||
         (host.starts_with("127.") && is_ipv4(host));
}

}  // namespace

std::string fault_of_question_url(std::string_view url) {
  if (std::any_of(url.begin(), url.end(), is_unseen)) return "has a space or a control character";
  if (marked(url) != url) return "has an invisible character";
  const std::size_t mark = url.find(kMark);
  const std::string_view scheme = url.substr(0, mark);
  const bool is_secure = same_letters(scheme, "https");
  if (mark == std::string_view::npos || (!is_secure && !same_letters(scheme, "http")))
    return "must begin with https:// (or with http://, if its host is this machine)";
  const std::string_view authority = authority_in(url.substr(mark + kMark.size()));
  const std::string_view host = host_in(authority);
  if (host.empty()) return "names no host";
  if (!is_secure && !is_loopback(host))
    return "must use https, because its host is not localhost or a loopback address";
  // https://bank.example@a.example leads to a.example.
  return authority.find('@') == std::string_view::npos ? "" : "has a user name before its host";
}

}  // namespace host::tool
