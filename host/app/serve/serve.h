// Runs a host with a transport until a signal or the client ends it. The functions that serve
// clients return the exit code of the program.
#pragma once

#include <functional>
#include <string>

#include "config/config.h"
#include "config/reader/load.h"

namespace host::app {

class Core;

// The exit code of a host whose configuration does not match the installation.
inline constexpr int kUnfitConfiguration = 3;

// A function that the host calls on the I/O thread when the host has begun to listen. A function of
// this type returns a second function, which the host calls when it begins to stop.
using Listening = std::function<std::function<void()>(Core& core, const std::string& address)>;

// Returns true if `server.listen` is a Unix socket, which only the host's user and root can reach.
bool is_unix(const std::string& listen);

// Returns true if only this machine can reach `server.listen`, for example if it is a Unix socket.
bool is_loopback(const std::string& listen);

// Serves HTTP on `server.listen`. SIGTERM and SIGINT end the host. A host that ends accepts no new
// connection, but still finishes responses that are in progress.
//
// `read` reads the configuration again, see app/orders/config_reload.h. If `read` is null, the host
// never reads its configuration again.
using ReadAgain = std::function<config::Loaded()>;
int serve_http(config::Config config, ReadAgain read, Listening listening = nullptr);

// Serves one client on standard input and output, as the agent `agent` (empty: no agent). Standard
// input and output carry only protocol messages. The host ends when the client closes standard
// input.
int serve_stdio(config::Config config, const std::string& agent = {}, ReadAgain read = nullptr);

}  // namespace host::app
