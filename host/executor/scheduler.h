// Who may run now. A call takes one unit of every limit that its tool names, and one of its
// principal's, all at once or not at all; until then it waits in a bounded queue without holding a
// thread.
//
// Waiting calls come in by turns of their peers, not by arrival, so that one peer's hundred calls
// do not stand before another's first. A call that has to wait keeps later ones from overtaking it
// on the limits it needs. Keys are names, so they hold across sessions, reloads and generations.
// I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "tool/call.h"
#include "tool/tool.h"

namespace host::executor {

class Scheduler;

// The right to run, given back when it goes away.
class [[nodiscard]] Slot {
 public:
  Slot() = default;
  Slot(Slot&& other) noexcept;
  Slot& operator=(Slot&& other) noexcept;
  ~Slot() { release(); }
  void release();

 private:
  friend class Scheduler;
  struct Usage {
    std::uint32_t capacity = 1;
    std::uint32_t used = 0;
  };
  std::weak_ptr<Scheduler*> scheduler_;
  std::vector<std::shared_ptr<Usage>> units_;
};

class Scheduler {
 public:
  struct Settings {
    std::chrono::milliseconds timeout{std::chrono::seconds(60)};  // for tools that name none
    std::uint32_t queue = 256;                                    // calls waiting for one tool
    std::uint32_t running_per_principal = 64;
    std::uint32_t queued_per_principal = 256;
  };

  Scheduler(boost::asio::any_io_executor io, Settings settings);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // An answer where the tool's queue is full: the model may try again later.
  std::optional<tool::CallResult> refuse_when_busy(tool::Call& call, const tool::Tool& tool) const;

  // Starts the call's clock (call.deadline: waiting counts) and waits for its slot.
  // Errors: Unavailable (the principal has too many calls waiting), DeadlineExceeded, Cancelled.
  boost::asio::awaitable<Result<Slot>> enter(tool::Call& call,
                                             std::shared_ptr<const tool::Tool> tool);

  std::size_t waiting() const { return queue_.size(); }

 private:
  friend class Slot;
  using Usage = Slot::Usage;
  struct Waiter;
  using Queue = std::multimap<std::uint64_t, Waiter*>;  // by turn

  std::shared_ptr<Usage> usage(const std::string& key, std::uint32_t capacity);
  std::vector<std::shared_ptr<Usage>> units_of(const tool::Call& call, const tool::Tool& tool);
  static bool all_free(const std::vector<std::shared_ptr<Usage>>& units);
  Slot take(std::vector<std::shared_ptr<Usage>> units);
  void release(std::vector<std::shared_ptr<Usage>>& units);
  void grant_waiting();
  Result<void> room_for(const tool::Call& call) const;
  Queue::iterator enqueue(Waiter& waiter);
  void dequeue(Queue::iterator at);
  boost::asio::awaitable<Result<Slot>> wait(tool::Call& call, const tool::Tool& tool,
                                            std::vector<std::shared_ptr<Usage>> units);

  boost::asio::any_io_executor io_;
  Settings settings_;
  std::unordered_map<std::string, std::weak_ptr<Usage>> usage_;
  std::size_t sweep_at_ = 1024;  // when usage_ is this large, the unused keys are dropped
  Queue queue_;
  std::uint64_t turn_ = 0;                                    // of the last one granted
  std::unordered_map<std::string, std::uint64_t> last_turn_;  // of peers that wait
  std::unordered_map<std::string, std::uint32_t> waiting_by_tool_;
  std::unordered_map<std::string, std::uint32_t> waiting_by_principal_;
  std::unordered_map<std::string, std::uint32_t> waiting_by_peer_;
  std::shared_ptr<Scheduler*> self_;  // slots may outlive the scheduler
};

}  // namespace host::executor
