// Reads the credentials of a console login from an HTTP request. Browsers send a cookie to every
// port of a machine, so any other server on the machine can get the cookie too. A console login has
// a secret in addition to its cookie. The console page keeps the secret of its login in storage
// that browsers bind to the origin, including the port.
#pragma once

#include <string>
#include <string_view>

#include "transport/http/http.h"

namespace host::identity {

// kLoginHeader is the name of the header with the secret of a console login. Every HTTP request
// that uses a console login needs the header X-Toolpost-Login, also a GET.
inline constexpr std::string_view kLoginHeader = "X-Toolpost-Login";

struct ShownLogin {
  std::string_view cookie;       // empty: none
  std::string_view page_secret;  // empty: none

  bool shows_anything() const { return !cookie.empty() || !page_secret.empty(); }
  bool is_whole() const { return !cookie.empty() && !page_secret.empty(); }
};

ShownLogin shown_login(const transport::HttpRequest& request);

// Returns a name like "__Host-toolpost-8808", with the port in the browser's URL of this host.
// Browsers share the cookies of all ports of a machine, so without the port two Toolpost hosts
// on one machine would overwrite each other's cookie. Because of the prefix `__Host-`, a browser
// accepts the cookie only for this host name.
std::string login_cookie_name(const transport::HttpRequest& request);

// is_from_own_page() returns false if the browser reports that a page of a different origin sent
// the request. The function returns true if the client does not report which page sent the request.
bool is_from_own_page(const transport::HttpRequest& request);

}  // namespace host::identity
