#include "task/detached.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/log.h"
#include "base/process/spawn.h"
#include "json/json.h"
#include "json/own_text.h"
#include "task/outcome.h"
#include "tool/call/end_words.h"

namespace host::task {
namespace {

using boost::asio::awaitable;
using std::chrono::milliseconds;
using tool::Record;
using tool::RecordState;

constexpr std::string_view kEndedByCredential = "ended_by_credential";
constexpr std::string_view kEndedByOperator = "ended_by_operator";
constexpr const char* kUnknownEffect =
    "The host was started again while this call ran. Whether it had its effect is unknown: find "
    "out before you call again.";

constexpr const char* kNotReadable = "the stored arguments or context are not valid";

constexpr const char* kUnknownFollowUps =
    "The host was started again while the post_ tools of this call ran. Whether they had their "
    "effect is unknown.";

std::string words_of_end(tool::EndedBy by, const Record& record) {
  const bool may_have_begun = record.state == RecordState::Processing || record.asked > 0;
  return tool::end_words(by, record.tool, may_have_begun);
}

bool has_passed(const boost::asio::steady_timer& timer) {
  return timer.expiry() <= std::chrono::steady_clock::now();
}

}  // namespace

Detached::Detached(Parts parts, Settings settings)
    : parts_(std::move(parts)),
      settings_(settings),
      lanes_(parts_.executor, settings.running,
             [this](const std::string& id) { return start_now(id); }),
      look_(parts_.executor) {
  parts_.records.on_change([this, alive = std::weak_ptr<bool>(alive_)](const RecordPtr& record) {
    if (!alive.expired()) changed(record);
  });
  parts_.records.on_gone([this, alive = std::weak_ptr<bool>(alive_)](const RecordPtr& record) {
    if (!alive.expired()) wake(record->id);
  });
  parts_.records.on_failure([this, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) look_later();
  });
  parts_.leases.end_by([this, alive = std::weak_ptr<bool>(alive_)](const RecordPtr& record,
                                                                   std::string_view code,
                                                                   const std::string& words) {
    if (!alive.expired()) end_with(record, code, words, kByHost);
  });
}

Detached::~Detached() = default;

void Detached::wake(const std::string& id) {
  const auto [first, last] = waiters_.equal_range(id);
  for (auto waiter = first; waiter != last; ++waiter) waiter->second->cancel();
}

void Detached::changed(const RecordPtr& record) {
  const auto at = running_.find(record->id);
  const RunningPtr running = at == running_.end() ? nullptr : at->second;
  wake(record->id);
  if (!record->is_over()) {
    if (running && record->executes == tool::Executes::Caller) leave_lane(*running);
    return look_later();
  }
  if (!running) lanes_.forget(record->principal, record->id);
  // Its client can also cancel it as an MCP task.
  if (!running || record->code != tool::kCancelled) return;
  stop_running(record->id);
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
  HOST_CO_TRY(parts_.room.make(made.who.principal, made.arguments.size() + made.context.size()));
  Record record;
  record.id = "r_" + random_id();
  record.session = made.who.session;
  record.principal = made.who.principal;
  record.agent = made.who.agent;
  record.tool = std::move(made.tool);
  record.arguments = std::move(made.arguments);
  record.context = std::move(made.context);
  record.definition = std::move(made.definition);
  record.tool_use_id = std::move(made.tool_use_id);
  record.idempotency_key = std::move(made.idempotency_key);
  record.key_tool = std::move(made.key_tool);
  record.webhooks = std::move(made.webhooks);
  record.made_by = tool::MadeBy::Detached;
  RecordPtr made_record = parts_.records.add(std::move(record), made.by);
  // The pipeline begins while the record is written. If nothing holds the call up, the begin of its
  // run is part of the same commit.
  start(made_record);
  const auto added = co_await parts_.records.added(made_record->id);
  const bool is_gone = !added && added.error().kind == ErrorKind::Cancelled;  // others needed room
  if (added || is_gone) co_return made_record;
  if (!parts_.records.withdraw(made_record->id)) co_return made_record;
  stop_running(made_record->id);
  co_return Error{
      ErrorKind::Unavailable,
      "the call was not accepted, because it cannot be stored: " + added.error().message};
}

void Detached::stop_running(const std::string& id) {
  const auto at = running_.find(id);
  if (at == running_.end()) return;
  const RunningPtr running = at->second;  // a cancellation may end its call at once
  const RecordPtr record = parts_.records.find(id);
  running->cancel(Cancel::By::Asker, record ? std::string_view(record->code) : "");
}

