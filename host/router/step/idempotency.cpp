#include "router/step/idempotency.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "json/canonical.h"
#include "router/step/interceptors.h"
#include "router/step/kept_results.h"
#include "store/part/idempotency_claims.h"
#include "store/sqlite/columns.h"

namespace host::router {
namespace asio = boost::asio;
namespace {

using asio::awaitable;
using store::IdempotencyKey;
using store::IdempotencyMeeting;
using State = IdempotencyMeeting::State;

constexpr std::string_view kMember = "idempotency_key";
constexpr std::chrono::milliseconds kLookEvery{250};  // for the result of a different host
constexpr const char* kReplayedMeta = "\"io.toolpost/replayed\":true";
constexpr const char* kNotKeptMeta = "\"io.toolpost/not_kept\":true";

// The answer of the store.
struct Met {
  IdempotencyMeeting meeting;
  std::shared_ptr<store::IdempotencyClaims> claims;
};

awaitable<void> pause(asio::steady_timer& timer) {
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

Error taken_back() {
  return {ErrorKind::Cancelled, "the call was taken back"};
}

tool::CallResult clash(tool::Call& call) {
  call.outcome = tool::kBadArguments;
  return tool::CallResult::error("The idempotency key \"" + call.idempotency_key +
                                 "\" was used for a call of \"" + call.name +
                                 "\" with other arguments or another context. Nothing ran now. "
                                 "Repeat that call as it was, or use a new key.");
}

// Room may come only after a day, so a detached call does not wait for it.
tool::CallResult no_room(tool::Call& call) {
  call.outcome = "limit_reached";
  return tool::CallResult::error(
      "busy: too many idempotency keys of this principal are kept "
      "(limits.idempotency_keys_per_principal, limits.idempotency_bytes_per_principal). Nothing "
      "ran now. Call again later, or without a key.");
}

tool::CallResult not_kept(tool::Call& call, const std::string& fault) {
  call.outcome = "busy";
  return tool::CallResult::error(
      "busy: the result could not be kept, because the store cannot be "
      "written (" +
      fault + "). Nothing ran now. Call again later, or without a key.");
}

// The store, or the file of its claims, cannot be read or written. The text of the error may have
// names of files, which clients do not see.
Result<std::optional<tool::CallResult>> without_store(tool::Call& call, const Error& error,
                                                      bool is_locked) {
  if (error.kind != ErrorKind::Io && !is_locked) return error;
  log::error("router", "a call with an idempotency key is refused: the store does not work",
             {{"call", call.passport->call}, {"reason", error.message}});
  return std::optional(not_kept(call, "its files cannot be read or written"));
}

// `earlier`: the earlier call, and its task.
tool::CallResult still_runs(tool::Call& call, const std::string& earlier) {
  call.outcome = "pending";
  return tool::CallResult::error(
      "\"" + call.name +
      "\" was called before with this idempotency key, and that call has not "
      "ended yet: " +
      earlier +
      ". Nothing ran now. Call again later with the same key to get its "
      "result.");
}

std::string name_of_task(const std::string& task) {
  return "it is the task " + task +
         ", which may wait for the answers of its client (tasks/get, tasks/update)";
}

std::string name_of_lost(const std::string& call) {
  return "another host of this store began it as the detached call " + call +
         " and has ended or is about to end it; if that host was killed, start it again";
}

// Nobody knows what the call with the key did.
void keep_interrupted(store::Desk& desk, const IdempotencyKey& key, std::function<void()> done) {
  store::Desk::Act<bool> act = [key](store::Store& store) -> Result<bool> {
    HOST_TRY(store.idempotency().keep_interrupted(key));
    return true;
  };
  desk.ask<bool>(std::move(act), [tool = key.tool, done = std::move(done)](Result<bool> kept) {
    if (!kept) {
      log::error("router", "the idempotency key of an interrupted call is lost with its record",
                 {{"tool", tool}, {"reason", kept.error().message}});
    }
    done();
  });
}

void add_meta(tool::CallResult& result, std::string_view member) {
  if (!result.meta.empty()) result.meta += ',';
  result.meta += member;
}

tool::CallResult earlier(tool::Call& call, tool::CallResult result) {
  call.outcome = kReplayed;
  add_meta(result, kReplayedMeta);
  return result;
}

// A withheld result is kept, too: the tool ran, and must not run a second time for the key. The
// same is true for the failure of a provider that may have carried out the call.
bool is_to_keep(const tool::Call& call, const tool::CallResult& result) {
  const bool is_own = call.outcome.empty() || call.outcome == kWithheld;
  const bool is_of_tool = call.answered && is_own && result.lacking.empty();
  return (is_of_tool || call.may_have_acted) && !result.round && result.task.empty();
}

}  // namespace

std::optional<tool::CallResult> take_idempotency_key(tool::Call& call, const tool::Tool& tool) {
  const auto wrong = [&](const std::string& why) {
    call.outcome = tool::kBadArguments;
    return tool::CallResult::error("Invalid arguments for \"" + tool.name() +
                                   "\":\n/idempotency_key: " + why +
                                   "\nCorrect them and call again.");
  };
  const json::Value* const properties = tool.input_properties();
  json::Value& arguments = call.arguments.root();
  const json::Value* const member =
      arguments.IsObject() && !(properties && json::find(*properties, kMember))
          ? json::find(arguments, kMember)
          : nullptr;
  if (!member) return std::nullopt;
  if (!member->IsNull()) {  // which is an absent key
    if (!member->IsString()) return wrong("must be a string");
    const std::string key(json::text(*member));
    if (!call.idempotency_key.empty() && call.idempotency_key != key)
      return wrong("the call already has another key");
    if (key.empty()) return wrong("must not be empty");
    if (key.size() > kIdempotencyKeyBytes)
      return wrong("must have at most " + std::to_string(kIdempotencyKeyBytes) + " bytes");
    call.idempotency_key = key;
  }
  arguments.RemoveMember(json::Value(rapidjson::StringRef(kMember.data(), kMember.size())));
  return std::nullopt;
}

// A call of this host that has claimed its key, or is about to.
struct Idempotency::Running {
  // Those that wait look again: the call has ended, or has become a task.
  void wake() const {
    for (asio::steady_timer* const one : waiters) one->cancel();
  }
  // What a call that cannot wait any longer is told.
  std::string name() const { return task.empty() ? "it is the call " + call : name_of_task(task); }

