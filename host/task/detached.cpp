#include "task/detached.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/log.h"
#include "base/spawn.h"
#include "json/json.h"
#include "task/outcome.h"
#include "tool/outcome.h"
#include "tool/passport.h"
#include "tool/recorder.h"

namespace host::task {
namespace {

using boost::asio::awaitable;
using std::chrono::milliseconds;
using tool::Record;
using tool::RecordState;

constexpr std::string_view kByHost = "host";
constexpr milliseconds kFirstPause{250};
constexpr milliseconds kLongestPause{15'000};

constexpr const char* kUnknownEffect =
    "The host was started again while this call ran. Whether it had its effect is unknown: find "
    "out before you call again.";

tool::PassportPtr passport_of(const Record& record) {
  auto passport = std::make_shared<tool::Passport>();
  passport->call = record.id;
  passport->who = {record.principal, record.agent, record.session};
  passport->connection = record.session;
  return passport;
}

void report_lost(const Record& record, const Error& why) {
  log::warning("task", "a change of a detached call is lost",
               {{"call", record.id}, {"reason", why.message}});
}

}  // namespace

// The call of one record, from its start to its end.
class Detached::Running final : public tool::Recorder {
 public:
  Running(Detached& detached, const Record& record, bool in_lane, bool passed)
      : pause(detached.parts_.executor),
        is_in_lane(in_lane),
        detached_(detached),
        id_(record.id),
        principal_(record.principal),
        passed_gates_(passed) {}

  const std::string& id() const { return id_; }
  const std::string& principal() const { return principal_; }

  void waits(std::string_view reason) override {
    const RecordPtr now = records().find(id_);
    const bool may = now && !now->is_over() && now->executes == tool::Executes::Host;
    if (!may || (now->state == RecordState::Pending && now->reason == reason)) return;
    Record next = *now;
    next.state = RecordState::Pending;
    next.reason = reason;
    if (const auto done = records().change(std::move(next), kByHost); !done)
      report_lost(*now, done.error());
    if (!reason.empty()) detached_.leave_lane(*this, principal_);
  }

  awaitable<bool> waits_for_room() override {
    if (detached_.stopping_ || cancel->requested()) co_return false;
    pause.expires_after(next_pause_);
    next_pause_ = std::min(2 * next_pause_, kLongestPause);
    co_await pause.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    co_return !detached_.stopping_ && !cancel->requested();
  }

  awaitable<Result<void>> begins(const tool::Call& call) override {
    const RecordPtr now = records().find(id_);
    if (!now || now->is_over()) co_return Error{ErrorKind::Cancelled, "the call was cancelled"};
    if (now->state == RecordState::Pending) {
      Record next = *now;
      next.state = RecordState::Processing;
      next.reason.clear();
      HOST_CO_TRY(records().change(std::move(next), kByHost));
    }
    deadline = call.deadline;
    auto kept = co_await records().kept(id_);
    co_return kept;
  }

  bool passed_gates() const override { return passed_gates_; }

  const std::shared_ptr<Cancel> cancel = std::make_shared<Cancel>();
  boost::asio::steady_timer pause;
  SteadyTime deadline{};  // of the run; {}: it does not run
  bool is_in_lane;

 private:
  Records& records() const { return detached_.parts_.records; }

