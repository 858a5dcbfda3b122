// A running host: the core behind a transport, until a signal or the peer ends it. Returns an exit
// code.
#pragma once

#include <functional>
#include <string>

#include "config/config.h"

namespace host::app {

class Core;

// The exit code where the configuration does not fit what is installed.
inline constexpr int kUnfitConfiguration = 3;

// Runs once the host listens, on the I/O thread; what it gives runs when the host begins to stop.
using Listening = std::function<std::function<void()>(Core& core, const std::string& address)>;

// Whether `server.listen` names a Unix socket, which only the host's own user reaches.
bool is_unix(const std::string& listen);

// Whether `server.listen` names an address that only this machine reaches; a Unix socket is one.
bool is_loopback(const std::string& listen);

// HTTP on `server.listen`. SIGTERM and SIGINT end it: no new connection, answers under way may
// finish.
int serve_http(config::Config config, Listening listening = nullptr);

// One peer on standard input and output, as this agent (empty: as none); nothing but protocol on
// either. The peer's end of file ends it.
int serve_stdio(config::Config config, const std::string& agent = {});

}  // namespace host::app
