// Who may run now. A call takes one unit of every limit that its tool names, and one of its
// principal's and its agent's, all at once or not at all; until then it waits in a bounded queue
// without holding a thread.
//
// Waiting calls come in by turns of their principals, among one principal's by turns of the places
// that they come from (addresses), and among one place's by turns of its peers (sessions), not by
// arrival: a hundred calls of one do not stand before another's first. A call that has to wait
// keeps later ones from overtaking it on the limits it needs, unless it waits for a quota of its
// own principal: then it keeps nobody waiting.
//
// Where principals share a host (share_when()), none may have all units of a limit: it leaves
// Settings::kept_for_others of them, also by calls that calls make. Keys are names, so they hold
// across sessions, reloads and generations. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
  // Did its call have to wait? Then the world has had time to change.
  bool was_waited_for() const { return waited_; }

 private:
  friend class Scheduler;
  struct Usage {
    std::uint32_t capacity = 1;
    std::uint32_t used = 0;
  };
  std::weak_ptr<Scheduler*> scheduler_;
  std::vector<std::shared_ptr<Usage>> units_;
  bool waited_ = false;
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
    std::uint32_t queue = 256;  // calls of one principal waiting for one tool
    std::uint32_t running_per_principal = 64;
    std::uint32_t queued_per_principal = 256;
    std::uint32_t kept_for_others = 1;  // of each limit of two or more
    // Of all callers of an agent together; 0: no limit.
    struct OfAgent {
      std::uint32_t running = 0;
      std::uint32_t queued = 0;
    };
    std::map<std::string, OfAgent> agents;
    std::function<void(std::string_view limit)> on_refusal;  // may be empty
  };

  Scheduler(boost::asio::any_io_executor io, Settings settings);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Whether principals share this host; asked for each call. Without this they do not.
  void share_when(std::function<bool()> shared) { shared_ = std::move(shared); }

  // Why it must not even wait: the principal has too many calls waiting for the same.
  std::optional<std::string> full(const tool::Call& call, const Demand& demand) const;

  // Why a call that another one makes would wait for itself: somebody above it, who waits for it,
  // has what only one may have.
  static std::optional<std::string> in_its_own_way(const tool::Call& call, const Demand& demand);

  // Starts the call's clock (call.deadline: waiting counts) and waits for its slot. A call that
  // another one makes ends no later than that one, shares its unit of the principal's limit, and
  // those of any limit that stands above it: they wait for it, so it must not wait for them.
  // Errors: Unavailable (the principal has too many calls waiting), DeadlineExceeded, Cancelled.
  boost::asio::awaitable<Result<Slot>> enter(tool::Call& call, Demand demand);

  std::size_t waiting() const { return waiting_; }

 private:
  friend class Slot;
  using Usage = Slot::Usage;
  using Units = std::vector<std::shared_ptr<Usage>>;
  // What a call takes; the first `own` are quotas of its principal alone.
  struct Needed {
    Units units;
    std::size_t own = 0;
  };
  struct Waiter;

  // Calls of one principal from one place that wait, by turns of their peers.
  struct Place {
    std::uint64_t next = 0;  // the turn, among places, of the first that waits
    std::uint64_t turn = 0;  // of peers: of the last one granted
    std::multimap<std::uint64_t, Waiter*> waiting;
    struct Peer {
      std::uint64_t last = 0;  // turn
      std::uint32_t waiting = 0;
    };
    std::unordered_map<std::string, Peer> peers;
  };
  using Places = std::map<std::string, Place, std::less<>>;
  // All of one principal that wait, by turns of their places.
  struct Line {
    std::uint64_t next = 0;  // the turn, among principals, of the first that waits
    std::uint64_t turn = 0;  // of places: of the last one granted
    std::size_t waiting = 0;
    Places places;
  };
  using Lines = std::map<std::string, Line, std::less<>>;
  struct Turn {
    std::uint64_t number;
    Waiter* waiter;
    std::uint64_t number_of_place = 0;
  };

  std::shared_ptr<Usage> usage(const std::string& key, std::uint32_t capacity);
  void add_shared(const tool::Call& call, const std::string& key, std::uint32_t capacity,
                  Needed& own, Units& shared);
  Needed needs_of(const tool::Call& call, const Demand& demand);
  Slot take(const Units& units);
  void release(Units& units);
  static void sort(std::vector<Turn>& turns);
  static std::vector<Turn> in_turn_of_places(const Line& line);
  std::vector<Turn> in_turn() const;
  void grant(const Turn& turn);
  void grant_waiting();
  Result<void> room_for(const tool::Call& call) const;
  const Settings::OfAgent* limits_of_agent(const tool::Call& call) const;  // nullptr: none
  std::uint32_t left_by_one(std::uint32_t capacity) const;
  void refused(std::string_view limit) const;
  void enqueue(Waiter& waiter);
  void dequeue(Waiter& waiter);
  boost::asio::awaitable<Result<Slot>> wait(tool::Call& call, const Demand& demand, Needed needed);

  boost::asio::any_io_executor io_;
  Settings settings_;
  std::function<bool()> shared_;
  std::unordered_map<std::string, std::weak_ptr<Usage>> usage_;
  std::size_t sweep_at_ = 1024;  // when usage_ is this large, the unused keys are dropped
  Lines lines_;                  // of principals that wait
  std::size_t waiting_ = 0;
  std::uint64_t turn_ = 0;      // of principals: of the last one granted
  std::uint64_t arrivals_ = 0;  // of waiters
  std::unordered_map<std::string, std::uint32_t> waiting_by_queue_;  // and principal
  std::unordered_map<std::string, std::uint32_t> waiting_by_agent_;  // of those with limits
  std::unordered_map<std::string, std::uint32_t> waiting_as_agent_;  // and principal
  std::shared_ptr<Scheduler*> self_;  // slots may outlive the scheduler
};

}  // namespace host::executor
