#include "cli/access/plugin_orders.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

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
                    "it did not answer within " + std::to_string(patience.count()) + " s", undone);
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

Result<PluginOrder> stored_order(store::HostStore& hosts, const HostRecord& host,
                                 const std::string& action, const std::string& about) {
  PluginOrder order;
  order.id = random_id();
  order.host = host.id;
  order.action = action;
  order.plugin = about;
  order.given_by = who_answers();
  order.created = system_clock().wall();
  HOST_TRY(hosts.give(order));
  return order;
}

// `end`: when the patience ends.
Result<std::string> answer_to(const PluginOrder& order, store::HostStore& hosts,
                              const HostRecord& host, SteadyTime end,
                              std::chrono::seconds patience) {
  for (;;) {
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
      return Error{ErrorKind::Unavailable, "it ended before it answered"};
    }
    if (steady_now() >= end) return late(hosts, order, host, patience);
    std::this_thread::sleep_for(kLookEvery);
  }
}

}  // namespace

Result<std::vector<HostRecord>> running_hosts(store::Store& store) {
  HOST_TRY_ASSIGN(std::vector<HostRecord> hosts, store.hosts().list());
  std::erase_if(hosts, [](const HostRecord& host) { return !runs(host); });
  return hosts;
}

Result<std::string> give_order(store::Store& store, const HostRecord& host,
                               const std::string& action, const std::string& about,
                               std::chrono::seconds patience) {
  return std::move(give_orders(store, {host}, action, about, patience).front().answer);
}

std::vector<HostAnswer> give_orders(store::Store& store, const std::vector<HostRecord>& all,
                                    const std::string& action, const std::string& about,
                                    std::chrono::seconds patience) {
  store::HostStore& hosts = store.hosts();
  const SteadyTime end = steady_now() + patience;
  std::vector<Result<PluginOrder>> orders;
  for (const HostRecord& host : all) orders.push_back(stored_order(hosts, host, action, about));
  std::vector<HostAnswer> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto answer = orders[i] ? answer_to(*orders[i], hosts, all[i], end, patience)
                            : Result<std::string>(orders[i].error());
    out.push_back({all[i], std::move(answer)});
  }
  return out;
}

}  // namespace host::cli