RecordPtr Detached::earlier(std::string_view principal, std::string_view key_tool,
                            std::string_view key) const {
  for (const RecordPtr& record : parts_.records.of(principal)) {
    if (record->idempotency_key == key && record->key_tool == key_tool &&
        record->made_by == tool::MadeBy::Detached && has_its_key(*record)) {
      if (record->is_over() && has_lost_its_session(*record)) continue;  // nobody can read it
      return record;
    }
  }
  return nullptr;
}

void Detached::start(const RecordPtr& record) {
  if (lanes_.enter(record->principal, record->id)) launch(record, true);
}

bool Detached::start_now(const std::string& id) {
  const RecordPtr record = parts_.records.find(id);
  if (!record || record->is_over()) return false;
  launch(record, true);
  return true;
}

void Detached::launch(const RecordPtr& record, bool in_lane) {
  const auto running = std::make_shared<DetachedCall>(
      parts_.executor, parts_.records, *record, [this](DetachedCall& call) { leave_lane(call); });
  running->is_in_lane = in_lane;
  running_.insert_or_assign(record->id, running);
  spawn(parts_.executor, {"task", "runs a detached call"},
        running->was_executed() ? run_rest(running) : run(running),
        [this, alive = std::weak_ptr<bool>(alive_), running](const Result<void>& done) {
          if (alive.expired()) return;
          running_.erase(running->id());
          leave_lane(*running);
          const RecordPtr now = parts_.records.find(running->id());
          if (done || !now || now->is_over()) return;
          static_cast<void>(parts_.records.change(
              ended_with_words(*now, "internal", done.error().message, parts_.leases.end_of_keep()),
              kByHost));
        });
}

void Detached::leave_lane(DetachedCall& running) {
  if (std::exchange(running.is_in_lane, false)) lanes_.leave(running.principal());
}

awaitable<void> Detached::run(RunningPtr running) {
  for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const RecordPtr record = parts_.records.find(running->id());
    if (!record || record->is_over()) co_return;
    tool::Call call = running->make(*record);
    call.idempotency_key = record->idempotency_key;
    auto arguments = json::parse_own(record->arguments);
    if (arguments) call.arguments = *std::move(arguments);
    const bool can_run = arguments && has_its_context(*record, call);
    Result<tool::CallResult> result = Error{ErrorKind::Internal, kNotReadable};
    running->runs(call);
    if (can_run) result = co_await parts_.run(call);
    running->has_run();
    if (!is_to_repeat(*running, call, result)) {
      end(running->id(), call, result);
      co_return;
    }
    const bool goes_on = co_await running->pause(pause);
    if (!goes_on) co_return;
  }
}

// What follows the run of a call that a caller has executed.
awaitable<void> Detached::run_rest(RunningPtr running) {
  const RecordPtr record = parts_.records.find(running->id());
  if (!record || record->is_over()) co_return;
  tool::Call call = running->make(*record);
  const auto tool = parts_.find_tool(*record);
  auto arguments = json::parse_own(record->arguments);
  Result<tool::CallResult> result = Error{ErrorKind::Internal, kNotReadable};
  if (arguments && has_its_context(*record, call) && tool && tool->digest() == record->definition) {
    call.arguments = *std::move(arguments);
    result = co_await parts_.run(call);
  }
  if (stopping_ && !call.ran) co_return;  // the next host goes on with it
  if (!call.ran) result = without_pipeline(*record, call);
  end(running->id(), call, result);
}

// The tool is gone or has changed since, so the call cannot pass the rest of the pipeline.
tool::CallResult Detached::without_pipeline(const Record& record, tool::Call& call) const {
  call.outcome.clear();
  if (!parts_.has_interceptors) return result_in(record.response.result);
  call.outcome = "result_withheld";
  return tool::CallResult::error(
      "\"" + record.tool +
      "\" was executed, but its result is withheld: the tool has changed or is gone, or an "
      "interceptor of this host failed, so nobody can check the result. Do not call again unless "
      "the tool may run twice.");
}

void Detached::finish(const RecordPtr& record) {
  if (stopping_ || running_.contains(record->id)) return;
  launch(record, false);
}

// The call did not begin, because a queue or a limit of the host was full, or because the store
// failed.
bool Detached::is_to_repeat(const DetachedCall& running, const tool::Call& call,
                            const Result<tool::CallResult>& result) const {
  const RecordPtr record = parts_.records.find(running.id());
  if (stopping_ || !record || record->state != RecordState::Pending ||
      record->executes == tool::Executes::Caller)
    return false;
  if (!result) {
    return result.error().kind == ErrorKind::Unavailable || result.error().kind == ErrorKind::Io;
  }
  return call.outcome == "pending" || call.outcome == "busy";
}

