#include "task/records.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

#include "base/log.h"
#include "base/process/spawn.h"
#include "task/outcome.h"
#include "task/transitions.h"
#include "tool/call/edits.h"

namespace host::task {
namespace {

using boost::asio::awaitable;
using store::Desk;
using tool::Record;
using tool::Transition;

Error not_allowed(const Record& now, const Record& next) {
  return {ErrorKind::InvalidArgument, "a call in state " + std::string(to_string(now.state)) +
                                          " cannot become " + std::string(to_string(next.state))};
}

Transition transition_to(const Record& next, std::optional<tool::RecordState> from,
                         std::string_view by) {
  Transition transition;
  transition.session = next.session;
  transition.record = next.id;
  transition.tool = next.tool;
  transition.from = from;
  transition.to = next.state;
  transition.why = next.is_over() ? next.code : next.reason;
  transition.by = by;
  transition.at = next.updated;
  return transition;
}

// Webhooks are told of what was written, in the same transaction.
Result<std::vector<store::RecordWritten>> write_with_events(
    store::Store& store, const std::vector<store::RecordWrite>& writes, const std::string& address,
    const std::vector<std::vector<store::WebhookEvent>>& events) {
  const bool has_events =
      std::any_of(events.begin(), events.end(), [](const auto& some) { return !some.empty(); });
  if (!has_events) return store.records().write(writes, address);
  std::vector<store::RecordWritten> written;
  const auto stored = store.together([&]() -> Result<void> {
    HOST_TRY_ASSIGN(written, store.records().write(writes, address));
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (written[i]) HOST_TRY(store.webhooks().queue(events[i]));
    }
    return {};
  });
  if (!stored) return stored.error();
  return written;
}

std::shared_ptr<boost::asio::steady_timer> never(const boost::asio::any_io_executor& executor) {
  return std::make_shared<boost::asio::steady_timer>(executor, SteadyTime::max());
}

}  // namespace

Records::Records(boost::asio::any_io_executor executor, const Clock& clock)
    : executor_(std::move(executor)), clock_(clock), next_write_(never(executor_)) {}

Result<void> Records::keep_in(std::shared_ptr<Desk> desk, std::string address) {
  using Read = std::vector<Record>;
  Desk::Act<Read> read = [&address, now = clock_.wall()](store::Store& store) -> Result<Read> {
    HOST_TRY(store.records().forget_expired(now, address));
    return store.records().list(address);
  };
  HOST_TRY_ASSIGN(Read records, desk->ask_and_wait<Read>(std::move(read)));
  desk_ = std::move(desk);
  address_ = std::move(address);
  for (Record& record : records) {
    Entry& at = entries_[record.id];
    at.stored = record.version;
    at.beat = {clock_.steady(), record.heartbeat, record.client_clock};
    put(at, std::make_shared<Record>(std::move(record)));
  }
  return {};
}

Records::Entry* Records::entry(std::string_view id) {
  const auto at = entries_.find(std::string(id));
  return at == entries_.end() ? nullptr : &at->second;
}

RecordPtr Records::find(std::string_view id) const {
  const auto at = entries_.find(std::string(id));
  return at == entries_.end() ? nullptr : at->second.record;
}

void Records::count(const Record& record, bool add) {
  const bool is_task = record.made_by == tool::MadeBy::TaskClient;
  Owned& owned = by_principal_[record.principal];
  for (Sizes* const sizes : {&all_, &owned.sizes}) {
    std::size_t& kind = is_task ? sizes->tasks : sizes->detached;
    std::size_t& bytes = is_task ? sizes->task_bytes : sizes->bytes;
    kind = add ? kind + 1 : kind - 1;
    bytes = add ? bytes + record.bytes() : bytes - record.bytes();
  }
  const std::pair place(record.created, record.id);
  const std::pair end(record.expires, record.id);
  if (record.is_over() && !is_task) {
    const std::pair ended(record.updated, record.id);
    if (add) {
      owned.ended.insert(ended);
    } else {
      owned.ended.erase(ended);
    }
  }
  if (!add) {
    owned.ids.erase(place);
    by_expiry_.erase(end);
    if (owned.ids.empty()) by_principal_.erase(by_principal_.find(record.principal));
    return;
  }
  owned.ids.insert(place);
  if (record.expires != WallTime{}) by_expiry_.insert(end);
}

