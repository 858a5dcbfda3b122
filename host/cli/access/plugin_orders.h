// Asks a running host about its plugins, through the store that both have open.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace host::cli {

// Returns the hosts that currently use this store, the oldest first.
Result<std::vector<store::HostRecord>> running_hosts(store::Store& store);

// Gives the host an order and waits for its answer. NotFound: the host has no such plugin.
// InvalidArgument: no action was necessary. PluginFault: the host could not execute the order.
// Unavailable: the host ended before it answered. DeadlineExceeded: the host did not answer in
// time.
Result<std::string> give_order(store::Store& store, const store::HostRecord& host,
                               const std::string& action, const std::string& plugin,
                               std::chrono::seconds patience);

}  // namespace host::cli
