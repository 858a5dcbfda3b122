// Finds the URL at which browsers can open the console of a host. Any thread can call the functions
// of this header.
#pragma once

#include <string>

#include "base/result.h"
#include "config/config.h"

namespace host::app {

// Returns the origin for links in texts that users of other machines can see. If oauth.resource is
// set, the function returns its origin. If oauth.resource is not set, the function returns the
// origin of `address`, where the host listens (ADDRESS:PORT or unix:/PATH). The returned text is
// empty if `address` is a Unix socket or means all interfaces, because a browser can open neither.
std::string page_url(const config::Config& config, const std::string& address);

struct LinkPlace {
  std::string page;  // an origin
  std::string note;  // a sentence that says who can open the link; may be empty
};

// Returns the origin for a one-time login link. If the address means all interfaces, the link works
// only on this machine, and LinkPlace::note says so. The Error InvalidArgument means that `address`
// is a Unix socket, has port 0, or is not valid.
Result<LinkPlace> link_place(const config::Config& config, const std::string& address);
// Returns the origin for a login link to an address that the user gave for this link. The function
// ignores oauth.resource.
Result<LinkPlace> link_place(const std::string& address);

}  // namespace host::app