void Records::put(Entry& at, RecordPtr record) {
  if (at.record) {
    count(*at.record, false);
    open_.remove(*at.record);
  }
  at.record = std::move(record);
  count(*at.record, true);
  open_.add(at.record);
}

RecordPtr Records::add(Record record, std::string_view by) {
  record.created = record.updated = clock_.wall();
  record.version = 1;
  if (complete_) complete_(record);
  Entry& at = entries_[record.id];
  at.beat.steady = clock_.steady();
  at.unwritten.push_back(transition_to(record, std::nullopt, by));
  put(at, std::make_shared<Record>(std::move(record)));
  mark(at.record->id);
  return at.record;
}

Result<RecordPtr> Records::change(Record next, std::string_view by) {
  Entry* const at = entry(next.id);
  if (!at) return Error{ErrorKind::NotFound, "there is no such call: it is unknown or has expired"};
  const Record& now = *at->record;
  if (now.version != next.version) {
    return Error{ErrorKind::InvalidArgument, "the call has changed in the meantime"};
  }
  const bool moved = now.state != next.state || now.reason != next.reason;
  if (now.is_over() || (moved && !is_allowed(now.state, next.state, next.executes)) ||
      next.lease.token < now.lease.token) {
    return not_allowed(now, next);
  }
  // Time counts anew in a new state, and once the caller can pick the call up: the wait for an
  // approval or for a turn before that is not the caller's.
  const bool is_offered = next.reason != now.reason && next.reason == tool::kWaitsForCaller;
  if (next.state != now.state || is_offered) at->beat.steady = clock_.steady();
  if (next.lease == now.lease) {
    next.heartbeat = at->beat.at;
    next.client_clock = at->beat.client_clock;
  } else {
    at->beat = {clock_.steady(), next.heartbeat, next.client_clock};
  }
  if (next.is_over()) next.continuation.answers.erase(std::string(tool::kRunArguments));
  next.version = now.version + 1;
  next.updated = clock_.wall();
  if (moved) at->unwritten.push_back(transition_to(next, now.state, by));
  put(*at, std::make_shared<Record>(std::move(next)));
  mark(at->record->id);
  return at->record;
}

void Records::clear_twin(const std::string& id) {
  Entry* const at = entry(id);
  if (!at || at->record->twin.empty()) return;
  Record next = *at->record;
  next.twin.clear();
  ++next.version;
  put(*at, std::make_shared<Record>(std::move(next)));
  mark(id);
}

void Records::beat(const std::string& id, std::optional<std::uint64_t> client_clock) {
  Entry* const at = entry(id);
  if (!at || at->record->state != tool::RecordState::Processing) return;
  at->beat = {clock_.steady(), clock_.wall(), client_clock};
  if (desk_) beats_.insert(id);
}

Records::LastBeat Records::last_beat(std::string_view id) const {
  const auto at = entries_.find(std::string(id));
  return at == entries_.end() ? LastBeat{} : at->second.beat;
}

void Records::begin_time_anew(const std::string& id) {
  if (Entry* const at = entry(id)) at->beat.steady = clock_.steady();
}

void Records::flush_beats() {
  if (!desk_ || beats_.empty()) return;
  std::vector<store::Beat> beats;
  for (const std::string& id : beats_) {
    const Entry* const at = entry(id);
    if (at) beats.push_back({id, at->record->lease.token, at->beat.at, at->beat.client_clock});
  }
  beats_.clear();
  desk_->tell([beats = std::move(beats)](store::Store& store) {
    static_cast<void>(store.records().beat(beats));  // the next batch has newer ones
  });
}

void Records::write_again() {
  for (const std::string& id : std::exchange(failed_, {})) {
    if (const Entry* const at = entry(id); at && !at->changed) mark(id);
  }
}

void Records::drop(const std::string& id) {
  failed_.erase(id);
  const auto at = entries_.find(id);
  if (at == entries_.end()) return;
  const RecordPtr record = at->second.record;
  count(*record, false);
  open_.remove(*record);
  entries_.erase(at);
  tell_gone(record);
}

// Later, because the change of another record can be in progress.
void Records::tell_gone(const RecordPtr& record) {
  if (on_gone_.empty()) return;
  boost::asio::post(executor_, [this, record] {
    for (const OnChange& listener : on_gone_) listener(record);
  });
}

// The store removes records that are not removed now when they expire.
void Records::forget(const std::vector<std::string>& ids) {
  if (!desk_ || ids.empty()) return;
  desk_->tell([ids](store::Store& store) { static_cast<void>(store.records().forget(ids)); });
}