  const Sha256 arguments;
  std::string call;
  bool outlives = false;  // true: the call does not end with its request
  std::string task;       // empty: the call is no task
  bool is_held = false;   // true: no call of the task runs
  // The call of a task goes on after a restart. The task gets the key back if the call ends without
  // a stored result.
  bool is_lent = false;
  std::vector<asio::steady_timer*> waiters;
};

// Wakes a call that waits for an earlier call. The event loop may destroy the two in any order.
class Idempotency::Waiter {
 public:
  Waiter(std::shared_ptr<Running> twin, asio::steady_timer& timer)
      : twin_(std::move(twin)), timer_(timer) {
    twin_->waiters.push_back(&timer_);
  }
  ~Waiter() { std::erase(twin_->waiters, &timer_); }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

 private:
  const std::shared_ptr<Running> twin_;
  asio::steady_timer& timer_;
};

// The shared state of this host's claims. Claims may outlive the step, if the event loop destroys
// them.
class Idempotency::Shelf {
 public:
  Shelf(asio::any_io_executor executor, std::shared_ptr<store::Desk> store, Settings wanted)
      : io(std::move(executor)),
        desk(std::move(store)),
        settings(std::move(wanted)),
        results(desk ? std::make_shared<KeptResults>(io, desk) : nullptr) {}

  void begin(const IdempotencyKey& key, Running call) {
    running.emplace(key, std::make_shared<Running>(std::move(call)));
  }