bool Detached::is_left_for_next_host(const Record& record, const tool::Call& call) const {
  if (!stopping_) return false;
  if (record.executes == tool::Executes::Caller) return !call.ran || !record.is_answered();
  const bool by_stop = call.outcome == "ended_by_stop" || call.outcome == "refused_by_stop" ||
                       call.outcome == "pending" || call.outcome == "busy";
  return by_stop && record.state == RecordState::Pending;
}

void Detached::end(const std::string& id, const tool::Call& call,
                   const Result<tool::CallResult>& result) {
  const RecordPtr record = parts_.records.find(id);
  if (!record || record->is_over() || is_left_for_next_host(*record, call)) return;
  Record next = ended_by_pipeline(*record, call, result, parts_.room, parts_.leases.end_of_keep());
  if (parts_.flush_audit) parts_.flush_audit();
  if (next.code == tool::kInterrupted) keep_key_of(next);
  const std::string by = record->response.by.empty() ? std::string(kByHost) : record->response.by;
  change(std::move(next), by);
}

void Detached::cancel(const RecordPtr& record, std::string_view code, std::string_view by) {
  end_with(record, code, "The call was cancelled.", by);
}

void Detached::end_with(const RecordPtr& record, std::string_view code, std::string_view words,
                        std::string_view by) {
  if (record->is_over()) return;
  Record next = ended_with_words(*record, code, words, parts_.leases.end_of_keep());
  const bool is_watched = ends_by_its_call(*record) || running_.contains(record->id) ||
                          (parts_.has_call && parts_.has_call(record->id));
  if (!is_watched) return end_unwatched(std::move(next), by);
  change(std::move(next), by);
  stop_running(record->id);
}

// A task ends with its call. A task that asked its client before the host was started has no call
// until its client answers.
bool Detached::ends_by_its_call(const Record& record) const {
  if (record.made_by != tool::MadeBy::TaskClient) return false;
  return record.questions.empty() || (parts_.has_task_call && parts_.has_task_call(record.id));
}

// Also the tasks that have a call: their client reads what became of them only in the task.
void Detached::end_session(std::string_view session) {
  for (const RecordPtr& record : parts_.records.open_in(session)) {
    end_with_its_session(record);
  }
}

void Detached::end_with_its_session(const RecordPtr& record) {
  end_with(record, tool::kSessionEnded, words_of_end(tool::EndedBy::Session, *record), kByHost);
}

void Detached::end_with_its_credential(const RecordPtr& record) {
  end_with(record, kEndedByCredential, words_of_end(tool::EndedBy::Credential, *record), kByHost);
}

void Detached::end_by_operator(const RecordPtr& record, std::string_view by) {
  end_with(record, kEndedByOperator, words_of_end(tool::EndedBy::Operator, *record), by);
}

std::vector<RecordPtr> Detached::tasks_without_call() const {
  std::vector<RecordPtr> waiting = parts_.records.open();
  std::erase_if(waiting, [this](const RecordPtr& record) {
    return record->made_by != tool::MadeBy::TaskClient || ends_by_its_call(*record);
  });
  sort_by_age(waiting);
  return waiting;
}

void Detached::end_of_tools(std::string_view session,
                            const std::set<std::string, std::less<>>& removed) {
  for (const RecordPtr& record : parts_.records.open_in(session)) {
    const bool is_tasks_own =
        record->made_by == tool::MadeBy::TaskClient && record->executes == tool::Executes::Host;
    if (record->state != RecordState::Pending || is_tasks_own || !removed.contains(record->tool))
      continue;
    end_with(record, tool::kToolRemoved,
             "The session's client has removed \"" + record->tool +
                 "\", so nobody executes this call. It did not run.",
             kByHost);
  }
}

void Detached::end_of(const Who& whose) {
  for (const RecordPtr& record : parts_.records.open()) {
    if (!ends_by_its_call(*record) && record->state == RecordState::Pending &&
        whose(record->principal, record->agent))
      end_with_its_credential(record);
  }
}

awaitable<void> Detached::wait_until(std::string id, std::optional<milliseconds> most,
                                     Ready ready) {
  boost::asio::steady_timer timer(parts_.executor, SteadyTime::max());
  if (most) timer.expires_after(*most);
  for (;;) {
    const RecordPtr record = parts_.records.find(id);
    if (!record || ready(*record) || stopping_ || has_passed(timer)) co_return;
    waiters_.emplace(id, &timer);
    const auto [waited] =
        co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    const auto [first, last] = waiters_.equal_range(id);
    waiters_.erase(
        std::find_if(first, last, [&](const auto& one) { return one.second == &timer; }));
    if (!waited) co_return;  // the time has passed
  }
}