void Records::remove(const std::vector<std::string>& ids) {
  std::vector<std::string> removed;
  for (const std::string& id : ids) {
    const Entry* const at = entry(id);
    if (!at || !at->has_stored_end()) continue;
    drop(id);
    removed.push_back(id);
  }
  forget(removed);
}

bool Records::withdraw(const std::string& id) {
  const Entry* const at = entry(id);
  if (!at || at->stored > 0) return false;
  drop(id);
  forget({id});
  return true;
}

void Records::expire() {
  const WallTime now = clock_.wall();
  std::vector<std::string> ended;
  std::vector<RecordPtr> open;
  for (const auto& [expires, id] : by_expiry_) {
    if (now < expires) break;
    const RecordPtr& record = entries_.at(id).record;
    if (record->is_over()) {
      ended.push_back(id);
    } else {
      open.push_back(record);
    }
  }
  for (const RecordPtr& record : open) end_expired(*record);
  remove(ended);
}

void Records::end_expired(const Record& record) {
  const auto ended = change(
      ended_with_words(record, kExpired, "The call has expired before it ended.", record.expires),
      "host");
  if (ended) return tell_gone(*ended);
  log::warning("task", "a call that has expired cannot be ended",
               {{"call", record.id}, {"reason", ended.error().message}});
}

std::vector<RecordPtr> Records::of(std::string_view principal) const {
  std::vector<RecordPtr> records;
  const auto owned = by_principal_.find(principal);
  if (owned == by_principal_.end()) return records;
  records.reserve(owned->second.ids.size());
  for (const auto& [created, id] : owned->second.ids) records.push_back(find(id));
  return records;
}

void Records::each_ended_of(std::string_view principal,
                            const std::function<bool(const RecordPtr& record)>& visit) const {
  const auto owned = by_principal_.find(principal);
  if (owned == by_principal_.end()) return;
  for (const auto& [at, id] : owned->second.ended) {
    const Entry& ended = entries_.at(id);
    if (ended.has_stored_end() && !visit(ended.record)) return;
  }
}

std::vector<RecordPtr> Records::ended() const {
  std::vector<RecordPtr> records;
  for (const auto& [id, entry] : entries_) {
    if (entry.record->is_over()) records.push_back(entry.record);
  }
  return records;
}

Records::Sizes Records::sizes_of(const std::string& principal) const {
  const auto owned = by_principal_.find(principal);
  return owned == by_principal_.end() ? Sizes{} : owned->second.sizes;
}

void Records::mark(const std::string& id) {
  Entry& at = *entry(id);
  if (!std::exchange(at.changed, true)) to_write_.push_back(id);
  if (writing_) return;
  writing_ = true;
  // Later, so that all changes of this turn are one commit, and listeners never run inside a
  // change.
  boost::asio::post(executor_, [this] { flush(); });
}

Records::EventsOf Records::events_of(const Taken& taken) const {
  EventsOf events(announce_ ? taken.size() : 0);
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (const Transition& transition : taken[i].transitions) {
      if (auto event = announce_(*taken[i].record, transition))
        events[i].push_back(*std::move(event));
    }
  }
  return events;
}

void Records::flush() {
  const auto taken = std::make_shared<Taken>();
  for (const std::string& id : std::exchange(to_write_, {})) {
    Entry* const at = entry(id);
    if (!at) continue;
    at->changed = false;
    at->failed.reset();
    taken->push_back({at->record, at->stored, std::exchange(at->unwritten, {})});
  }
  if (!desk_) {
    Written all;
    for (const store::RecordWrite& write : *taken) all.emplace_back(write.transitions);
    return written(taken, all);
  }
  Desk::Act<Written> act = [taken, address = address_,
                            events = events_of(*taken)](store::Store& store) {
    return write_with_events(store, *taken, address, events);
  };
  desk_->ask<Written>(std::move(act),
                      [this, taken](const Result<Written>& done) { written(taken, done); });
}

