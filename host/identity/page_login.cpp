#include "identity/page_login.h"

#include "transport/ascii.h"

namespace host::identity {
namespace {

using transport::HttpRequest;

constexpr std::string_view kCookie = "__Host-toolpost";

// The port in "localhost:8808" or "[::1]:8808"; empty for the default port of the scheme.
std::string_view port_of(std::string_view authority) {
  const std::size_t colon = authority.rfind(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view port = authority.substr(colon + 1);
  return transport::is_port(port) ? port : std::string_view();
}

std::string_view value_of(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    const std::size_t end = cookies.find(';');
    std::string_view one = cookies.substr(0, end);
    cookies.remove_prefix(end == std::string_view::npos ? cookies.size() : end + 1);
    while (one.starts_with(' ')) one.remove_prefix(1);
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos && one.substr(0, equals) == name)
      return one.substr(equals + 1);
  }
  return {};
}

}  // namespace

std::string login_cookie_name(const HttpRequest& request) {
  const std::string_view port = port_of(request.header("Host"));
  std::string name(kCookie);
  if (!port.empty()) name.append("-").append(port);
  return name;
}

ShownLogin shown_login(const HttpRequest& request) {
  return {value_of(request.header("Cookie"), login_cookie_name(request)),
          request.header(kLoginHeader)};
}

// Neither a typed URL nor a link of a different page can carry the header, so "none" is never right
// for a request of a login.
bool is_from_own_page(const HttpRequest& request) {
  const std::string_view site = request.header("Sec-Fetch-Site");
  return !site.data() || site == "same-origin";
}

}  // namespace host::identity
