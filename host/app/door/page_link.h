// Where browsers find the console of a host. Any thread.
#pragma once

#include <string>

#include "base/result.h"
#include "config/config.h"

namespace host::app {

// The origin for links in texts that other machines may show: oauth.resource if it is set,
// otherwise `address`, where the host listens (ADDRESS:PORT or unix:/PATH). Empty: no usable
// address is known, because a browser can open neither a Unix socket nor an address of all
// interfaces.
std::string page_url(const config::Config& config, const std::string& address);

struct LinkPlace {
  std::string page;  // an origin
  std::string note;  // one sentence: who can open it; may be empty
};

// The origin for a one-time link. For an address of all interfaces, the link works only on this
// machine, and the note says so. InvalidArgument: a Unix socket, port 0, or an address that is not
// valid.
Result<LinkPlace> link_place(const config::Config& config, const std::string& address);
// The same for an address that the user named for this link: oauth.resource is ignored.
Result<LinkPlace> link_place(const std::string& address);

}  // namespace host::app