  // A task that has asked its client keeps the key in its record. The host may have been alone with
  // the store since before that, so its index of keys may lack this one, and the next call would
  // not ask the store.
  void end(const IdempotencyKey& key, bool stored) {
    const auto at = running.find(key);
    if (stored) {
      desk->tell([key, is_tasks = !at->second->task.empty()](store::Store& store) {
        if (is_tasks) store.idempotency().claims()->add_to_index({key});
        if (const auto done = store.idempotency().give_up(key); !done) {
          log::warning("router", "the end of a call with an idempotency key is not stored",
                       {{"reason", done.error().message}});
        }
      });
    }
    // The task has its key until its record has ended.
    if (!std::exchange(at->second->is_lent, false) || at->second->task.empty()) return remove(at);
    at->second->is_held = true;
  }

  // The calls that wait get the error once the store has it.
  void end_as_interrupted(const IdempotencyKey& key, const std::weak_ptr<Shelf>& self) {
    Running& ended = *running.at(key);
    ended.is_held = ended.outlives = false;
    ended.task.clear();
    ended.wake();
    keep_interrupted(*desk, key, [self, key] {
      if (const auto shelf = self.lock()) shelf->remove(shelf->running.find(key));
    });
  }

  void remove(std::map<IdempotencyKey, std::shared_ptr<Running>>::iterator at) {
    at->second->wake();
    running.erase(at);
  }

