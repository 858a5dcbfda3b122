// Hosts that serve with this store, and what the command line asks of them about their plugins: an
// order for one host, and that host's answer to it. Every call blocks; one thread at a time.
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
  std::string id;       // of this very process
  std::string address;  // at which it is served
  std::uint64_t pid = 0;
  std::string process;  // another process with this pid has another: see base/process.h
  WallTime started{};
};

// Taken: its host is at work on it, and it can no longer be withdrawn.
// NotNeeded: there was nothing to do. The database has these numbers, so append new ones.
enum class OrderState { Given, Taken, Done, Failed, NotFound, NotNeeded };

struct PluginOrder {
  std::string id;
  std::string host;    // HostRecord::id
  std::string action;  // report, reload or release
  std::string plugin;  // empty: all of them
  std::string given_by;
  WallTime created{};
  OrderState state = OrderState::Given;
  std::string answer;  // of a report JSON, of others words
};

class HostStore {
 public:
  virtual ~HostStore() = default;

  virtual Result<void> add(const HostRecord& host) = 0;
  // With all orders for it.
  virtual Result<void> remove(std::string_view host) = 0;
  // The oldest first; also those that ended without removing themselves.
  virtual Result<std::vector<HostRecord>> list() = 0;

  virtual Result<void> give(const PluginOrder& order) = 0;
  // Nothing: it was withdrawn, or its host is gone.
  virtual Result<std::optional<PluginOrder>> find(std::string_view order) = 0;
  // False: its host has begun with it.
  virtual Result<bool> withdraw(std::string_view order) = 0;
  virtual Result<void> forget(std::string_view order) = 0;

  // For the host: what was given to it and not taken yet, which is taken by this. The oldest first.
  virtual Result<std::vector<PluginOrder>> take(std::string_view host) = 0;
  virtual Result<void> answer(std::string_view order, OrderState state,
                              std::string_view answer) = 0;
  virtual Result<bool> changed_by_others() = 0;
};

}  // namespace host::store
