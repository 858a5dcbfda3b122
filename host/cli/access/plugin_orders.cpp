#include "cli/access/plugin_orders.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/digest.h"
#include "base/process/process.h"
#include "cli/output/noted.h"

namespace host::cli {
namespace {

using store::HostRecord;
using store::OrderState;
using store::PluginOrder;

constexpr std::chrono::milliseconds kLookEvery{50};

bool runs(const HostRecord& host) {
  return !has_ended(static_cast<pid_t>(host.pid), host.process);
}

// Whether the host had not begun with it, so that it never will.
bool withdraw(store::HostStore& hosts, const PluginOrder& order) {
  const auto withdrawn = hosts.withdraw(order.id);
  return withdrawn && *withdrawn;
}

Error unanswered(ErrorKind kind, const std::string& why, bool undone) {
  return Error{kind, why + ": " +
                         (undone ? "nothing was done"
                                 : "the host may be at work on it; the audit shows how that ends")};
}

// A host takes orders several times a second. One that did not take this one has ended where its
// process cannot be seen, or hangs; a host that is removed adds itself again.
Error late(store::HostStore& hosts, const PluginOrder& order, const HostRecord& host,
           std::chrono::seconds patience) {
  const bool undone = withdraw(hosts, order);
  if (undone) {
    if (const auto removed = hosts.remove(host.id); !removed) return removed.error();
  }
  return unanswered(ErrorKind::DeadlineExceeded,
                    "the host at " + host.address + " did not answer within " +
                        std::to_string(patience.count()) + " s",
                    undone);
}

Result<std::string> outcome_of(const PluginOrder& order) {
  if (order.state == OrderState::Done) return order.answer;
  switch (order.state) {
    case OrderState::NotFound:
      return Error{ErrorKind::NotFound, order.answer};
    case OrderState::NotNeeded:
      return Error{ErrorKind::InvalidArgument, order.answer};
    default:
      return Error{ErrorKind::PluginFault, order.answer};
  }
}

bool is_answered(const PluginOrder& order) {
  return order.state != OrderState::Given && order.state != OrderState::Taken;
}

}  // namespace

Result<std::vector<HostRecord>> running_hosts(store::Store& store) {
  HOST_TRY_ASSIGN(std::vector<HostRecord> hosts, store.hosts().list());
  std::erase_if(hosts, [](const HostRecord& host) { return !runs(host); });
  return hosts;
}

Result<std::string> give_order(store::Store& store, const HostRecord& host,
                               const std::string& action, const std::string& plugin,
                               std::chrono::seconds patience) {
  store::HostStore& hosts = store.hosts();
  PluginOrder order;
  order.id = random_id();
  order.host = host.id;
  order.action = action;
  order.plugin = plugin;
  order.given_by = who_answers();
  order.created = system_clock().wall();
  HOST_TRY(hosts.give(order));
  const SteadyTime end = steady_now() + patience;
  while (steady_now() < end) {
    const auto found = hosts.find(order.id);
    if (!found)
      return unanswered(found.error().kind, found.error().message, withdraw(hosts, order));
    const std::optional<PluginOrder>& now = *found;
    if (now && is_answered(*now)) {
      HOST_TRY(hosts.forget(order.id));
      return outcome_of(*now);
    }
    if (!now || !runs(host)) {
      HOST_TRY(hosts.forget(order.id));
      return Error{ErrorKind::Unavailable,
                   "the host at " + host.address + " ended before it answered"};
    }
    std::this_thread::sleep_for(kLookEvery);
  }
  return late(hosts, order, host, patience);
}

}  // namespace host::cli
