// Sends requests (orders) of a command to a running host, through the store that both processes
// have open.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace host::cli {

// Returns the hosts that currently use the store, the oldest first.
Result<std::vector<store::HostRecord>> running_hosts(store::Store& store);

// Returns true if the host serves over HTTP. Other hosts serve only the client that has started
// them.
bool serves_over_http(const store::HostRecord& host);

// Names the host in errors: by its address and process.
std::string host_in_words(const store::HostRecord& host);

// A running host takes orders several times a second, also while it carries out other orders. If a
// host does not take an order within `to_take`, or if its process is stopped, the order is
// withdrawn, and the host cannot take it later.
struct Patience {
  Patience(std::chrono::seconds answer, std::chrono::seconds take = std::chrono::seconds(30))
      : to_take(std::min(answer, take)), to_answer(answer) {}

  std::chrono::seconds to_take;
  std::chrono::seconds to_answer;
};

// Stores an order and waits for the host's answer. The Error NotFound means that the host has no
// plugin of this name. The Error InvalidArgument means that no action was necessary. The Error
// PluginFault means that the host could not execute the order. The Error Unavailable means that the
// host ended before it answered. The Error DeadlineExceeded means that the host did not answer in
// time. The messages of the Errors do not name the host.
Result<std::string> give_order(store::Store& store, const store::HostRecord& host,
                               const std::string& action, const std::string& about,
                               const Patience& patience);

struct HostAnswer {
  store::HostRecord host;
  Result<std::string> answer;  // the host's answer, see give_order()
  bool was_ignored = false;    // true: the host has not taken the order, and never will
};

// Returns true if a host has executed the order. Then a host that does not have the object of the
// order (NotFound) is no failure: it has another configuration.
bool is_done(const std::vector<HostAnswer>& answers);

// Stores the order for all of `hosts`, and waits for the answers of all hosts at the same time. So
// a host that does not answer delays no other host. The returned list contains one answer
// for each host, in the same sequence as `hosts`.
std::vector<HostAnswer> give_orders(store::Store& store,
                                    const std::vector<store::HostRecord>& hosts,
                                    const std::string& action, const std::string& about,
                                    const Patience& patience);

}  // namespace host::cli
