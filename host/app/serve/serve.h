// Runs a host with a transport until a signal or the client ends it. The functions return an exit
// code.
#pragma once

#include <functional>
#include <string>

#include "config/config.h"
#include "config/reader/load.h"

namespace host::app {

class Core;

// The exit code if the configuration does not match the installation.
inline constexpr int kUnfitConfiguration = 3;

// A function that runs on the I/O thread when the host listens. The function that it returns runs
// when the host begins to stop.
using Listening = std::function<std::function<void()>(Core& core, const std::string& address)>;

// True if `server.listen` is a Unix socket, which only the host's own user and root can reach.
bool is_unix(const std::string& listen);

// True if `server.listen` is an address that only this machine can reach, such as a Unix socket.
bool is_loopback(const std::string& listen);

// Serves HTTP on `server.listen`. SIGTERM and SIGINT end it: it accepts no new connection, and
// answers in progress may finish.
//
// `read`: reads the configuration again, see app/orders/config_reload.h. Null: it is never read
// again.
using ReadAgain = std::function<config::Loaded()>;
int serve_http(config::Config config, ReadAgain read, Listening listening = nullptr);

// Serves one client on standard input and output, as this agent (empty: no agent). Both have only
// protocol messages. The client's end of file ends it.
int serve_stdio(config::Config config, const std::string& agent = {}, ReadAgain read = nullptr);

}  // namespace host::app
