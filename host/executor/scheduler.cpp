#include "executor/scheduler.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <set>

namespace host::executor {

using boost::asio::awaitable;

Slot::Slot(Slot&& other) noexcept
    : scheduler_(std::move(other.scheduler_)),
      units_(std::exchange(other.units_, {})),
      waited_(other.waited_) {}

Slot& Slot::operator=(Slot&& other) noexcept {
  release();
  scheduler_ = std::move(other.scheduler_);
  units_ = std::exchange(other.units_, {});
  waited_ = other.waited_;
  return *this;
}

void Slot::release() {
  if (units_.empty()) return;
  if (const auto scheduler = scheduler_.lock()) (*scheduler)->release(units_);
  units_.clear();
}

namespace {

constexpr std::chrono::milliseconds kLongestExternal = std::chrono::hours(24 * 7);

}  // namespace

Demand::Demand(std::shared_ptr<const tool::Tool> tool)
    : kind_("tool"),
      name_(tool->name()),
      limits_(&tool->limits()),
      timeout_(tool->declared().timeout),
      is_external_(tool->declared().external) {
  // The timeouts of its record end the call.
  if (is_external_) timeout_ = std::max(timeout_, kLongestExternal);
  keeps_ = std::move(tool);
}

Demand::Demand(std::shared_ptr<tool::Provider> provider)
    : kind_("provider"),
      name_(provider->name()),
      limits_(&provider->limits()),
      timeout_(provider->timeout()) {
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
  const Needed& needed;
  boost::asio::steady_timer wake;
  Slot slot{};
  bool granted = false;
  std::uint64_t arrival = 0;
  Lines::iterator line{};
  Places::iterator place{};
  std::multimap<std::uint64_t, Waiter*>::iterator at{};
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

// The nearest outer call's tool that has a unit of this limit; null: there is none.
const tool::Tool* holder_above(const tool::Call& call, const tool::Limit& limit) {
  for (const tool::Caller* above = call.passport->caller.get(); above;
       above = above->passport->caller.get()) {
    const auto& held = above->tool->limits();
    const auto is_it = [&](const tool::Limit& one) { return one.key == limit.key; };
    if (std::any_of(held.begin(), held.end(), is_it)) return above->tool.get();
  }
  return nullptr;
}

bool is_held_above(const tool::Call& call, const tool::Limit& limit) {
  return call.passport->caller && holder_above(call, limit);
}

}  // namespace

std::optional<std::string> Scheduler::would_deadlock(const tool::Call& call, const Demand& demand) {
  if (!call.passport->caller || demand.is_external()) return std::nullopt;
  for (const tool::Limit& limit : demand.limits()) {
    const bool in_the_way = limit.capacity == 1 || limit.by_place;
    const tool::Tool* const holder = in_the_way ? holder_above(call, limit) : nullptr;
    if (!holder) continue;
    return demand.words() + " can not run beside \"" + holder->name() +
           "\", which waits for it: it would wait for ever";
  }
  return std::nullopt;
}

std::uint32_t Scheduler::left_by_one(std::uint32_t capacity) const {
  if (capacity < 2 || !shared_ || !shared_()) return capacity;
  return capacity - std::min(settings_.kept_for_others, capacity - 1);
}

// Adds a limit that principals share, and the part that one principal may use.
void Scheduler::add_shared(const tool::Call& call, const std::string& key, std::uint32_t capacity,
                           Needed& own, Units& shared) {
  shared.push_back(usage(key, capacity));
  const std::uint32_t part = left_by_one(capacity);
  if (part < capacity)
    own.units.push_back(usage("part:" + call.passport->who.principal + "\n" + key, part));
}

Scheduler::Needed Scheduler::needs_of(const tool::Call& call, const Demand& demand) {
  Needed needed;
  Units shared;
  needed.units.reserve(2 * demand.limits().size() + 3);
  if (!call.passport->caller) {
    needed.units.push_back(
        usage("principal:" + call.passport->who.principal, settings_.running_per_principal));
    const Settings::OfAgent* const agent = limits_of_agent(call);
    if (agent && agent->running > 0)
      add_shared(call, "agent:" + call.passport->who.agent, agent->running, needed, shared);
  }
  for (const tool::Limit& limit : demand.limits()) {
    if (!is_held_above(call, limit)) add_shared(call, limit.key, limit.capacity, needed, shared);
  }
  needed.own = needed.units.size();
  needed.units.insert(needed.units.end(), shared.begin(), shared.end());
  return needed;
}

namespace {

template <class It>
bool all_free(It first, It last) {
  return std::all_of(first, last, [](const auto& unit) { return unit->used < unit->capacity; });
}

}  // namespace

Slot Scheduler::take(const Units& units) {
  for (const auto& unit : units) ++unit->used;
  Slot slot;
  slot.scheduler_ = self_;
  slot.units_ = units;
  return slot;
}

void Scheduler::release(Units& units) {
  for (const auto& unit : units) --unit->used;
  if (waiting_ > 0) grant_waiting();
}

void Scheduler::sort(std::vector<Turn>& turns) {
  std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
    return std::pair(a.number, a.waiter->arrival) < std::pair(b.number, b.waiter->arrival);
  });
}

