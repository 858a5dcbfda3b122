// Tasks in memory and in the host's store, so that the next host at the same address has them. I/O
// thread only.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "store/desk.h"
#include "task/store.h"

namespace host::task {

class KeptStore final : public Store {
 public:
  // Stores tasks in `desk` from now on, for `address`, and loads the stored ones, which blocks.
  // Stored tasks that were still running ended with their host, so they become failed.
  Result<void> keep_in(std::shared_ptr<store::Desk> desk, std::string address, WallTime now);

  Result<void> put(const tool::Task& task) override;
  std::optional<tool::Task> find(const std::string& id) const override { return memory_.find(id); }
  std::size_t size() const override { return memory_.size(); }
  std::size_t size_of(const std::string& principal) const override {
    return memory_.size_of(principal);
  }
  std::vector<std::string> expire(WallTime now) override;
  boost::asio::awaitable<Result<void>> kept(std::string id) override;

 private:
  void written(const std::string& id, const Result<bool>& done);

  MemoryStore memory_;
  std::shared_ptr<store::Desk> desk_;  // null: nothing is stored
  std::string address_;
  std::unordered_map<std::string, std::size_t> under_way_;  // number of writes in progress, by id
  std::unordered_map<std::string, Error> failed_;           // tasks whose last write failed
};

}  // namespace host::task
