// Stores the hosts that use this store, and the orders for them. An order is a request that a
// `toolpost` command stores for one running host. The record of the order also contains the host's
// answer. Every function blocks. Only one thread at a time may use the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::store {

// The address of a host on stdio consists of this text and the number of the host's process.
inline constexpr std::string_view kOnStdio = "stdio:";

struct HostRecord {
  std::string id;       // the id of this process
  std::string address;  // where the host serves, such as 127.0.0.1:8808 or stdio:4711
  std::uint64_t pid = 0;
  std::string process;  // distinguishes this process from later processes with the same pid
  WallTime started{};
};

// The state of a request (PluginOrder) from a `toolpost` command to a running host. In the state
// Taken, the host is executing the order, so the order can no longer be withdrawn. NotNeeded means
// that the host had nothing to do for the order. The database stores these states as numbers, so
// add new states at the end.
enum class OrderState { Given, Taken, Done, Failed, NotFound, NotNeeded };

struct PluginOrder {
  std::string id;
  std::string host;    // HostRecord::id
  std::string action;  // the requested action: "report", "reload", ...
  std::string plugin;  // the plugin or other object, see app/orders/; empty: all plugins
  std::string given_by;
  WallTime created{};
  // The sender waits until `take_by` for the host to take the order. The host does not take the
  // order later. Epoch: no limit.
  WallTime take_by{};
  OrderState state = OrderState::Given;
  std::string answer;  // the host's answer: JSON for a report, otherwise a text
};

class HostStore {
 public:
  virtual ~HostStore() = default;

  virtual Result<void> add(const HostRecord& host) = 0;
  // Removes the host from the store, and its orders, unless the host may still run unseen.
  virtual Result<void> remove(std::string_view host) = 0;
  // Lists the hosts that use the store, the oldest first. A host that ended without removing its
  // entry is in the list too.
  virtual Result<std::vector<HostRecord>> list() = 0;

  virtual Result<void> give(const PluginOrder& order) = 0;
  // Returns nullopt if the order was withdrawn, or if its host has ended.
  virtual Result<std::optional<PluginOrder>> find(std::string_view order) = 0;
  // Withdraws an order. Returns false if the host has already taken the order.
  virtual Result<bool> withdraw(std::string_view order) = 0;
  virtual Result<void> forget(std::string_view order) = 0;

  // Marks the new orders for `host` as Taken, and returns the marked orders, the oldest first.
  // take() leaves out orders whose `take_by` is over.
  virtual Result<std::vector<PluginOrder>> take(std::string_view host) = 0;
  virtual Result<void> answer(std::string_view order, OrderState state,
                              std::string_view answer) = 0;
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
