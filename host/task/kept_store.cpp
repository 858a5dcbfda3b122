#include "task/kept_store.h"

#include <utility>

#include "base/log.h"

namespace host::task {
namespace {

using store::Desk;
using tool::Task;

constexpr const char* kRestarted =
    R"({"code":-32603,"message":"the host was started anew while this ran: call again"})";

}  // namespace

Result<void> KeptStore::keep_in(std::shared_ptr<Desk> desk, std::string address, WallTime now) {
  using Read = std::vector<Task>;
  Desk::Act<Read> read = [&address, now](store::Store& store) -> Result<Read> {
    HOST_TRY(store.tasks().forget_expired(now));
    return store.tasks().list(address);
  };
  HOST_TRY_ASSIGN(Read tasks, desk->ask_and_wait<Read>(std::move(read)));
  desk_ = std::move(desk);
  address_ = std::move(address);
  for (Task& task : tasks) {
    if (task.is_over()) {
      HOST_TRY(memory_.put(task));
      continue;
    }
    task.status = Task::Status::Failed;
    task.questions.clear();
    task.outcome = kRestarted;
    task.updated = now;
    HOST_TRY(put(task));
  }
  return {};
}

Result<void> KeptStore::put(const Task& task) {
  HOST_TRY(memory_.put(task));
  if (!desk_) return {};
  ++under_way_[task.id];
  Desk::Act<bool> act = [task, address = address_](store::Store& store) -> Result<bool> {
    HOST_TRY(store.tasks().put(task, address));
    return true;
  };
  desk_->ask<bool>(std::move(act),
                   [this, id = task.id](const Result<bool>& done) { written(id, done); });
  return {};
}

void KeptStore::written(const std::string& id, const Result<bool>& done) {
  const auto writes = under_way_.find(id);
  if (--writes->second == 0) under_way_.erase(writes);
  failed_.erase(id);
  if (done) return;
  log::warning("task", "a task is not stored", {{"task", id}, {"reason", done.error().message}});
  if (memory_.find(id)) failed_.emplace(id, done.error());
}

std::vector<std::string> KeptStore::expire(WallTime now) {
  std::vector<std::string> gone = memory_.expire(now);
  if (gone.empty()) return gone;
  for (const std::string& id : gone) failed_.erase(id);
  // Tasks that are not removed now are removed at the next start.
  if (desk_) {
    desk_->tell(
        [now](store::Store& store) { static_cast<void>(store.tasks().forget_expired(now)); });
  }
  return gone;
}

boost::asio::awaitable<Result<void>> KeptStore::kept(std::string id) {
  while (under_way_.contains(id)) {
    Desk::Act<bool> turn = [](store::Store&) -> Result<bool> { return true; };
    // the store works in order, so earlier writes are done
    co_await desk_->ask<bool>(std::move(turn));
  }
  const auto failed = failed_.find(id);
  if (failed != failed_.end()) co_return failed->second;
  co_return Result<void>();
}

}  // namespace host::task
