// Runs `toolpost upstream login`. With `upstream login`, a user logs a running host in at an
// upstream, in a browser.
#pragma once

#include "cli/command/command_line.h"
#include "store/store.h"

namespace host::cli {

// Prints the URL for the browser, and waits until the host is logged in or the login fails.
int log_in_at_upstream(const CommandLine& line, store::Store& store, const store::HostRecord& host);

}  // namespace host::cli