  Detached& detached_;
  const std::string id_;
  const std::string principal_;
  const bool passed_gates_;
  milliseconds next_pause_ = kFirstPause;
};

Detached::Detached(Parts parts, Settings settings)
    : parts_(std::move(parts)), settings_(settings), look_(parts_.executor) {
  parts_.records.on_change([this, alive = std::weak_ptr<bool>(alive_)](const RecordPtr& record) {
    if (!alive.expired()) changed(record);
  });
}

Detached::~Detached() = default;

void Detached::changed(const RecordPtr& record) {
  const auto at = running_.find(record->id);
  const RunningPtr running = at == running_.end() ? nullptr : at->second;
  if (!record->is_over()) {
    if (running && record->executes == tool::Executes::Caller)
      leave_lane(*running, running->principal());
    return look_later();
  }
  const auto [first, last] = waiters_.equal_range(record->id);
  for (auto waiter = first; waiter != last; ++waiter) waiter->second->cancel();
  // Its client can also cancel it as an MCP task.
  if (!running || record->code != tool::kCancelled) return;
  running->cancel->request();
  running->pause.cancel();
}

awaitable<Result<RecordPtr>> Detached::create(New made) {
  if (!parts_.records.is_stored()) {
    co_return Error{ErrorKind::Unavailable,
                    "detached calls need a store, and this host has none (store.file is empty)"};
  }
  if (stopping_) {
    co_return Error{ErrorKind::Unavailable,
                    "this host is stopping: call again when it has started again"};
  }
  HOST_CO_TRY(parts_.room.make(made.who.principal, made.arguments.size()));
  Record record;
  record.id = "r_" + random_id();
  record.session = made.who.session;
  record.principal = made.who.principal;
  record.agent = made.who.agent;
  record.tool = std::move(made.tool);
  record.arguments = std::move(made.arguments);
  record.definition = std::move(made.definition);
  record.tool_use_id = std::move(made.tool_use_id);
  record.idempotency_key = std::move(made.idempotency_key);
  record.made_by = tool::MadeBy::Detached;
  RecordPtr added = parts_.records.add(std::move(record), made.by);
  const auto kept = co_await parts_.records.kept(added->id);
  if (!kept) {
    parts_.records.remove({added->id});
    co_return Error{
        ErrorKind::Unavailable,
        "the call was not accepted, because it cannot be stored: " + kept.error().message};
  }
  // It may have been cancelled meanwhile, or its session has ended.
  if (const RecordPtr now = parts_.records.find(added->id); now && !now->is_over()) start(now);
  co_return added;
}

RecordPtr Detached::earlier(std::string_view principal, std::string_view tool,
                            std::string_view key) const {
  for (const RecordPtr& record : parts_.records.of(principal)) {
    if (record->idempotency_key == key && record->tool == tool &&
        record->made_by == tool::MadeBy::Detached) {
      return record;
    }
  }
  return nullptr;
}

void Detached::start(const RecordPtr& record) {
  Lane& lane = lanes_[record->principal];
  if (lane.running >= settings_.running) return lane.waiting.push_back(record->id);
  ++lane.running;
  launch(record, true);
}

void Detached::launch(const RecordPtr& record, bool in_lane) {
  const bool passed = record->executes == tool::Executes::Caller;
  const auto running = std::make_shared<Running>(*this, *record, in_lane, passed);
  running_.insert_or_assign(record->id, running);
  spawn(parts_.executor, {"task", "runs a detached call"}, run(running),
        [this, alive = std::weak_ptr<bool>(alive_), running](const Result<void>& done) {
          if (alive.expired()) return;
          running_.erase(running->id());
          leave_lane(*running, running->principal());
          const RecordPtr now = parts_.records.find(running->id());
          if (done || !now || now->is_over()) return;
          static_cast<void>(parts_.records.change(
              ended_with_words(*now, "internal", done.error().message, parts_.leases.end_of_keep()),
              kByHost));
        });
}

// The next calls of this principal may start. Later, because a call starts inline and may leave its
// lane at once: for an approval.
void Detached::leave_lane(Running& running, const std::string& principal) {
  if (!std::exchange(running.is_in_lane, false)) return;
  const auto at = lanes_.find(principal);
  if (at == lanes_.end()) return;
  Lane& lane = at->second;
  --lane.running;
  if (lane.running == 0 && lane.waiting.empty()) {
    lanes_.erase(at);
    return;
  }
  if (lane.waiting.empty() || std::exchange(lane.starts, true)) return;
  boost::asio::post(parts_.executor,
                    [this, principal = principal, alive = std::weak_ptr<bool>(alive_)] {
                      if (!alive.expired()) start_waiting(principal);
                    });
}

void Detached::start_waiting(const std::string& principal) {
  if (const auto at = lanes_.find(principal); at != lanes_.end()) at->second.starts = false;
  while (!stopping_) {
    const auto at = lanes_.find(principal);  // anew: the call that started may have changed it
    if (at == lanes_.end() || at->second.running >= settings_.running) return;
    Lane& lane = at->second;
    if (lane.waiting.empty()) {
      if (lane.running == 0) lanes_.erase(at);
      return;
    }
    const std::string id = std::move(lane.waiting.front());
    lane.waiting.pop_front();
    const RecordPtr record = parts_.records.find(id);
    if (!record || record->is_over()) continue;
    ++lane.running;
    launch(record, true);
  }
}

awaitable<void> Detached::run(RunningPtr running) {
  for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const RecordPtr record = parts_.records.find(running->id());
    if (!record || record->is_over()) co_return;
    tool::Call call;
    call.passport = passport_of(*record);
    call.name = record->tool;
    call.idempotency_key = record->idempotency_key;
    call.cancel = running->cancel;
    call.recorder = running.get();
    call.outlives = true;
    auto arguments = json::parse(record->arguments);
    if (arguments) call.arguments = *std::move(arguments);
    Result<tool::CallResult> result = Error{ErrorKind::Internal, "the arguments are not valid"};
    if (arguments) result = co_await parts_.run(call);
    running->deadline = {};
    if (!is_to_repeat(*running, call, result)) {
      end(*running, call, result);
      co_return;
    }
    running->pause.expires_after(pause);
    co_await running->pause.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    if (stopping_) co_return;
  }
}

// The call did not begin, because a queue or a limit of the host was full.
bool Detached::is_to_repeat(const Running& running, const tool::Call& call,
                            const Result<tool::CallResult>& result) const {
  const RecordPtr record = parts_.records.find(running.id());
  if (stopping_ || !record || record->state != RecordState::Pending ||
      record->executes == tool::Executes::Caller)
    return false;
  if (!result) return result.error().kind == ErrorKind::Unavailable;
  return call.outcome == "pending" || call.outcome == "busy";
}

bool Detached::is_left_for_next_host(const Record& record, const tool::Call& call) const {
  if (!stopping_) return false;
  if (record.executes == tool::Executes::Caller) return true;
  const bool by_stop = call.outcome == "ended_by_stop" || call.outcome == "refused_by_stop" ||
                       call.outcome == "pending" || call.outcome == "busy";
  return by_stop && record.state == RecordState::Pending;
}

void Detached::end(const Running& running, const tool::Call& call,
                   const Result<tool::CallResult>& result) {
  const RecordPtr record = parts_.records.find(running.id());
  if (!record || record->is_over() || is_left_for_next_host(*record, call)) return;
  const WallTime expires = parts_.leases.end_of_keep();
  Record next;
  if (!result) {
    next =
        ended_with_words(*record, to_string(result.error().kind), result.error().message, expires);
  } else if (result->round || !result->lacking.empty()) {
    next = ended_with_words(
        *record, tool::kToolError,
        "The tool has a question for its client, and a detached call has no client to ask.",
        expires);
  } else {
    const bool interrupted = call.outcome == "ended_by_stop";
    const std::string_view code = interrupted        ? tool::kInterrupted
                                  : result->is_error ? outcome_of(call, result)
                                                     : std::string_view();
    std::string text = text_of(*result);
    const auto room = parts_.room.make(record->principal, text.size(), Room::Adds::Bytes);
    next = room ? ended(*record, code, std::move(text), expires)
                : ended_with_words(
                      *record, "result_too_large",
                      "The call has ended, but its result cannot be kept: " + room.error().message,
                      expires);
  }
  if (parts_.flush_audit) parts_.flush_audit();
  if (const auto done = parts_.records.change(std::move(next), kByHost); !done)
    report_lost(*record, done.error());
}

void Detached::cancel(const RecordPtr& record, std::string_view code, std::string_view by) {
  if (record->is_over()) return;
  const auto done = parts_.records.change(
      ended_with_words(*record, code, "The call was cancelled.", parts_.leases.end_of_keep()), by);
  if (!done) report_lost(*record, done.error());
  const auto running = running_.find(record->id);
  if (running == running_.end()) return;
  const RunningPtr kept = running->second;
  kept->cancel->request();
  kept->pause.cancel();
}

void Detached::end_session(std::string_view session) {
  for (const RecordPtr& record : parts_.records.open()) {
    if (record->made_by != tool::MadeBy::TaskClient && record->session == session)
      cancel(record, tool::kSessionEnded, kByHost);
  }
}

void Detached::end_of(const Who& whose) {
  for (const RecordPtr& record : parts_.records.open()) {
    if (record->made_by == tool::MadeBy::Detached && record->state == RecordState::Pending &&
        whose(record->principal, record->agent))
      cancel(record, "ended_by_credential", kByHost);
  }
}

awaitable<void> Detached::wait_for_end(std::string id, milliseconds most) {
  const RecordPtr record = parts_.records.find(id);
  if (!record || record->is_over() || most.count() == 0 || stopping_) co_return;
  boost::asio::steady_timer timer(parts_.executor, most);
  waiters_.emplace(id, &timer);
  co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  const auto [first, last] = waiters_.equal_range(id);
  waiters_.erase(std::find_if(first, last, [&](const auto& one) { return one.second == &timer; }));
}

void Detached::take_over() {
  for (const RecordPtr& record : parts_.records.open()) {
    if (record->made_by != tool::MadeBy::Detached) continue;
    if (record->executes == tool::Executes::Caller) {
      // Without its tool, the record still takes heartbeats and a response.
      const auto tool = parts_.find_tool(*record);
      if (tool && tool->digest() == record->definition) launch(record, false);
    } else if (record->state == RecordState::Pending) {
      start(record);
    } else {
      const auto done =
          parts_.records.change(ended_with_words(*record, tool::kInterrupted, kUnknownEffect,
                                                 parts_.leases.end_of_keep()),
                                kByHost);
      if (!done) report_lost(*record, done.error());
    }
  }
  look_later();
}

// The host's own heartbeats. A worker that does not answer PING is killed and its calls end with
// it, and a call past its deadline gets no more heartbeats.
void Detached::look() {
  const SteadyTime now = parts_.clock.steady();
  for (const auto& [id, running] : running_) {
    if (running->deadline != SteadyTime{} && now < running->deadline)
      parts_.records.beat(id, std::nullopt);
  }
  parts_.leases.sweep();
  if (now - stored_at_ < settings_.store_every) return;
  stored_at_ = now;
  parts_.records.flush_beats();
  parts_.records.write_again();
  for (const RecordPtr& record : parts_.records.open()) {
    if (!record->session.empty() && parts_.touch) parts_.touch(record->session);
  }
}

void Detached::look_later() {
  if (stopping_ || std::exchange(looking_, true)) return;
  look_.expires_after(settings_.look_every);
  look_.async_wait([this, alive = std::weak_ptr<bool>(alive_)](boost::system::error_code error) {
    if (error || alive.expired()) return;
    look();
    looking_ = false;
    if (!parts_.records.open().empty() || parts_.records.has_failed()) look_later();
  });
}

void Detached::end_waits() {
  stopping_ = true;
  look_.cancel();
  for (const auto& [id, timer] : waiters_) timer->cancel();
  for (const auto& [id, running] : running_) running->pause.cancel();
}

void Detached::stop() {
  end_waits();
  parts_.records.flush_beats();
  std::vector<RunningPtr> left;  // a cancellation may end its call at once
  for (const auto& [id, running] : running_) left.push_back(running);
  for (const RunningPtr& running : left) running->cancel->request(Cancel::By::Stop);
}

}  // namespace host::task
