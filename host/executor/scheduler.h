// The scheduler decides which waiting call can run now. A call needs one unit of each limit that
// its tool declares, one unit of its principal's limit, and one unit of its agent's limit. A call
// takes all units that it needs in one step, or none. Until a call can take its units, it waits in
// a queue of limited length, without blocking a thread.
//
// Waiting calls do not start in the order of their arrival. Principals take turns. The client
// addresses of one principal take turns, and so do the sessions of one address. So a hundred calls
// of one principal do not delay the first call of another principal. If a call waits for a limit,
// no later call takes a unit of that limit first. Exception: a call that waits for a quota of its
// own principal delays no other call.
//
// If several principals share the host (share_when()), no principal can take all units of a limit.
// A principal must leave Settings::kept_for_others units free. The scheduler counts nested calls
// too. Limits with the same name are one limit, for all sessions and all builds of a plugin.
// The functions of this header are called on the I/O thread.
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
#include "tool/call/call.h"
#include "tool/definition/tool.h"
#include "tool/provider/provider.h"

namespace host::executor {

class Scheduler;

// A Slot is the right of a call to run. The destructor gives back the units of limits that the call
// took.
class [[nodiscard]] Slot {
 public:
  Slot() = default;
  Slot(Slot&& other) noexcept;
  Slot& operator=(Slot&& other) noexcept;
  ~Slot() { release(); }
  void release();
  // Returns true if the call had to wait. While the call waited, permission rules or sessions can
  // have changed.
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

// A Demand contains the limits that a call needs: the limits of its tool, or of its provider if it
// calls no tool.
class Demand {
 public:
  Demand(std::shared_ptr<const tool::Tool> tool);
  Demand(std::shared_ptr<tool::Provider> provider);

  const std::vector<tool::Limit>& limits() const { return *limits_; }
  std::chrono::milliseconds timeout() const { return timeout_; }  // 0: the default timeout
  std::string queue() const;  // name of the queue; a tool and a provider never share a queue
  std::string words() const;  // for messages: tool "x"
  // Returns true if a client executes the call. A call that a client executes needs no unit of any
  // limit and never waits for a unit.
  bool is_external() const { return is_external_; }

 private:
  std::shared_ptr<const void> keeps_;
  std::string_view kind_;
  std::string_view name_;
  const std::vector<tool::Limit>* limits_;
  std::chrono::milliseconds timeout_{0};
  bool is_external_ = false;
};

class Scheduler {
 public:
  struct Settings {
    std::chrono::milliseconds timeout{std::chrono::seconds(60)};  // for tools without timeout
    std::uint32_t queue = 256;  // limit of a principal's waiting calls for one tool
    std::uint32_t running_per_principal = 64;
    std::uint32_t queued_per_principal = 256;
    std::uint32_t kept_for_others = 1;  // units of a limit that one principal must leave free
    // The struct OfAgent contains the limits that all callers of an agent share. 0 means no limit.
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

  // Sets a function that returns whether several principals share this host. The scheduler calls
  // `shared` for each call that wants to run. If share_when() was never called, the scheduler
  // assumes that only one principal uses the host.
  void share_when(std::function<bool()> shared) { shared_ = std::move(shared); }

  // If the principal already has too many calls waiting for the same tool, the function returns the
  // reason to refuse the new call immediately. Returns nullopt if the call can wait.
  std::optional<std::string> full(const tool::Call& call, const Demand& demand) const;

  // Returns the reason if a nested call would wait for ever, otherwise nullopt. A nested call would
  // wait for ever if its limit allows one call at a time, and its outer call counts against the
  // same limit.
  static std::optional<std::string> would_deadlock(const tool::Call& call, const Demand& demand);

  // Waits until the call can run, and returns its Slot. The call's deadline starts before the wait,
  // so the time limit includes the wait. For a call that outlives its HTTP request, the deadline
  // starts when the call gets its Slot. The deadline of a nested call is never later than the
  // deadline of its outer call. A nested call uses the units that its outer calls have taken. The
  // outer calls wait for the nested call, so the nested call must never wait for units of the outer
  // calls. The Error is Unavailable (the principal has too many calls waiting), DeadlineExceeded or
  // Cancelled.
  boost::asio::awaitable<Result<Slot>> enter(tool::Call& call, Demand demand);
  // Returns the Slot of a call that can run without waiting. If enter_at_once() returns nullopt,
  // the call must wait: call enter().
  std::optional<Slot> enter_at_once(tool::Call& call, const Demand& demand);

  std::size_t waiting() const { return waiting_; }

 private:
  friend class Slot;
  using Usage = Slot::Usage;
  using Units = std::vector<std::shared_ptr<Usage>>;
  // The struct Needed contains the limits from which a call takes a unit. The first limits in
  // `units` apply only to the call's principal, and `own` is their number.
  struct Needed {
    Units units;
    std::size_t own = 0;
  };
  struct Waiter;

  // A Place contains the waiting calls of one principal from one address. The sessions of the
  // address take turns.
  struct Place {
    std::uint64_t next = 0;  // the turn of the first waiting call, compared with other addresses
    std::uint64_t turn = 0;  // the last turn that a session got
    std::multimap<std::uint64_t, Waiter*> waiting;
    struct Peer {
      std::uint64_t last = 0;  // turn
      std::uint32_t waiting = 0;
    };
    std::unordered_map<std::string, Peer> peers;
  };
  using Places = std::map<std::string, Place, std::less<>>;
  // A Line contains all calls of one principal that wait for their turn. The client addresses of
  // one principal take turns to start a call.
  struct Line {
    // Sorts the principals that have waiting calls: a call of the principal with the lowest number
    // starts first.
    std::uint64_t next = 0;
    std::uint64_t turn = 0;  // the last turn of an address
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
  // Returns nullptr if the agent has no limits.
  const Settings::OfAgent* limits_of_agent(const tool::Call& call) const;
  std::uint32_t left_by_one(std::uint32_t capacity) const;
  void refused(std::string_view limit) const;
  void enqueue(Waiter& waiter);
  void dequeue(Waiter& waiter);
  std::chrono::milliseconds timeout_of(const Demand& demand) const;
  boost::asio::awaitable<Result<Slot>> wait(tool::Call& call, const Demand& demand, Needed needed);

  boost::asio::any_io_executor io_;
  Settings settings_;
  std::function<bool()> shared_;
  std::unordered_map<std::string, std::weak_ptr<Usage>> usage_;
  std::size_t sweep_at_ = 1024;  // when usage_ has this size, unused keys are removed
  Lines lines_;                  // of waiting principals
  std::size_t waiting_ = 0;
  std::uint64_t turn_ = 0;      // last granted turn of a principal
  std::uint64_t arrivals_ = 0;  // of waiters
  // `waiting_by_queue_` counts the waiting calls by queue and principal.
  std::unordered_map<std::string, std::uint32_t> waiting_by_queue_;
  // `waiting_by_agent_` counts the waiting calls by agent, but only for agents with limits.
  std::unordered_map<std::string, std::uint32_t> waiting_by_agent_;
  // `waiting_as_agent_` counts the waiting calls by agent and principal.
  std::unordered_map<std::string, std::uint32_t> waiting_as_agent_;
  std::shared_ptr<Scheduler*> self_;  // lets slots notice that the scheduler is gone
};

}  // namespace host::executor
