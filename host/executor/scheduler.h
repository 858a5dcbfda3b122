// Who may run now. A call takes one unit of every limit that its tool names, and one of its
// principal's and its agent's, all at once or not at all; until then it waits in a bounded queue
// without holding a thread.
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
#include "tool/provider.h"
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

// What a call needs to run: what its tool says, or, where no tool is called, what its provider
// needs. Implicit, as callers think of the tool.
class Demand {
 public:
  Demand(std::shared_ptr<const tool::Tool> tool);
  Demand(std::shared_ptr<tool::Provider> provider);

  const std::vector<tool::Limit>& limits() const { return *limits_; }
  std::chrono::milliseconds timeout() const { return timeout_; }  // 0: the default
  std::string queue() const;  // names the queue; no tool's name is a provider's
  std::string words() const;  // names it to people: tool "x"

 private:
  std::shared_ptr<const void> keeps_;
  std::string_view kind_;
  std::string_view name_;
  const std::vector<tool::Limit>* limits_;
  std::chrono::milliseconds timeout_{0};
};

class Scheduler {
 public:
  struct Settings {
    std::chrono::milliseconds timeout{std::chrono::seconds(60)};  // for tools that name none
    std::uint32_t queue = 256;                                    // calls waiting for one tool
    std::uint32_t running_per_principal = 64;
    std::uint32_t queued_per_principal = 256;
    // Of all callers of an agent together; 0: no limit.
    struct OfAgent {
      std::uint32_t running = 0;
      std::uint32_t queued = 0;
    };
    std::map<std::string, OfAgent> agents;
  };

  Scheduler(boost::asio::any_io_executor io, Settings settings);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Why it must not even wait, where the queue is full.
  std::optional<std::string> full(const Demand& demand) const;

  // Why a call that another one makes would wait for itself: somebody above it, who waits for it,
  // has what only one may have.
  static std::optional<std::string> in_its_own_way(const tool::Call& call, const Demand& demand);

  // Starts the call's clock (call.deadline: waiting counts) and waits for its slot. A call that
  // another one makes ends no later than that one, shares its unit of the principal's limit, and
  // those of any limit that stands above it: they wait for it, so it must not wait for them.
  // Errors: Unavailable (the principal has too many calls waiting), DeadlineExceeded, Cancelled.
  boost::asio::awaitable<Result<Slot>> enter(tool::Call& call, Demand demand);

  std::size_t waiting() const { return queue_.size(); }

 private:
  friend class Slot;
  using Usage = Slot::Usage;
  struct Waiter;
  using Queue = std::multimap<std::uint64_t, Waiter*>;  // by turn

  std::shared_ptr<Usage> usage(const std::string& key, std::uint32_t capacity);
  std::vector<std::shared_ptr<Usage>> units_of(const tool::Call& call, const Demand& demand);
  static bool all_free(const std::vector<std::shared_ptr<Usage>>& units);
  Slot take(std::vector<std::shared_ptr<Usage>> units);
  void release(std::vector<std::shared_ptr<Usage>>& units);
  void grant_waiting();
  Result<void> room_for(const tool::Call& call) const;
  const Settings::OfAgent* limits_of_agent(const tool::Call& call) const;  // nullptr: none
  Queue::iterator enqueue(Waiter& waiter);
  void dequeue(Queue::iterator at);
  boost::asio::awaitable<Result<Slot>> wait(tool::Call& call, const Demand& demand,
                                            std::vector<std::shared_ptr<Usage>> units);

  boost::asio::any_io_executor io_;
  Settings settings_;
  std::unordered_map<std::string, std::weak_ptr<Usage>> usage_;
  std::size_t sweep_at_ = 1024;  // when usage_ is this large, the unused keys are dropped
  Queue queue_;
  std::uint64_t turn_ = 0;                                    // of the last one granted
  std::unordered_map<std::string, std::uint64_t> last_turn_;  // of peers that wait
  std::unordered_map<std::string, std::uint32_t> waiting_by_queue_;
  std::unordered_map<std::string, std::uint32_t> waiting_by_principal_;
  std::unordered_map<std::string, std::uint32_t> waiting_by_peer_;
  std::unordered_map<std::string, std::uint32_t> waiting_by_agent_;  // of those with limits
  std::shared_ptr<Scheduler*> self_;  // slots may outlive the scheduler
};

}  // namespace host::executor
