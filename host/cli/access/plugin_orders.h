// Sends requests (orders) of a command to a running host, through the store that both processes
// have open.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace host::cli {

// Returns the hosts that currently use the store, the oldest first.
Result<std::vector<store::HostRecord>> running_hosts(store::Store& store);

// Stores an order and waits for the host's answer. The Error NotFound means that the host has no
// plugin of this name. The Error InvalidArgument means that no action was necessary. The Error
// PluginFault means that the host could not execute the order. The Error Unavailable means that the
// host ended before it answered. The Error DeadlineExceeded means that the host did not answer in
// time. The messages of the Errors do not name the host.
Result<std::string> give_order(store::Store& store, const store::HostRecord& host,
                               const std::string& action, const std::string& about,
                               std::chrono::seconds patience);

struct HostAnswer {
  store::HostRecord host;
  Result<std::string> answer;  // the host's answer, see give_order()
};

// Stores the order for all of `hosts`, and then waits for the answer of each host. So every host
// gets the order, even if one of the hosts does not answer. The returned list contains one answer
// for each host, in the same sequence as `hosts`.
std::vector<HostAnswer> give_orders(store::Store& store,
                                    const std::vector<store::HostRecord>& hosts,
                                    const std::string& action, const std::string& about,
                                    std::chrono::seconds patience);

}  // namespace host::cli
