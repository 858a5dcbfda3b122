// Where tasks are kept. I/O thread only.
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
  // A new task, or the newer state of one that is there: seen at once, kept when kept() says so.
  virtual Result<void> put(const tool::Task& task) = 0;
  virtual std::optional<tool::Task> find(const std::string& id) const = 0;
  virtual std::size_t size() const = 0;
  virtual std::size_t size_of(const std::string& principal) const = 0;
  // Forgets what has expired; its ids.
  virtual std::vector<std::string> expire(WallTime now) = 0;
  // Waits until what was put of this task outlives the host, as far as this store can make it.
  virtual boost::asio::awaitable<Result<void>> kept(std::string id) = 0;
};

// Ends with the process.
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
  std::unordered_map<std::string, std::size_t> by_principal_;  // how many
};

}  // namespace host::task