void Records::written(const std::shared_ptr<Taken>& taken, const Result<Written>& done) {
  for (std::size_t i = 0; i < taken->size(); ++i) {
    const store::RecordWrite& write = (*taken)[i];
    Entry* const at = entry(write.record->id);
    if (!at) continue;  // it was removed
    failed_.erase(write.record->id);
    if (!done) {  // the next change is written together with this one
      at->failed = done.error();
      failed_.insert(write.record->id);
      at->unwritten.insert(at->unwritten.begin(), write.transitions.begin(),
                           write.transitions.end());
      continue;
    }
    const store::RecordWritten& one = (*done)[i];
    if (!one) {
      clashed(*at);
      continue;
    }
    at->stored = write.record->version;
    tell(*at, *one);
  }
  if (!done && !taken->empty()) {
    log::warning("task", "calls are not stored",
                 {{"calls", std::to_string(taken->size())}, {"reason", done.error().message}});
    if (on_failure_) on_failure_();
  }
  writing_ = !to_write_.empty();
  if (writing_) boost::asio::post(executor_, [this] { flush(); });
  const auto waited_for = std::exchange(next_write_, never(executor_));
  waited_for->cancel();
}

// Another host has taken the record over, or this one was paused for long.
void Records::clashed(Entry& at) {
  const std::string id = at.record->id;
  log::warning("task", "a call was changed by another host", {{"call", id}});
  ++at.clashes;
  at.failed = Error{ErrorKind::Unavailable, "another host has changed this call: read it again"};
  spawn(executor_, {"task", "reads a record again"}, load_again(id));
}

awaitable<void> Records::load_again(std::string id) {
  using Found = std::optional<Record>;
  Desk::Act<Found> act = [id](store::Store& store) { return store.records().find(id); };
  auto found = co_await desk_->ask<Found>(std::move(act));
  Entry* const at = entry(id);
  if (!at) co_return;
  if (!found) {  // the write that is tried again clashes again, and leads here
    failed_.insert(id);
    if (on_failure_) on_failure_();
    co_return;
  }
  if (!*found) {
    drop(id);
    co_return;
  }
  at->unwritten.clear();
  at->failed.reset();
  at->stored = (*found)->version;
  put(*at, std::make_shared<Record>(*std::move(*found)));
  for (const OnChange& listener : on_change_) listener(at->record);
}

void Records::tell(const Entry& at, const Transitions& numbered) const {
  const RecordPtr record = at.record;
  for (const Transition& transition : numbered) {
    for (const OnTransition& listener : on_transition_) listener(transition);
  }
  for (const OnChange& listener : on_change_) listener(record);
}

awaitable<Result<void>> Records::kept(std::string id) {
  if (!entry(id)) co_return Result<void>();
  auto kept = co_await wait_for_store(std::move(id), [](const Entry& at) {
    return !at.changed && at.stored == at.record->version;
  });
  if (!kept && kept.error().kind == ErrorKind::Cancelled) co_return Result<void>();  // removed
  co_return kept;
}

awaitable<Result<void>> Records::added(std::string id) {
  return wait_for_store(std::move(id), [](const Entry& at) { return at.stored > 0; });
}

// A write that failed is tried once more.
awaitable<Result<void>> Records::wait_for_store(std::string id, IsStored has_it) {
  const Entry* const first = entry(id);
  const std::uint64_t clashes = first ? first->clashes : 0;
  for (bool tried_again = false;;) {
    Entry* const at = entry(id);
    if (!at) co_return Error{ErrorKind::Cancelled, "the call was removed"};
    if (at->clashes != clashes) {
      co_return Error{ErrorKind::Unavailable, "another host has changed this call: read it again"};
    }
    if (has_it(*at)) co_return Result<void>();
    if (at->failed && !at->changed) {
      if (tried_again) co_return *at->failed;
      tried_again = true;
      mark(id);
    }
    const auto wait = next_write_;
    co_await wait->async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  }
}

awaitable<Result<Records::Transitions>> Records::transitions_after(std::string session,
                                                                   std::uint64_t seq,
                                                                   std::uint32_t limit) {
  return ask_for([session = std::move(session), seq, limit](store::Store& store) {
    return store.records().transitions_after(session, seq, limit);
  });
}

awaitable<Result<Records::Transitions>> Records::ends_after(std::string session, std::uint64_t seq,
                                                            std::uint32_t limit) {
  return ask_for([session = std::move(session), seq, limit](store::Store& store) {
    return store.records().ends_after(session, seq, limit);
  });
}

awaitable<Result<Records::Transitions>> Records::ask_for(Desk::Act<Transitions> act) {
  if (!desk_) co_return Transitions{};
  auto found = co_await desk_->ask<Transitions>(std::move(act));
  co_return found;
}

}  // namespace host::task
