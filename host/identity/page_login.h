// The credentials of a console login in a request. Browsers send a cookie to every port of a host,
// so a server on a different port gets it too. Therefore the cookie alone is not enough. A login
// has a second secret, which the host sent once to the console page. The page keeps the secret in
// storage that browsers bind to the origin, including the port.
#pragma once

#include <string>
#include <string_view>

#include "transport/http/http.h"

namespace host::identity {

// The header with the second secret. Every request of a login needs it, also reads.
inline constexpr std::string_view kLoginHeader = "X-Toolpost-Login";

struct ShownLogin {
  std::string_view cookie;       // empty: none
  std::string_view page_secret;  // empty: none

  bool shows_anything() const { return !cookie.empty() || !page_secret.empty(); }
  bool is_whole() const { return !cookie.empty() && !page_secret.empty(); }
};

ShownLogin shown_login(const transport::HttpRequest& request);

// "__Host-toolpost-8808". The port is the one in the browser's URL: all ports of a host share their
// cookies, and two hosts on one machine must not overwrite each other's. Because of `__Host-` a
// browser accepts the cookie for this host name only.
std::string login_cookie_name(const transport::HttpRequest& request);

// False if the browser says that a page of a different origin sent the request. Other clients do
// not say.
bool is_from_own_page(const transport::HttpRequest& request);

}  // namespace host::identity
