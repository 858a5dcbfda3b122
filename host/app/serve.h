// A running host: the core behind a transport, until a signal or the peer ends it. Returns an exit
// code.
#pragma once

#include "config/config.h"

namespace host::app {

// HTTP on `server.listen`. SIGTERM and SIGINT end it: no new connection, answers under way may
// finish.
int serve_http(config::Config config);

// One peer on standard input and output; nothing but protocol on either. The peer's end of file
// ends it.
int serve_stdio(config::Config config);

}  // namespace host::app
