// Runs `toolpost upstream login`. With `upstream login`, a user logs a running host in at an
// upstream, in a browser.
#pragma once

#include <vector>

#include "cli/command/command_line.h"
#include "store/store.h"

namespace host::cli {

// Prints the URL for the browser, and waits until the host is logged in or the login fails. The
// host is the first of `hosts` that answers. `hosts` is not empty.
int log_in_at_upstream(const CommandLine& line, store::Store& store,
                       const std::vector<store::HostRecord>& hosts);

}  // namespace host::cli
