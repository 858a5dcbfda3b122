// Tasks in memory, and in the host's store for the host that is started next at the same address.
// I/O thread only.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "store/desk.h"
#include "task/store.h"

namespace host::task {

class KeptStore final : public Store {
 public:
  // From here on tasks are kept in `desk`, as those of `address`. What is there is taken in, which
  // blocks: tasks that were not over ended with the host that ran them, and so are failed.
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
  std::unordered_map<std::string, std::size_t> under_way_;  // how many writes, by id
  std::unordered_map<std::string, Error> failed_;           // of whom the last write failed
};

}  // namespace host::task
