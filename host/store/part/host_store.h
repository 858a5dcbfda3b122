// Hosts that serve with this store, and orders of the command line about their plugins: an order
// for one host, and the host's answer. Every call blocks; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace host::store {

struct HostRecord {
  std::string id;       // of this process
  std::string address;  // at which it is served
  std::uint64_t pid = 0;
  std::string process;  // differs from later ones of this pid
  WallTime started{};
};

// Taken: its host executes it, so it can no longer be withdrawn. NotNeeded: no action was
// necessary. The database has these numbers, so append new ones.
enum class OrderState { Given, Taken, Done, Failed, NotFound, NotNeeded };

struct PluginOrder {
  std::string id;
  std::string host;    // HostRecord::id
  std::string action;  // report, reload or release
  std::string plugin;  // empty: all of them
  std::string given_by;
  WallTime created{};
  OrderState state = OrderState::Given;
  std::string answer;  // JSON for a report, otherwise a text
};

class HostStore {
 public:
  virtual ~HostStore() = default;

  virtual Result<void> add(const HostRecord& host) = 0;
  // Removes the host and all orders for it.
  virtual Result<void> remove(std::string_view host) = 0;
  // The oldest first. Includes hosts that ended without removing their entry.
  virtual Result<std::vector<HostRecord>> list() = 0;

  virtual Result<void> give(const PluginOrder& order) = 0;
  // nullopt: the order was withdrawn, or its host has ended.
  virtual Result<std::optional<PluginOrder>> find(std::string_view order) = 0;
  // False: its host has already taken it.
  virtual Result<bool> withdraw(std::string_view order) = 0;
  virtual Result<void> forget(std::string_view order) = 0;

  // For the host: takes its new orders and returns them, oldest first.
  virtual Result<std::vector<PluginOrder>> take(std::string_view host) = 0;
  virtual Result<void> answer(std::string_view order, OrderState state,
                              std::string_view answer) = 0;
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
