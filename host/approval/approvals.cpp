#include "approval/approvals.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

#include "approval/meeting.h"
#include "base/log.h"
#include "base/process/spawn.h"
#include "identity/totp.h"

namespace host::approval {
namespace asio = boost::asio;
namespace {

using asio::awaitable;
using std::chrono::milliseconds;
using store::ApprovalRecord;
using store::ApprovalState;
using store::Desk;
using store::Store;

constexpr milliseconds kLookEvery{200};  // for decisions by other processes
constexpr milliseconds kLookIdly{1000};  // for other changes by other processes
// progress, so that the client knows that the call is alive
constexpr milliseconds kTellEvery{10000};
constexpr std::size_t kIdBytes = 12;

// A tiny progress value, because the plugin's later values must be larger: its first partial result
// has 1e-10 (plugin/answer/pending_call.cpp), which a call reaches here in 11 days.
void tell_waiting(const tool::Call& call, const ApprovalRecord& record,
                  SteadyTime::duration waited) {
  if (!call.observer || !call.observer->wants_progress()) return;
  constexpr double kSmall = 1e-16;
  const double seconds = std::chrono::duration<double>(waited).count();
  const std::string what = record.is_question ? "answer, " : "approval, ";
  call.observer->progress(kSmall * (1 + seconds), 0, "waits for a person's " + what + record.id);
}

bool is_open(const ApprovalRecord& record) {
  return record.state == ApprovalState::Pending || record.state == ApprovalState::Approved;
}

// A call of a different session, on another host, has given the code that the request needed. For
// the call that waits, the request is then as good as withdrawn.
bool is_lost(const ApprovalRecord& before, const ApprovalRecord& now, const std::string& session) {
  return before.needs_code && !now.needs_code && now.session != session;
}

void not_given_back(const std::string& what, const Error& why) {
  log::warning("approval", "the call did not run, but what it had used up stays used",
               {{"what", what}, {"reason", why.message}});
}

}  // namespace

// A waiting call. News for it end its pause.
struct Approvals::Waiter {
  Waiter(std::shared_ptr<Approvals> approvals, std::string record, std::string of_session)
      : of(std::move(approvals)),
        id(std::move(record)),
        session(std::move(of_session)),
        pause(of->io_) {
    of->waiters_.insert(this);
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() { of->waiters_.erase(this); }

  void wake() {
    has_news = true;
    pause.cancel();
  }
  // The request in the store is the same. To read it costs a transaction, and up to
  // `limits.approval_arguments_bytes`.
  void judge() {
    is_judged_again = true;
    pause.cancel();
  }
  // Waits for news. News that came while the call did something else counts, too. True: the request
  // may have changed.
  awaitable<bool> pause_until(SteadyTime time) {
    pause.expires_at(time);
    boost::system::error_code woken;
    if (!has_news && !is_judged_again)
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    const bool only_judges = std::exchange(is_judged_again, false);
    co_return std::exchange(has_news, false) || !only_judges;
  }

  const std::shared_ptr<Approvals> of;
  const std::string id;
  const std::string session;
  asio::steady_timer pause;
  bool has_news = false;
  bool is_judged_again = false;
};

class Approvals::Hold final : public tool::Receipt {
 public:
  Hold(std::shared_ptr<Approvals> approvals, std::string record, LeftRequests::Left left)
      : of_(std::move(approvals)), id_(std::move(record)), left_(std::move(left)) {}
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() override {
    if (leaves_) of_->left_.add(std::move(left_), of_->clock_.wall());
    if (holds_) of_->let_go(id_);
  }
  void release() { holds_ = false; }
  // The call ends, but the request stays open.
  void leave() { leaves_ = true; }

  awaitable<Result<void>> spend() override {
    if (spent_) co_return Result<void>();
    Desk::Act<bool> act = [id = id_](Store& store) { return store.approvals().use(id); };
    HOST_CO_TRY_ASSIGN(spent_, co_await of_->desk_->ask<bool>(std::move(act)));
    of_->changed();
    if (spent_) co_return Result<void>();
    co_return Error{ErrorKind::Denied, "approval " + id_ +
                                           " was used for another run of this call in the "
                                           "meantime, so the host refused this run. Call again"};
  }

  awaitable<void> give_back() override {
    leave();
    if (!std::exchange(spent_, false)) co_return;
    UsedUp used;
    used.ids.push_back(id_);
    co_await of_->give_back(std::move(used));
  }

