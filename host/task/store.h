// Storage of tasks. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "tool/task.h"

namespace host::task {

class Store {
 public:
  virtual ~Store() = default;
  // Adds a task or updates its state. Visible at once, stored when kept() returns.
  virtual Result<void> put(const tool::Task& task) = 0;
  virtual std::optional<tool::Task> find(const std::string& id) const = 0;
  virtual std::size_t size() const = 0;
  virtual std::size_t size_of(const std::string& principal) const = 0;
  // Removes expired tasks and returns their ids.
  virtual std::vector<std::string> expire(WallTime now) = 0;
  // Waits until the last put() of this task is stored, as durably as this store can.
  virtual boost::asio::awaitable<Result<void>> kept(std::string id) = 0;
};

// Keeps tasks until the process ends.
class MemoryStore final : public Store {
 public:
  Result<void> put(const tool::Task& task) override;
  std::optional<tool::Task> find(const std::string& id) const override;
  std::size_t size() const override { return tasks_.size(); }
  std::size_t size_of(const std::string& principal) const override;
  std::vector<std::string> expire(WallTime now) override;
  boost::asio::awaitable<Result<void>> kept(std::string) override { co_return Result<void>(); }

 private:
  std::unordered_map<std::string, tool::Task> tasks_;          // by id
  std::unordered_map<std::string, std::size_t> by_principal_;  // number of tasks
};

}  // namespace host::task