awaitable<void> Detached::wait_for_end(std::string id, milliseconds most) {
  co_await wait_until(std::move(id), most, [](const Record& record) { return record.is_over(); });
}

awaitable<void> Detached::wait_for_check(std::string id) {
  co_await wait_until(std::move(id), std::nullopt, [](const Record& record) {
    return record.is_over() || record.response.checked;
  });
}

void Detached::take_over(const Who& lost) {
  std::vector<RecordPtr> open = parts_.records.open();
  sort_by_age(open);
  for (const RecordPtr& record : open) {
    if (ends_by_its_call(*record)) continue;
    const bool is_pending = record->state == RecordState::Pending;
    const bool ran_here =
        record->made_by == tool::MadeBy::Detached && record->executes == tool::Executes::Host;
    if (ran_here && record->state == RecordState::Processing) keep_key_of(*record);
    if (is_pending && lost && lost(record->principal, record->agent)) {
      end_with_its_credential(record);
    } else if (has_lost_its_session(*record)) {
      end_with_its_session(record);
    } else if (record->made_by == tool::MadeBy::TaskClient) {
      continue;  // it waits for its client's answer
    } else if (record->executes == tool::Executes::Caller) {
      take_over_callers(record);
    } else if (is_pending) {
      start(record);
    } else {
      end_unwatched(ended_with_words(*record, tool::kInterrupted, kUnknownEffect,
                                     parts_.leases.end_of_keep()),
                    kByHost);
    }
  }
  look_later();
}

// Of a call that has begun and will not end: its record may be deleted long before its key may be
// used again.
void Detached::keep_key_of(const Record& record) {
  if (!keys_ || record.idempotency_key.empty()) return;
  keys_->interrupted(idempotency_key_of(record));
}

// The session ended while no host served it.
bool Detached::has_lost_its_session(const Record& record) const {
  return !record.session.empty() && parts_.has_session && !parts_.has_session(record.session);
}

// A call that a caller executes, as the host before has left it.
void Detached::take_over_callers(const RecordPtr& record) {
  if (record->response.checked) {
    tool::CallResult result = result_in(record->response.result);
    std::string report = R"([{"isError":true,"content":[)";
    report += tool::CallResult::text(kUnknownFollowUps).content + "]}]";
    result.meta += (result.meta.empty() ? "" : ",") + ("\"io.toolpost/post\":" + report);
    end_unwatched(
        ended(*record, record->response.code, text_of(result), parts_.leases.end_of_keep()),
        record->response.by);
  } else if (record->is_answered()) {
    finish(record);
  } else if (record->state == RecordState::Pending && record->reason.empty()) {
    Record next = *record;  // it was approved, and is announced now
    next.reason = tool::kWaitsForCaller;
    change(std::move(next), kByHost);
  }
}

// No pipeline passes the call, so this is where the audit learns how it ended.
void Detached::end_unwatched(Record next, std::string_view by) {
  if (parts_.note) {
    tool::Call call = call_of(next);
    call.arguments_text = next.arguments;
    call.outcome = next.code;
    parts_.note(call, result_in(next.result));
    if (parts_.flush_audit) parts_.flush_audit();
  }
  change(std::move(next), by);
}

void Detached::change(Record next, std::string_view by) {
  const std::string id = next.id;
  if (const auto done = parts_.records.change(std::move(next), by); !done)
    report_lost(id, done.error());
}

// The host's own heartbeats. A worker that does not answer PING is killed and its calls end with
// it, and a call past its deadline gets no more heartbeats.
void Detached::look() {
  const SteadyTime now = parts_.clock.steady();
  parts_.records.expire();
  for (const auto& [id, running] : running_) {
    if (running->deadline() != SteadyTime{} && now < running->deadline())
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
  lanes_.stop();
  look_.cancel();
  for (const auto& [id, timer] : waiters_) timer->cancel();
  for (const auto& [id, running] : running_) running->end_waits();
}

void Detached::stop() {
  end_waits();
  parts_.records.flush_beats();
  std::vector<RunningPtr> left;  // a cancellation may end its call at once
  for (const auto& [id, running] : running_) left.push_back(running);
  for (const RunningPtr& running : left) running->cancel(Cancel::By::Stop);
}

}  // namespace host::task
