// What a request shows of a login to the page. Browsers send the cookie by themselves, to every
// port of a host: a server on another port gets it too. So the cookie alone opens nothing. With it
// comes a second secret that the host told once, to the page that logged in. The page keeps it in
// storage that browsers bind to the origin, port included.
#pragma once

#include <string>
#include <string_view>

#include "transport/http.h"

namespace host::identity {

// The header that carries the second secret, with every request of a login, reads included.
inline constexpr std::string_view kLoginHeader = "X-Toolpost-Login";

struct ShownLogin {
  std::string_view cookie;       // empty: none
  std::string_view page_secret;  // empty: none

  bool shows_anything() const { return !cookie.empty() || !page_secret.empty(); }
  bool is_whole() const { return !cookie.empty() && !page_secret.empty(); }
};

ShownLogin shown_login(const transport::HttpRequest& request);

// "__Host-toolpost-8808": the port is the one that the browser asked for, because all ports of a
// host share their cookies, and two hosts on one machine must not replace each other's. With
// `__Host-` a browser accepts it for this host name alone.
std::string login_cookie_name(const transport::HttpRequest& request);

// False where a browser says that a page of another origin sent this. Other clients say nothing.
bool is_from_own_page(const transport::HttpRequest& request);

}  // namespace host::identity