// A place's first has the turn that is the place's next, its second the one after that: where all
// places wait, each has one call served before any has two.
std::vector<Scheduler::Turn> Scheduler::in_turn_of_places(const Line& line) {
  std::vector<Turn> order;
  order.reserve(line.waiting);
  for (const auto& [name, place] : line.places) {
    std::uint64_t number = place.next;
    for (const auto& [ignored, waiter] : place.waiting) {
      if (!waiter->granted) order.push_back({number++, waiter});
    }
  }
  sort(order);
  return order;
}

// All that wait, by turns of principals in the same way.
std::vector<Scheduler::Turn> Scheduler::in_turn() const {
  std::vector<Turn> order;
  order.reserve(waiting_);
  for (const auto& [principal, line] : lines_) {
    std::uint64_t number = line.next;
    for (const Turn& turn : in_turn_of_places(line)) {
      order.push_back({number++, turn.waiter, turn.number});
    }
  }
  sort(order);
  return order;
}

void Scheduler::grant(const Turn& turn) {
  Waiter& waiter = *turn.waiter;
  Line& line = waiter.line->second;
  Place& place = waiter.place->second;
  turn_ = std::max(turn_, turn.number);
  ++line.next;
  line.turn = std::max(line.turn, turn.number_of_place);
  ++place.next;
  place.turn = std::max(place.turn, waiter.at->first);
  waiter.slot = take(waiter.needed.units);
  waiter.granted = true;
  waiter.wake.cancel();
}

void Scheduler::grant_waiting() {
  std::set<const Usage*> claimed;  // limits that an earlier turn waits for
  for (const Turn& turn : in_turn()) {
    const Units& units = turn.waiter->needed.units;
    const auto shared = units.begin() + static_cast<std::ptrdiff_t>(turn.waiter->needed.own);
    // others need not wait for this principal's quota
    if (!all_free(units.begin(), shared)) continue;
    const bool overtakes = std::any_of(
        shared, units.end(), [&](const auto& unit) { return claimed.contains(unit.get()); });
    if (!overtakes && all_free(shared, units.end())) {
      grant(turn);
      continue;
    }
    std::for_each(shared, units.end(), [&](const auto& unit) {
      if (unit->capacity == 1 || unit->used >= unit->capacity) claimed.insert(unit.get());
    });
  }
}

namespace {

// The key of one principal's part of a limit.
std::string part_of(const tool::Call& call, const std::string& key) {
  return call.passport->who.principal + "\n" + key;
}

std::uint32_t count_in(const std::unordered_map<std::string, std::uint32_t>& counts,
                       const std::string& key) {
  const auto at = counts.find(key);
  return at == counts.end() ? 0 : at->second;
}

void take_off(std::unordered_map<std::string, std::uint32_t>& counts, const std::string& key) {
  const auto at = counts.find(key);
  if (--at->second == 0) counts.erase(at);
}

// Where a call comes from: its peer's address, as far as that is known.
std::string place_of(const tool::Call& call) {
  const std::string& from = call.passport->connection;
  return from.substr(0, from.find('\n'));
}

Error too_many(const std::string& who, const std::string& name, std::uint32_t most) {
  return {ErrorKind::Unavailable, who + " \"" + name + "\" has " + std::to_string(most) +
                                      " calls waiting already: retry after 1 s"};
}

}  // namespace

void Scheduler::refused(std::string_view limit) const {
  if (settings_.on_refusal) settings_.on_refusal(limit);
}

std::optional<std::string> Scheduler::full(const tool::Call& call, const Demand& demand) const {
  if (waiting_ == 0 || demand.is_external()) return std::nullopt;
  if (count_in(waiting_by_queue_, part_of(call, demand.queue())) < settings_.queue) {
    return std::nullopt;
  }
  refused("call.queue");
  return demand.words() + " is busy: " + std::to_string(settings_.queue) + " calls of \"" +
         call.passport->who.principal + "\" wait for it already. Retry after 1 s.";
}

Result<void> Scheduler::room_for(const tool::Call& call) const {
  const Settings::OfAgent* const agent = limits_of_agent(call);
  if (agent && agent->queued > 0) {
    const std::string& name = call.passport->who.agent;
    if (count_in(waiting_by_agent_, name) >= agent->queued ||
        count_in(waiting_as_agent_, part_of(call, name)) >= left_by_one(agent->queued)) {
      refused("agent.queued");
      return too_many("agent", name, agent->queued);
    }
  }
  const auto line = lines_.find(call.passport->who.principal);
  const std::size_t waiting = line == lines_.end() ? 0 : line->second.waiting;
  if (waiting < settings_.queued_per_principal) return {};
  refused("limits.queued_per_principal");
  return too_many("principal", call.passport->who.principal, settings_.queued_per_principal);
}