 private:
  const std::shared_ptr<Approvals> of_;
  const std::string id_;
  LeftRequests::Left left_;
  bool spent_ = false;
  bool holds_ = true;
  bool leaves_ = false;
};

Approvals::Approvals(asio::any_io_executor io, const Settings& settings, const Clock& clock,
                     std::shared_ptr<store::Desk> desk)
    : io_(std::move(io)),
      settings_(settings),
      clock_(clock),
      desk_(std::move(desk)),
      look_again_(io_) {}

awaitable<Result<Approvals::Met>> Approvals::settle(tool::Call& call, ApprovalRecord fresh) {
  const auto self = shared_from_this();
  auto met = co_await meet(std::move(fresh));
  if (!met || met->record.state != ApprovalState::Pending) co_return met;
  auto settled = co_await wait(call, *std::move(met));
  co_return settled;
}

awaitable<Result<Approvals::Met>> Approvals::meet(ApprovalRecord fresh, std::string code,
                                                  identity::SharedJudgement judged) {
  fresh.id = "ap_" + random_id(kIdBytes);
  fresh.created = clock_.wall();
  fresh.expires = fresh.created + settings_.expire;
  const WallTime no_since = fresh.created - settings_.sticky;
  const std::string principal = fresh.key.principal;
  std::string session = fresh.session;
  using Found = std::optional<ApprovalRecord>;
  auto event = settings_.announce ? settings_.announce(fresh) : std::nullopt;
  Desk::Act<Found> act = [fresh = std::move(fresh), no_since, code = std::move(code),
                          judged = std::move(judged), event = std::move(event),
                          taken = taken_](Store& store) -> Result<Found> {
    std::function<Result<void>()> spend;
    if (!code.empty()) {
      spend = [&]() -> Result<void> {
        return identity::use_code(store.codes(), fresh.key.principal, code, fresh.created,
                                  judged.get());
      };
    }
    HOST_TRY_ASSIGN(Found met, meet_and_tell(store, fresh, *taken, no_since, spend, event));
    if (met && is_open(*met)) taken->insert(met->id);
    return met;
  };
  HOST_CO_TRY_ASSIGN(Found found, co_await desk_->ask<Found>(std::move(act)));
  if (!found) co_return no_room(principal);
  Met met{*std::move(found), nullptr};
  if (is_open(met.record)) {
    LeftRequests::Left left{met.record.key, std::move(session),
                            met.record.expires + settings_.expire};
    met.hold = std::make_unique<Hold>(shared_from_this(), met.record.id, std::move(left));
  }
  changed();
  co_return met;
}

Error Approvals::no_room(const std::string& principal) const {
  refused("limits.approvals_per_principal");
  return {ErrorKind::Unavailable,
          "this call needs an approval or an answer, and " +
              std::to_string(settings_.pending_per_principal) + " requests of \"" + principal +
              "\" wait for an answer already (limits.approvals_per_principal), so the host "
              "refused this call. Call again when some of them are answered or have expired"};
}

std::optional<std::string> Approvals::too_large(std::size_t bytes) const {
  if (bytes <= settings_.most_argument_bytes) return std::nullopt;
  refused("limits.approval_arguments_bytes");
  return "its arguments and context have " + std::to_string(bytes) +
         " bytes, and a reviewer is shown at most " +
         std::to_string(settings_.most_argument_bytes) +
         " (limits.approval_arguments_bytes). Call it with less.";
}

void Approvals::refused(std::string_view limit) const {
  if (settings_.on_refusal) settings_.on_refusal(limit);
}

awaitable<Result<Approvals::Met>> Approvals::wait(tool::Call& call, Met met,
                                                  StillNeeded still_needed) {
  ApprovalRecord& record = met.record;
  Waiter waiter(shared_from_this(), record.id, call.passport->who.session);
  watch_others();
  const auto on_cancel = call.cancel->on_cancel([&waiter] { waiter.pause.cancel(); });
  Cancel::Registration on_unheard;
  if (call.unheard) on_unheard = call.unheard->on_cancel([&waiter] { waiter.pause.cancel(); });
  const auto over = [&] { return stopping_ || call.cancel->requested() || tool::is_unheard(call); };
  const SteadyTime began = clock_.steady();
  const SteadyTime until = call.outlives ? SteadyTime::max() : began + settings_.wait;
  while (!over() && clock_.steady() < until) {
    bool needed = true;
    if (still_needed) needed = co_await still_needed();
    if (over()) break;
    if (needed) {
      tell_waiting(call, record, clock_.steady() - began);
      const SteadyTime expiry = clock_.steady() + (record.expires - clock_.wall());
      const SteadyTime next = std::min({until, expiry, clock_.steady() + kTellEvery});
      const bool may_be_decided = co_await waiter.pause_until(next);
      if (over()) break;
      if (!may_be_decided) continue;
    } else {
      HOST_CO_TRY(co_await withdraw(record.id));
    }
    HOST_CO_TRY_ASSIGN(ApprovalRecord now, co_await look(record.id));
    if (is_lost(record, now, waiter.session)) now.state = ApprovalState::Withdrawn;
    record = std::move(now);
    if (record.state != ApprovalState::Pending) {
      changed();
      // By this call, by an identical one of another process that a rule lets run, or is_lost().
      met.is_needless = still_needed && record.state == ApprovalState::Withdrawn;
      if (record.state != ApprovalState::Approved) met.hold.reset();
      co_return met;
    }
  }
  auto& hold = dynamic_cast<Hold&>(*met.hold);
  const bool stays = stopping_ || !call.cancel->requested();
  if (stays) hold.leave();
  if (tool::is_unheard(call) && !call.cancel->requested()) {
    hold.release();  // leave_to_twin() does it, and a twin may take it
    met.hold.reset();
    HOST_CO_TRY(co_await leave_to_twin(record.id));
    co_return met;
  }
  if (stays) co_return met;
  HOST_CO_TRY(co_await withdraw(record.id));
  co_return Error{ErrorKind::Cancelled, "the call was cancelled while it waited for approval"};
}

awaitable<Result<ApprovalRecord>> Approvals::look(std::string id) {
  Desk::Act<ApprovalRecord> act = [id = std::move(id)](Store& store) -> Result<ApprovalRecord> {
    HOST_TRY_ASSIGN(auto found, store.approvals().look(id));
    if (found) return *std::move(found);
    return Error{ErrorKind::Io, "the question \"" + id + "\" is gone from the store"};
  };
  auto found = co_await desk_->ask<ApprovalRecord>(std::move(act));
  co_return found;
}

void Approvals::judge_again() {
  for (Waiter* const waiter : waiters_) waiter->judge();
}

void Approvals::judge_session_again(std::string_view session) {
  for (Waiter* const waiter : waiters_) {
    if (waiter->session == session) waiter->judge();
  }
}

awaitable<Result<std::vector<ApprovalRecord>>> Approvals::list(bool pending_only,
                                                               std::uint32_t limit,
                                                               std::string after) {
  Desk::Act<std::vector<ApprovalRecord>> act = [=](Store& store) {
    return store.approvals().list(pending_only, limit, after);
  };
  auto records = co_await desk_->ask<std::vector<ApprovalRecord>>(std::move(act));
  co_return records;
}

awaitable<Result<ApprovalRecord>> Approvals::find(std::string id) {
  Desk::Act<ApprovalRecord> act = [id = std::move(id)](Store& store) {
    return store.approvals().find(id);
  };
  auto record = co_await desk_->ask<ApprovalRecord>(std::move(act));
  co_return record;
}

awaitable<Result<Decided>> Approvals::decide(std::string id, store::ApprovalDecision decision,
                                             std::string code, identity::SharedJudgement judged) {
  decision.good_for = settings_.expire;
  Desk::Act<Decided> act = [id = std::move(id), decision = std::move(decision),
                            code = std::move(code), judged = std::move(judged),
                            now = clock_.wall()](Store& store) {
    return approval::decide(store.approvals(), store.codes(), id, decision, code, now,
                            judged.get());
  };
  auto decided = co_await desk_->ask<Decided>(std::move(act));
  if (decided && decided->by_this) {
    wake(decided->record.id);
    changed();
  }
  co_return decided;
}

awaitable<Result<Approvals::UsedUp>> Approvals::use_up(store::ApprovalKey key) {
  UsedUp used;
  used.left = left_.take(key);  // a call that waits meanwhile can leave its request again
  Desk::Act<store::UsedUp> act = [key = std::move(key), taken = taken_](Store& store) {
    return store.approvals().use_up(key, *taken);
  };
  auto up = co_await desk_->ask<store::UsedUp>(std::move(act));
  if (!up) {
    left_.put_back(std::move(used.left));
    co_return up.error();
  }
  used.ids = std::move(up->used);
  if (!used.ids.empty() || up->withdrew) changed();
  co_return used;
}

awaitable<void> Approvals::give_back(UsedUp used) {
  if (used.ids.empty()) co_return;
  left_.put_back(std::move(used.left));
  Desk::Act<bool> act = [ids = used.ids](Store& store) -> Result<bool> {
    for (const std::string& id : ids) HOST_TRY(store.approvals().give_back(id));
    return true;
  };
  const auto given = co_await desk_->ask<bool>(std::move(act));
  if (!given) not_given_back("approval " + used.ids.front(), given.error());
  changed();
}

awaitable<void> Approvals::give_code_back(std::string principal, identity::UsedCode used) {
  Desk::Act<bool> act = [principal, used = std::move(used)](Store& store) -> Result<bool> {
    HOST_TRY(identity::give_code_back(store.codes(), principal, used));
    return true;
  };
  const auto given = co_await desk_->ask<bool>(std::move(act));
  if (!given) not_given_back("the one-time code of \"" + principal + "\"", given.error());
}

awaitable<Result<void>> Approvals::use_code(std::string principal, std::string code,
                                            identity::SharedJudgement judged) {
  Desk::Act<bool> act = [principal = std::move(principal), code = std::move(code),
                         judged = std::move(judged),
                         now = clock_.wall()](Store& store) -> Result<bool> {
    HOST_TRY(identity::use_code(store.codes(), principal, code, now, judged.get()));
    return true;
  };
  HOST_CO_TRY(co_await desk_->ask<bool>(std::move(act)));
  co_return Result<void>();
}

awaitable<Result<bool>> Approvals::has_codes(std::string principal) {
  Desk::Act<bool> act = [principal = std::move(principal)](Store& store) -> Result<bool> {
    HOST_TRY_ASSIGN(const auto record, store.codes().find(principal));
    return record && record->confirmed;
  };
  auto found = co_await desk_->ask<bool>(std::move(act));
  co_return found;
}

awaitable<Result<std::vector<store::RuleRecord>>> Approvals::rules() {
  Desk::Act<std::vector<store::RuleRecord>> act = [](Store& store) { return store.rules().list(); };
  auto rules = co_await desk_->ask<std::vector<store::RuleRecord>>(std::move(act));
  if (!rules) rules_are_unread_ = true;
  co_return rules;
}

awaitable<Result<store::RuleRecord>> Approvals::remove_rule(std::string id) {
  Desk::Act<store::RuleRecord> act = [id = std::move(id)](Store& store) {
    return store.rules().remove(id);
  };
  auto removed = co_await desk_->ask<store::RuleRecord>(std::move(act));
  if (removed) changed();
  co_return removed;
}

Approvals::Follower Approvals::follow(std::function<void()> on_change) {
  auto follower = std::make_shared<const std::function<void()>>(std::move(on_change));
  followers_.push_back(follower);
  watch_others();
  return follower;
}

bool Approvals::is_followed() {
  std::erase_if(followers_, [](const auto& one) { return one.expired(); });
  return !followers_.empty();
}

void Approvals::changed() {
  if (!is_followed()) return;
  const auto told = followers_;
  for (const auto& one : told) {
    if (const Follower follower = one.lock()) (*follower)();
  }
}

void Approvals::end_waits() {
  stopping_ = true;
  look_again_.cancel();
  judge_again();
}

awaitable<Result<void>> Approvals::withdraw(std::string id) {
  Desk::Act<bool> act = [id](Store& store) { return store.approvals().withdraw(id); };
  const auto withdrawn = co_await desk_->ask<bool>(std::move(act));
  wake(id);
  changed();
  if (!withdrawn) co_return withdrawn.error();
  co_return Result<void>();
}

// The same call may have arrived again before it was noticed that this call's client has gone. Then
// one request is enough. This is one transaction, so that no such call can make a further request
// in between.
awaitable<Result<void>> Approvals::leave_to_twin(std::string id) {
  Desk::Act<bool> act = [id, taken = taken_](Store& store) {
    taken->erase(id);
    return store.approvals().withdraw_if_twin(id);
  };
  const auto left = co_await desk_->ask<bool>(std::move(act));
  if (!left) co_return left.error();
  if (*left) changed();
  co_return Result<void>();
}

void Approvals::wake(const std::string& id) {
  for (Waiter* const waiter : waiters_) {
    if (waiter->id == id) waiter->wake();
  }
}

void Approvals::let_go(const std::string& id) {
  desk_->tell([taken = taken_, id](Store&) { taken->erase(id); });
}

void Approvals::watch_others() {
  if (watching_) {
    look_again_.cancel();  // a call waits now
    return;
  }
  watching_ = true;
  spawn(io_, {"approval", "looks for answers of others"}, watch(),
        [self = weak_from_this()](const Result<void>& ended) {
          const auto alive = self.lock();
          if (!alive || ended) return;
          alive->watching_ = false;
          if (!alive->stopping_ && !alive->waiters_.empty()) alive->watch_others();  // pauses first
        });
}

// Runs while a call waits or a follower exists. A store that was never opened is not opened for
// this.
awaitable<void> Approvals::watch() {
  const auto self = shared_from_this();
  while (!stopping_ && (!waiters_.empty() || is_followed())) {
    look_again_.expires_after(waiters_.empty() ? kLookIdly : kLookEvery);
    boost::system::error_code ignored;
    co_await look_again_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (stopping_) break;
    if (!desk_->used()) continue;
    Desk::Act<bool> look = [](Store& store) { return store.approvals().changed_by_others(); };
    const auto written = co_await desk_->ask<bool>(std::move(look));
    if (written && !*written && !rules_are_unread_) continue;
    for (Waiter* const waiter : waiters_) waiter->wake();  // a store that fails: they tell
    if (!written) continue;
    rules_are_unread_ = false;
    changed();
  }
  watching_ = false;
}

}  // namespace host::approval