  const asio::any_io_executor io;
  const std::shared_ptr<store::Desk> desk;
  const Settings settings;
  const std::shared_ptr<KeptResults> results;        // null without a store
  std::shared_ptr<store::IdempotencyClaims> claims;  // null until the store has answered once
  std::map<IdempotencyKey, std::shared_ptr<Running>> running;
  std::map<std::string, std::uint32_t> waiting;  // calls, by principal
};

Idempotency::Claim& Idempotency::Claim::operator=(Claim&& other) noexcept {
  end();
  shelf_ = std::move(other.shelf_);
  key_ = std::move(other.key_);
  stored_ = std::exchange(other.stored_, false);
  return *this;
}

void Idempotency::Claim::outlive_call() {
  if (!shelf_) return;
  const auto at = shelf_->running.find(key_);
  if (at == shelf_->running.end()) return;
  at->second->outlives = true;
  at->second->wake();
}

void Idempotency::Claim::end() {
  if (const auto shelf = std::exchange(shelf_, nullptr)) shelf->end(key_, stored_);
}

Idempotency::Idempotency(asio::any_io_executor io, std::shared_ptr<store::Desk> desk,
                         Settings settings)
    : shelf_(std::make_shared<Shelf>(std::move(io), std::move(desk), std::move(settings))) {}

Idempotency::Asked Idempotency::ask(const tool::Call& call, std::string tool) {
  return {{call.passport->who.principal, std::move(tool), call.idempotency_key},
          sha256(json::canonical(call.arguments.root()) + tool::digested_context(*call.passport))};
}

bool Idempotency::claims_at_once(const tool::Call& call, const Asked& asked, Claim& claim) {
  if (!shelf_->desk || shelf_->running.contains(asked.key)) return false;
  enter_free_shelf(call, asked, claim);
  return claims_as_new(asked, claim);
}

// The place of a call whose key nobody has in this host.
void Idempotency::enter_free_shelf(const tool::Call& call, const Asked& asked, Claim& claim) {
  shelf_->begin(asked.key,
                {asked.arguments, call.passport->call, call.outlives, {}, false, false, {}});
  claim.shelf_ = shelf_;
  claim.key_ = asked.key;
}

// Without a question to the store.
bool Idempotency::claims_as_new(const Asked& asked, Claim& claim) {
  const bool can_keep = shelf_->desk->fault().empty();
  claim.stored_ =
      can_keep && shelf_->claims && shelf_->claims->claim_new(asked.key, asked.arguments);
  return claim.stored_;
}

awaitable<Result<std::optional<tool::CallResult>>> Idempotency::meet(tool::Call& call,
                                                                     const Asked& asked,
                                                                     Claim& claim) {
  if (!shelf_->desk) {
    co_return tool::CallResult::error(
        "This host keeps no idempotency keys (store.file is empty), so it cannot tell "
        "whether a call was made before. Nothing ran now. Call without a key.");
  }
  const SteadyTime until = call.outlives
                               ? SteadyTime::max()
                               : std::chrono::steady_clock::now() + shelf_->settings.longest_wait;
  if (!claim.shelf_) {  // claims_at_once() has found an earlier call
    auto left = co_await enter_shelf(call, asked, until, claim);
    if (!left || *left) co_return left;
    if (claims_as_new(asked, claim)) co_return std::nullopt;
  }
  auto met = co_await ask_store(call, asked.arguments, until, claim);
  if (!met || *met) claim.end();
  co_return met;
}

awaitable<Result<std::optional<tool::CallResult>>> Idempotency::enter_shelf(tool::Call& call,
                                                                            const Asked& asked,
                                                                            SteadyTime until,
                                                                            Claim& claim) {
  for (;;) {
    const auto at = shelf_->running.find(asked.key);
    if (at == shelf_->running.end()) break;
    const std::shared_ptr<Running> twin = at->second;
    if (twin->is_held && twin->task == call.passport->call) {  // the call of the task goes on
      twin->is_held = false;
      twin->is_lent = true;
      claim.shelf_ = shelf_;
      claim.key_ = asked.key;
      co_return std::nullopt;
    }
    if (twin->arguments != asked.arguments) co_return clash(call);
    if (!twin->task.empty() && call.on_cleared) {  // its client uses tasks
      call.outcome = kReplayed;
      tool::CallResult same;
      same.task = twin->task;
      co_return same;
    }
    const bool ends_itself = !twin->outlives && twin->task.empty();
    if (!ends_itself && std::chrono::steady_clock::now() >= until)
      co_return still_runs(call, twin->name());
    HOST_CO_TRY(co_await wait_for(twin, call, ends_itself ? SteadyTime::max() : until));
  }
  enter_free_shelf(call, asked, claim);
  co_return std::nullopt;
}

awaitable<Result<std::optional<tool::CallResult>>> Idempotency::ask_store(tool::Call& call,
                                                                          const Sha256& arguments,
                                                                          SteadyTime until,
                                                                          Claim& claim) {
  // Another host may be frozen, so even a detached call does not wait for it without end.
  const SteadyTime elsewhere =
      std::min(until, std::chrono::steady_clock::now() + shelf_->settings.longest_wait);
  asio::steady_timer timer(shelf_->io);
  const auto wakes = call.cancel->on_cancel([&timer] { timer.cancel(); });
  for (;;) {
    store::Desk::Act<Met> ask = [key = claim.key_, arguments,
                                 task = call.passport->call](store::Store& store) -> Result<Met> {
      HOST_TRY_ASSIGN(IdempotencyMeeting meeting, store.idempotency().meet(key, arguments, task));
      return Met{std::move(meeting), store.idempotency().claims()};
    };
    claim.stored_ = true;  // from here on it may be
    auto answered = co_await shelf_->desk->ask<Met>(std::move(ask));
    if (!answered) claim.stored_ = false;  // what is given up later is the claim of a later call
    if (!answered) {
      const bool is_locked =
          answered.error().kind == ErrorKind::Unavailable && !shelf_->desk->fault().empty();
      co_return without_store(call, answered.error(), is_locked);
    }
    shelf_->claims = std::move(answered->claims);
    IdempotencyMeeting met = std::move(answered->meeting);
    claim.stored_ = met.state == State::Claimed;
    switch (met.state) {
      case State::Claimed:
        if (!shelf_->desk->fault().empty()) co_return not_kept(call, shelf_->desk->fault());
        co_return std::nullopt;
      case State::Kept:
        co_return earlier(call, std::move(met.result));
      case State::Clash:
        co_return clash(call);
      case State::Full:
        co_return no_room(call);
      case State::Waiting:
        if (std::chrono::steady_clock::now() >= until)
          co_return still_runs(call, name_of_task(met.task));
        break;
      case State::Running:
        if (std::chrono::steady_clock::now() >= elsewhere)
          co_return still_runs(call, met.task.empty() ? "another host of this store runs it"
                                                      : name_of_lost(met.task));
        break;
    }
    if (call.cancel->requested()) co_return taken_back();
    timer.expires_after(kLookEvery);
    co_await pause(timer);
    if (call.cancel->requested()) co_return taken_back();
  }
}

awaitable<Result<void>> Idempotency::wait_for(std::shared_ptr<Running> twin, tool::Call& call,
                                              SteadyTime until) {
  const auto shelf = shelf_;
  std::uint32_t& waiting = shelf->waiting[call.passport->who.principal];
  if (waiting >= shelf->settings.waiting) {
    if (shelf->settings.on_refusal) shelf->settings.on_refusal("limits.queued_per_principal");
    co_return Error{ErrorKind::Unavailable,
                    "busy: " + std::to_string(waiting) +
                        " calls of this principal wait already (limits.queued_per_principal); "
                        "retry after 1 s"};
  }
  ++waiting;
  asio::steady_timer timer(shelf->io, until);
  const auto wakes = call.cancel->on_cancel([&timer] { timer.cancel(); });
  const Waiter waiter(std::move(twin), timer);
  if (!call.cancel->requested()) co_await pause(timer);
  if (--waiting == 0) shelf->waiting.erase(call.passport->who.principal);
  if (call.cancel->requested()) co_return taken_back();
  co_return Result<void>();
}

awaitable<bool> Idempotency::keep(const tool::Call& call, tool::CallResult& result, Claim& claim) {
  if (!claim.shelf_ || !is_to_keep(call, result)) co_return false;
  store::IdempotencyStore::Ended ended{claim.key_, result};
  const auto kept = co_await shelf_->results->keep(std::move(ended));
  if (kept) {
    claim.stored_ = false;
    shelf_->running.at(claim.key_)->is_lent = false;
  } else {
    log::error("router",
               "the answer of a call with an idempotency key is not kept: it may run again",
               {{"call", call.passport->call}, {"reason", kept.error().message}});
    add_meta(result, kNotKeptMeta);
  }
  co_return kept.has_value();
}

std::string Idempotency::became_task(const std::string& principal, std::string_view call,
                                     const std::string& task) {
  for (auto at = shelf_->running.lower_bound({principal, "", ""});
       at != shelf_->running.end() && at->first.principal == principal; ++at) {
    Running& running = *at->second;
    if (running.is_held || running.call != call) continue;
    running.task = task;
    running.wake();
    return std::string(store::bytes_of(running.arguments));
  }
  return {};
}

void Idempotency::hold(const IdempotencyKey& key, std::string_view arguments,
                       const std::string& task) {
  if (shelf_->running.contains(key)) return;
  shelf_->begin(key, {store::digest_of(arguments), task, true, task, true, false, {}});
}

void Idempotency::release(const IdempotencyKey& key, std::string_view task, bool must_not_repeat) {
  const auto at = shelf_->running.find(key);
  if (at == shelf_->running.end() || at->second->task != task) return;
  Running& running = *at->second;
  if (running.is_held && must_not_repeat) return shelf_->end_as_interrupted(key, shelf_);
  if (running.is_held) return shelf_->remove(at);
  // Its call has not ended yet, and may need some time for that. Nobody gets a task that is over.
  running.task.clear();
  running.outlives = true;
}

void Idempotency::interrupted(const IdempotencyKey& key) {
  if (shelf_->desk) keep_interrupted(*shelf_->desk, key, [] {});
}

}  // namespace host::router