const Scheduler::Settings::OfAgent* Scheduler::limits_of_agent(const tool::Call& call) const {
  if (settings_.agents.empty()) return nullptr;
  const auto found = settings_.agents.find(call.passport->who.agent);
  return found == settings_.agents.end() ? nullptr : &found->second;
}

void Scheduler::enqueue(Waiter& waiter) {
  const tool::Call& call = waiter.call;
  const auto [line, fresh] = lines_.try_emplace(call.passport->who.principal);
  if (fresh) line->second.next = turn_ + 1;
  const auto [place, first] = line->second.places.try_emplace(place_of(call));
  if (first) place->second.next = line->second.turn + 1;
  Place::Peer& peer = place->second.peers[call.passport->connection];
  peer.last = std::max(place->second.turn, peer.last) + 1;
  ++peer.waiting;
  ++line->second.waiting;
  ++waiting_by_queue_[part_of(call, waiter.queue)];
  if (limits_of_agent(call)) {
    ++waiting_by_agent_[call.passport->who.agent];
    ++waiting_as_agent_[part_of(call, call.passport->who.agent)];
  }
  ++waiting_;
  waiter.arrival = ++arrivals_;
  waiter.line = line;
  waiter.place = place;
  waiter.at = place->second.waiting.emplace(peer.last, &waiter);
}

void Scheduler::dequeue(Waiter& waiter) {
  const tool::Call& call = waiter.call;
  Line& line = waiter.line->second;
  Place& place = waiter.place->second;
  const auto peer = place.peers.find(call.passport->connection);
  if (--peer->second.waiting == 0) place.peers.erase(peer);
  take_off(waiting_by_queue_, part_of(call, waiter.queue));
  if (limits_of_agent(call)) {
    take_off(waiting_by_agent_, call.passport->who.agent);
    take_off(waiting_as_agent_, part_of(call, call.passport->who.agent));
  }
  --waiting_;
  place.waiting.erase(waiter.at);
  if (place.waiting.empty()) line.places.erase(waiter.place);
  if (--line.waiting == 0) lines_.erase(waiter.line);
}

namespace {

// Nobody waits for its answer, so its time begins with its slot.
bool is_patient(const tool::Call& call) {
  const auto& outer = call.passport->caller;
  return call.outlives && (!outer || outer->deadline == SteadyTime{});
}

}  // namespace

std::optional<Slot> Scheduler::enter_at_once(tool::Call& call, const Demand& demand) {
  call.deadline = std::chrono::steady_clock::now() + timeout_of(demand);
  if (const auto& outer = call.passport->caller; outer && outer->deadline != SteadyTime{}) {
    call.deadline = std::min(call.deadline, outer->deadline);
  }
  if (demand.is_external()) return Slot();
  if (waiting_ > 0) return std::nullopt;
  Needed needed = needs_of(call, demand);
  if (!all_free(needed.units.begin(), needed.units.end())) return std::nullopt;
  return take(needed.units);
}

awaitable<Result<Slot>> Scheduler::enter(tool::Call& call, Demand demand) {
  if (auto slot = enter_at_once(call, demand)) co_return *std::move(slot);
  HOST_CO_TRY(room_for(call));
  auto slot = co_await wait(call, demand, needs_of(call, demand));
  if (is_patient(call)) call.deadline = std::chrono::steady_clock::now() + timeout_of(demand);
  co_return slot;
}

std::chrono::milliseconds Scheduler::timeout_of(const Demand& demand) const {
  return demand.timeout().count() > 0 ? demand.timeout() : settings_.timeout;
}

awaitable<Result<Slot>> Scheduler::wait(tool::Call& call, const Demand& demand, Needed needed) {
  Waiter waiter{
      call, demand.queue(), needed,
      boost::asio::steady_timer(io_, is_patient(call) ? SteadyTime::max() : call.deadline)};
  enqueue(waiter);
  grant_waiting();
  if (!waiter.granted) {
    const auto registration = call.cancel->on_cancel([&waiter] { waiter.wake.cancel(); });
    if (!call.cancel->requested()) {
      constexpr auto token = boost::asio::as_tuple(boost::asio::use_awaitable);
      const auto [ended] = co_await waiter.wake.async_wait(token);
      (void)ended;
    }
    waiter.slot.waited_ = true;
  }
  dequeue(waiter);
  if (waiter.granted && !call.cancel->requested()) co_return std::move(waiter.slot);
  waiter.slot.release();
  if (!waiter.granted) grant_waiting();  // calls that waited behind it
  if (call.cancel->requested())
    co_return Error{ErrorKind::Cancelled, "cancelled while waiting for its turn"};
  co_return Error{ErrorKind::DeadlineExceeded,
                  demand.words() + " was busy until the call's time ran out"};
}

}  // namespace host::executor
