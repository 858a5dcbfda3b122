// Where browsers find the console of a host. Any thread.
#pragma once

#include <string>

#include "base/result.h"
#include "config/config.h"

namespace host::app {

// The origin for links in texts that other machines may show. `address` is where the host listens,
// ADDRESS:PORT or unix:/PATH; oauth.resource, the name that clients have for this host, precedes
// it. Empty: no address is known that leads there, because a browser can open neither a Unix
// socket nor an address that means all interfaces.
std::string page_url(const config::Config& config, const std::string& address);

struct LinkPlace {
  std::string page;  // an origin
  std::string note;  // one sentence on who can open it; empty where there is nothing to say
};

// The origin for a one-time link. An address of all interfaces gives one that only this machine can
// open, with a note. InvalidArgument: a Unix socket, port 0, or an address that is not valid.
Result<LinkPlace> link_place(const config::Config& config, const std::string& address);
// The same for an address that is named for this link: oauth.resource is not looked at.
Result<LinkPlace> link_place(const std::string& address);

}  // namespace host::app
