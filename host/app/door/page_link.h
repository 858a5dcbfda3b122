// Finds the URL at which browsers can open the console of a host. Any thread can call the
// functions.
#pragma once

#include <string>

#include "base/result.h"
#include "config/config.h"

namespace host::app {

// Returns the origin for links in texts that users of other machines may see. It is the origin of
// oauth.resource if that is set, otherwise of `address`, where the host listens (ADDRESS:PORT or
// unix:/PATH). The value is empty if a browser can open neither a Unix socket nor an address of all
// interfaces.
std::string page_url(const config::Config& config, const std::string& address);

struct LinkPlace {
  std::string page;  // an origin
  std::string note;  // one sentence: who can open it; may be empty
};

// Returns the origin for a one-time login link. For an address of all interfaces, the link works
// only on this machine, and the note says so. InvalidArgument: a Unix socket, port 0, or an address
// that is not valid.
Result<LinkPlace> link_place(const config::Config& config, const std::string& address);
// As the first link_place(), for an address that the user named for this link. oauth.resource is
// ignored.
Result<LinkPlace> link_place(const std::string& address);

}  // namespace host::app
