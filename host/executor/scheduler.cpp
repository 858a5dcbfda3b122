#include "executor/scheduler.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <set>

namespace host::executor {

using boost::asio::awaitable;

Slot::Slot(Slot&& other) noexcept
    : scheduler_(std::move(other.scheduler_)), units_(std::exchange(other.units_, {})) {}

Slot& Slot::operator=(Slot&& other) noexcept {
  release();
  scheduler_ = std::move(other.scheduler_);
  units_ = std::exchange(other.units_, {});
  return *this;
}

void Slot::release() {
  if (units_.empty()) return;
  if (const auto scheduler = scheduler_.lock()) (*scheduler)->release(units_);
  units_.clear();
}

Demand::Demand(std::shared_ptr<const tool::Tool> tool)
    : kind_("tool"),
      name_(tool->name()),
      limits_(&tool->limits()),
      timeout_(tool->declared().timeout) {
  keeps_ = std::move(tool);
}

Demand::Demand(std::shared_ptr<tool::Provider> provider)
    : kind_("provider"), name_(provider->name()) {
  static const std::vector<tool::Limit> none;
  limits_ = &none;
  keeps_ = std::move(provider);
}

std::string Demand::queue() const {
  return std::string(kind_) + " " + std::string(name_);
}

std::string Demand::words() const {
  return std::string(kind_) + " \"" + std::string(name_) + "\"";
}

struct Scheduler::Waiter {
  const tool::Call& call;
  const std::string queue;
  const std::vector<std::shared_ptr<Usage>>& units;
  boost::asio::steady_timer wake;
  Slot slot;
  bool granted = false;
};

Scheduler::Scheduler(boost::asio::any_io_executor io, Settings settings)
    : io_(std::move(io)), settings_(settings), self_(std::make_shared<Scheduler*>(this)) {}

Scheduler::~Scheduler() = default;

std::shared_ptr<Slot::Usage> Scheduler::usage(const std::string& key, std::uint32_t capacity) {
  std::weak_ptr<Usage>& known = usage_[key];
  std::shared_ptr<Usage> usage = known.lock();
  if (!usage) {
    usage = std::make_shared<Usage>();
    known = usage;
    if (usage_.size() >= sweep_at_) {
      std::erase_if(usage_, [](const auto& item) { return item.second.expired(); });
      sweep_at_ = std::max<std::size_t>(1024, usage_.size() * 2);
    }
  }
  usage->capacity = capacity;  // a reload may have changed it
  return usage;
}

namespace {

// The tool above, nearest first, that has a unit of this limit; null: none has.
const tool::Tool* holder_above(const tool::Call& call, const tool::Limit& limit) {
  for (const tool::Caller* above = call.caller.get(); above; above = above->above.get()) {
    const auto& held = above->tool->limits();
    const auto is_it = [&](const tool::Limit& one) { return one.key == limit.key; };
    if (std::any_of(held.begin(), held.end(), is_it)) return above->tool.get();
  }
  return nullptr;
}

bool is_held_above(const tool::Call& call, const tool::Limit& limit) {
  return call.caller && holder_above(call, limit);
}

}  // namespace

std::optional<std::string> Scheduler::in_its_own_way(const tool::Call& call, const Demand& demand) {
  if (!call.caller) return std::nullopt;
  for (const tool::Limit& limit : demand.limits()) {
    const bool in_the_way = limit.capacity == 1 || limit.by_place;
    const tool::Tool* const holder = in_the_way ? holder_above(call, limit) : nullptr;
    if (!holder) continue;
    return demand.words() + " can not run beside \"" + holder->name() +
           "\", which waits for it: it would wait for ever";
  }
  return std::nullopt;
}

std::vector<std::shared_ptr<Slot::Usage>> Scheduler::units_of(const tool::Call& call,
                                                              const Demand& demand) {
  std::vector<std::shared_ptr<Usage>> units;
  units.reserve(demand.limits().size() + 2);
  if (!call.caller) {
    units.push_back(usage("principal:" + call.principal, settings_.running_per_principal));
    const Settings::OfAgent* const agent = limits_of_agent(call);
    if (agent && agent->running > 0)
      units.push_back(usage("agent:" + tool::agent_of(call), agent->running));
  }
  for (const tool::Limit& limit : demand.limits()) {
    if (!is_held_above(call, limit)) units.push_back(usage(limit.key, limit.capacity));
  }
  return units;
}

bool Scheduler::all_free(const std::vector<std::shared_ptr<Usage>>& units) {
  return std::all_of(units.begin(), units.end(),
                     [](const auto& unit) { return unit->used < unit->capacity; });
}

Slot Scheduler::take(std::vector<std::shared_ptr<Usage>> units) {
  for (const auto& unit : units) ++unit->used;
  Slot slot;
  slot.scheduler_ = self_;
  slot.units_ = std::move(units);
  return slot;
}

void Scheduler::release(std::vector<std::shared_ptr<Usage>>& units) {
  for (const auto& unit : units) --unit->used;
  if (!queue_.empty()) grant_waiting();
}

void Scheduler::grant_waiting() {
  std::set<const Usage*> claimed;  // what an earlier turn waits for
  for (auto& [turn, waiter] : queue_) {
    if (waiter->granted) continue;
    const bool overtakes =
        std::any_of(waiter->units.begin(), waiter->units.end(),
                    [&](const auto& unit) { return claimed.contains(unit.get()); });
    if (!overtakes && all_free(waiter->units)) {
      waiter->slot = take(waiter->units);
      waiter->granted = true;
      turn_ = std::max(turn_, turn);
      waiter->wake.cancel();
      continue;
    }
    for (const auto& unit : waiter->units) {
      if (unit->capacity == 1 || unit->used >= unit->capacity) claimed.insert(unit.get());
    }
  }
}

std::optional<std::string> Scheduler::full(const Demand& demand) const {
  if (waiting_by_queue_.empty()) return std::nullopt;
  const auto at = waiting_by_queue_.find(demand.queue());
  if (at == waiting_by_queue_.end() || at->second < settings_.queue) return std::nullopt;
  return demand.words() + " is busy, " + std::to_string(settings_.queue) +
         " calls wait for it already. Retry after 1 s.";
}

Result<void> Scheduler::room_for(const tool::Call& call) const {
  const auto check = [](const auto& waiting, const std::string& who, const std::string& name,
                        std::uint32_t most) -> Result<void> {
    const auto at = waiting.find(name);
    if (at == waiting.end() || at->second < most) return {};
    return Error{ErrorKind::Unavailable, who + " \"" + name + "\" has " + std::to_string(most) +
                                             " calls waiting already: retry after 1 s"};
  };
  const Settings::OfAgent* const agent = limits_of_agent(call);
  if (agent && agent->queued > 0)
    HOST_TRY(check(waiting_by_agent_, "agent", tool::agent_of(call), agent->queued));
  return check(waiting_by_principal_, "principal", call.principal, settings_.queued_per_principal);
}

const Scheduler::Settings::OfAgent* Scheduler::limits_of_agent(const tool::Call& call) const {
  if (settings_.agents.empty()) return nullptr;
  const auto found = settings_.agents.find(tool::agent_of(call));
  return found == settings_.agents.end() ? nullptr : &found->second;
}

Scheduler::Queue::iterator Scheduler::enqueue(Waiter& waiter) {
  std::uint64_t& last = last_turn_[waiter.call.peer];
  last = std::max(turn_, last) + 1;
  ++waiting_by_queue_[waiter.queue];
  ++waiting_by_principal_[waiter.call.principal];
  ++waiting_by_peer_[waiter.call.peer];
  if (limits_of_agent(waiter.call)) ++waiting_by_agent_[tool::agent_of(waiter.call)];
  return queue_.emplace(last, &waiter);
}

void Scheduler::dequeue(Queue::iterator at) {
  const Waiter& waiter = *at->second;
  const auto drop = [](auto& counts, const std::string& key) {
    const auto found = counts.find(key);
    if (--found->second > 0) return false;
    counts.erase(found);
    return true;
  };
  drop(waiting_by_queue_, waiter.queue);
  drop(waiting_by_principal_, waiter.call.principal);
  if (limits_of_agent(waiter.call)) drop(waiting_by_agent_, tool::agent_of(waiter.call));
  if (drop(waiting_by_peer_, waiter.call.peer)) last_turn_.erase(waiter.call.peer);
  queue_.erase(at);
}

awaitable<Result<Slot>> Scheduler::enter(tool::Call& call, Demand demand) {
  const auto timeout = demand.timeout().count() > 0 ? demand.timeout() : settings_.timeout;
  call.deadline = std::chrono::steady_clock::now() + timeout;
  if (call.caller && call.caller->deadline != SteadyTime{}) {
    call.deadline = std::min(call.deadline, call.caller->deadline);
  }
  std::vector<std::shared_ptr<Usage>> units = units_of(call, demand);
  if (queue_.empty() && all_free(units)) co_return take(std::move(units));
  HOST_CO_TRY(room_for(call));
  auto slot = co_await wait(call, demand, std::move(units));
  co_return slot;
}

awaitable<Result<Slot>> Scheduler::wait(tool::Call& call, const Demand& demand,
                                        std::vector<std::shared_ptr<Usage>> units) {
  Waiter waiter{call, demand.queue(), units, boost::asio::steady_timer(io_, call.deadline),
                {},   false};
  const auto place = enqueue(waiter);
  grant_waiting();
  if (!waiter.granted) {
    const auto registration = call.cancel->on_cancel([&waiter] { waiter.wake.cancel(); });
    if (!call.cancel->requested()) {
      constexpr auto token = boost::asio::as_tuple(boost::asio::use_awaitable);
      const auto [ended] = co_await waiter.wake.async_wait(token);
      (void)ended;
    }
  }
  dequeue(place);
  if (waiter.granted && !call.cancel->requested()) co_return std::move(waiter.slot);
  waiter.slot.release();
  if (!waiter.granted) grant_waiting();  // whoever stood behind it
  if (call.cancel->requested())
    co_return Error{ErrorKind::Cancelled, "cancelled while waiting for its turn"};
  co_return Error{ErrorKind::DeadlineExceeded,
                  demand.words() + " was busy until the call's time ran out"};
}

}  // namespace host::executor
