#include "task/handovers.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "json/json.h"
#include "task/outcome.h"
#include "tool/call/call.h"
#include "tool/call/edits.h"
#include "tool/call/sent_context.h"

namespace host::task {
namespace {

using boost::asio::awaitable;
using tool::Call;
using tool::CallResult;
using tool::Executes;
using tool::Invocation;
using tool::Record;
using tool::RecordState;
using tool::Tool;

constexpr std::string_view kByHandover = "host";
constexpr const char* kPending = "pending";  // audit outcome

// The result of a record that has ended.
CallResult answer_of(const Record& record) {
  CallResult result = result_in(record.result);
  result.is_error = record.state == RecordState::Error;
  return result;
}

// A call of the client is the same if it is made again. A post_ tool's is not: to make it again
// means to make its action again.
CallResult still_waits(const Record& record) {
  std::string words = "\"" + record.tool +
                      "\" is executed outside this host and has not ended yet (" +
                      std::string(to_string(record.state)) + "). Its id is " + record.id + ".";
  if (!record.twin.empty()) {
    words += " Call again with the same arguments";
    words += record.context.empty() ? "" : " and the same context";
    words += ": that call gets its result.";
  }
  return CallResult::error(words);
}

std::string key_of(const tool::Peer& who, const std::string& tool, std::string_view definition,
                   const std::string& twin) {
  std::string key;
  for (const std::string_view part :
       {std::string_view(who.principal), std::string_view(who.agent), std::string_view(who.session),
        std::string_view(tool), definition, std::string_view(twin)}) {
    key += std::to_string(part.size()) + ":";  // so that no two calls have one key
    key += part;
  }
  return key;
}

std::string key_of(const Record& record) {
  return key_of({record.principal, record.agent, record.session}, record.tool, record.definition,
                record.twin);
}

// It is visible to callers.
bool is_announced(const Record& record) {
  return record.state != RecordState::Pending || record.reason == tool::kWaitsForCaller;
}

std::string arguments_of(const Call& call) {
  return call.arguments_text.empty() ? json::write(call.arguments.root()) : call.arguments_text;
}

// Copies the names of changed arguments to the record. So the caller learns of the changes also if
// the next host delivers the result.
void keep_edits(const Call& call, Record& record) {
  const auto edits = call.continuation.answers.find(std::string(tool::kEdits));
  if (edits != call.continuation.answers.end()) record.continuation.answers.insert(*edits);
}

}  // namespace

Handovers::Handovers(boost::asio::any_io_executor executor, Records& records, Leases& leases,
                     Room& room, std::chrono::milliseconds wait)
    : executor_(std::move(executor)), records_(records), leases_(leases), room_(room), wait_(wait) {
  records_.on_change([this, alive = std::weak_ptr<bool>(alive_)](const RecordPtr& record) {
    if (!alive.expired() && record->is_over()) over(record);
  });
  records_.on_gone([this, alive = std::weak_ptr<bool>(alive_)](const RecordPtr& record) {
    if (!alive.expired()) removed(record->id);
  });
  leases_.on_response([this, alive = std::weak_ptr<bool>(alive_)](const RecordPtr& record) {
    if (!alive.expired()) answered(record);
  });
}

// The record of a call: its own, or the one that was made for it.
std::string Handovers::record_of(const std::string& call) const {
  const auto at = prepared_.find(call);
  return at == prepared_.end() ? call : at->second.record;
}

// The record with this id. A task's record is never handed over: the call with which an earlier
// host's task goes on has the id of the task, but gets a record of its own.
RecordPtr Handovers::find(const std::string& id) const {
  RecordPtr record = records_.find(id);
  return record && record->made_by != tool::MadeBy::TaskClient ? record : nullptr;
}

Result<RecordPtr> Handovers::take_own(const RecordPtr& own, const Call& call, const Tool& tool) {
  if (own->is_over()) return Error{ErrorKind::Cancelled, "the call has ended"};
  if (own->executes == Executes::Caller) return own;
  if (!own->idempotency_key.empty()) {
    return Error{ErrorKind::InvalidArgument,
                 "/idempotency_key: is not possible for a tool that a client executes"};
  }
  Record next = *own;
  next.tool = tool.name();  // it may have been called through call_tool
  next.executes = Executes::Caller;
  next.reason.clear();
  next.arguments = arguments_of(call);
  keep_edits(call, next);
  next.definition = tool.digest();
  return records_.change(std::move(next), kByHandover);
}

Result<RecordPtr> Handovers::make(const Call& call, const Tool& tool) {
  const tool::Peer& who = call.passport->who;
  Record record;
  record.id = "r_" + random_id();
  record.session = who.session;
  record.principal = who.principal;
  record.agent = who.agent;
  record.tool = tool.name();
  record.definition = tool.digest();
  record.arguments = arguments_of(call);
  record.context = tool::text_of(call.passport->sent);
  keep_edits(call, record);
  record.twin = call.twin;
  record.made_by = tool::MadeBy::WaitingCall;
  record.executes = Executes::Caller;
  // Callers see it when it is announced.
  HOST_TRY(room_.make(who.principal, record.arguments.size() + record.context.size()));
  return records_.add(std::move(record), "mcp:" + who.principal);
}

awaitable<Result<void>> Handovers::prepare(Call& call, const Tool& tool) {
  const std::string& id = call.passport->call;
  const RecordPtr own = find(id);
  if (own && own->is_answered()) co_return Result<void>();
  auto taken = own ? take_own(own, call, tool) : make(call, tool);
  if (!taken) {
    if (taken.error().kind == ErrorKind::Unavailable) call.outcome = "busy";
    if (taken.error().kind == ErrorKind::InvalidArgument) call.outcome = tool::kBadArguments;
    co_return taken.error();
  }
  const RecordPtr record = *std::move(taken);
  if (!leases_.has_tool(*record)) co_return refuse_gone(call, record, own != nullptr);
  if (!own) {
    Prepared prepared{record->id, {}};
    if (call.unheard) {
      prepared.unheard = call.unheard->on_cancel([this, id = record->id] { give_up(id); });
    }
    prepared_.insert_or_assign(id, std::move(prepared));
  }
  if (call.receipts.empty()) co_return Result<void>();
  const auto kept = co_await records_.kept(record->id);
  if (kept) co_return Result<void>();
  if (own) {
    drop(records_.find(record->id), call);
  } else if (records_.withdraw(record->id)) {  // if the store has it, ended() ends it
    prepared_.erase(id);
  }
  call.outcome = "busy";
  co_return Error{ErrorKind::Unavailable,
                  "busy: the call cannot be stored before it runs: " + kept.error().message};
}

// Its tool was removed while the call waited, so nobody executes it. Its own record is ended by its
// Recorder.
Error Handovers::refuse_gone(Call& call, const RecordPtr& record, bool is_own) {
  if (!is_own) records_.withdraw(record->id);
  call.outcome = tool::kToolRemoved;
  return {ErrorKind::NotFound,
          "\"" + record->tool + "\" was removed while the call waited. It did not run."};
}

// Its own record could not be stored, so the host tries again later.
void Handovers::drop(const RecordPtr& record, const Call& call) {
  if (!record || record->is_over()) return;
  Record next = *record;
  next.executes = Executes::Host;
  if (const auto done = records_.change(std::move(next), kByHandover); !done) {
    log::warning("task", "a change of a detached call is lost",
                 {{"call", call.passport->call}, {"reason", done.error().message}});
  }
}

void Handovers::hand_over(std::shared_ptr<Invocation> invocation) {
  RecordPtr record = find(record_of(invocation->passport->call));
  if (!record) {
    invocation->refuse(Error{ErrorKind::Internal, "the call has no record to hand over"});
    return;
  }
  if (record->is_over()) {
    invocation->finish(answer_of(*record));
    return;
  }
  if (record->is_answered()) {
    invocation->finish(result_in(record->response.result));
    return;
  }
  if (!is_announced(*record)) {
    Record next = *record;
    next.reason = tool::kWaitsForCaller;
    const auto announced = records_.change(std::move(next), kByHandover);
    if (!announced) {
      invocation->refuse(announced.error());
      return;
    }
  }
  wait_for(record->id, std::move(invocation));
}

void Handovers::wait_for(const std::string& record, std::shared_ptr<Invocation> invocation) {
  Waiting& waiting = waiting_[record];
  const bool timed = !invocation->outlives;
  waiting.invocation = std::move(invocation);
  if (!timed) return;
  waiting.timer = std::make_unique<boost::asio::steady_timer>(executor_, wait_);
  waiting.timer->async_wait(
      [this, record, alive = std::weak_ptr<bool>(alive_)](boost::system::error_code error) {
        if (!error && !alive.expired()) give_up(record);
      });
}

// A caller has answered. Whoever waits goes on with the result; if nobody does, the host.
void Handovers::answered(const RecordPtr& record) {
  auto waiting = waiting_.extract(record->id);
  if (!waiting.empty()) {
    waiting.mapped().invocation->finish(result_in(record->response.result));
  } else if (finish_ && !stopping_) {
    finish_(record);
  }
}

void Handovers::over(const RecordPtr& record) {
  if (const auto joined = joined_.find(record->id); joined != joined_.end())
    joined->second->cancel();
  auto waiting = waiting_.extract(record->id);
  if (waiting.empty()) return;
  waiting.mapped().invocation->outcome = record->code;
  waiting.mapped().invocation->finish(answer_of(*record));
}

// Nobody waits for a record that has left memory.
void Handovers::removed(const std::string& id) {
  if (const auto joined = joined_.find(id); joined != joined_.end()) joined->second->cancel();
  give_up(id);
}

bool Handovers::has_call(const std::string& id) const {
  return std::any_of(prepared_.begin(), prepared_.end(),
                     [&id](const auto& one) { return one.second.record == id; });
}

void Handovers::give_up(const std::string& id) {
  auto waiting = waiting_.extract(id);
  if (waiting.empty()) return;
  const std::shared_ptr<Invocation> invocation = waiting.mapped().invocation;
  if (const RecordPtr record = records_.find(id)) {
    invocation->outcome = kPending;
    invocation->finish(still_waits(*record));
  } else {
    invocation->finish(Error{ErrorKind::Cancelled, "the call was removed"});
  }
}

void Handovers::take_back(const std::shared_ptr<Invocation>& invocation) {
  const std::string& call = invocation->passport->call;
  const auto at = waiting_.find(record_of(call));
  if (at != waiting_.end() && at->second.invocation == invocation) {
    waiting_.erase(at);
    // A call's own record is ended by whoever cancelled the call.
    if (prepared_.contains(call)) cancel(record_of(call));
  }
  invocation->finish(Error{ErrorKind::Cancelled, "cancelled"});
}

void Handovers::cancel(const std::string& id) {
  const RecordPtr record = records_.find(id);
  if (!record || record->is_over() || stopping_) return;  // the next host goes on with it
  Record next =
      ended_with_words(*record, tool::kCancelled, "The call was cancelled.", leases_.end_of_keep());
  next.twin.clear();  // if the client makes the same call again, that call is a new one
  static_cast<void>(records_.change(std::move(next), "mcp:" + record->principal));
}

awaitable<void> Handovers::checked(const Call& call, const CallResult& result) {
  const RecordPtr record = find(record_of(call.passport->call));
  if (!record || record->is_over() || !record->is_answered() || record->response.checked) co_return;
  Record next = *record;
  next.response.result = text_of(result);
  next.response.checked = true;
  const auto changed = records_.change(std::move(next), kByHandover);
  Result<void> kept;
  if (changed) {
    kept = co_await records_.kept(record->id);
  } else {
    kept = changed.error();
  }
  if (kept) co_return;
  log::warning("task", "it is not stored that the post_ tools of a call begin",
               {{"call", record->id}, {"reason", kept.error().message}});
}

bool Handovers::ended(const Call& call, const Result<CallResult>& result) {
  const auto prepared = prepared_.extract(call.passport->call);
  if (prepared.empty()) return false;
  if (const RecordPtr record = records_.find(prepared.mapped().record)) end(record, call, result);
  return true;
}

void Handovers::end(RecordPtr record, const Call& call, const Result<CallResult>& result) {
  const bool has_it = result && call.outcome != kPending && !is_unheard(call);
  if (record->is_over()) {
    if (has_it) return records_.clear_twin(record->id);
  } else if (call.outcome != kPending && (record->is_answered() || !is_announced(*record))) {
    Record next = ended_by_pipeline(*record, call, result, room_, leases_.end_of_keep());
    if (has_it) next.twin.clear();
    const std::string by =
        record->response.by.empty() ? std::string(kByHandover) : record->response.by;
    auto done = records_.change(std::move(next), by);
    if (done) record = *std::move(done);
  }
  can_be_met(record);
}

// The same call meets this record from now on.
void Handovers::can_be_met(const RecordPtr& record) {
  if (record->twin.empty()) return;
  if (twins_.size() >= sweep_at_) {
    std::erase_if(twins_, [this](const auto& twin) { return !records_.find(twin.second); });
    sweep_at_ = std::max<std::size_t>(1024, 2 * twins_.size());
  }
  twins_.emplace(key_of(*record), record->id);
}

bool Handovers::has_twin(const Call& call, const Tool& tool) {
  const std::string key = key_of(call.passport->who, tool.name(), tool.digest(), call.twin);
  for (auto at = twins_.find(key); at != twins_.end(); at = twins_.find(key)) {
    if (records_.find(at->second)) return true;
    twins_.erase(at);
  }
  return false;
}

RecordPtr Handovers::take_twin(const std::string& key) {
  const auto at = twins_.find(key);
  if (at == twins_.end()) return nullptr;
  RecordPtr record = records_.find(at->second);
  twins_.erase(at);
  return record;
}

awaitable<Result<CallResult>> Handovers::join_twin(Call& call, const Tool& tool) {
  const RecordPtr twin =
      take_twin(key_of(call.passport->who, tool.name(), tool.digest(), call.twin));
  if (!twin) co_return Error{ErrorKind::Internal, "the earlier call is gone"};
  if (!twin->is_over() && !stopping_ && !call.cancel->requested() && !is_unheard(call)) {
    boost::asio::steady_timer timer(executor_, SteadyTime::max());
    if (!call.outlives) timer.expires_after(wait_);
    joined_.insert_or_assign(twin->id, &timer);
    const auto cancelled = call.cancel->on_cancel([&timer] { timer.cancel(); });
    const auto gone = call.unheard ? call.unheard->on_cancel([&timer] { timer.cancel(); })
                                   : Cancel::Registration();
    co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    joined_.erase(twin->id);
  }
  if (call.cancel->requested()) cancel(twin->id);
  const RecordPtr now = records_.find(twin->id);
  if (!now) co_return Error{ErrorKind::Cancelled, "the call was removed"};
  if (call.cancel->requested()) {
    if (!now->is_over()) can_be_met(now);  // this host stops
    co_return Error{ErrorKind::Cancelled, "cancelled"};
  }
  if (now->is_over() && !is_unheard(call)) {
    records_.clear_twin(now->id);
    // No step may take the end of a call that did not run for an answer of the tool.
    if (!is_tools_own(now->code)) call.outcome = now->code;
    co_return answer_of(*now);
  }
  can_be_met(now);
  call.outcome = kPending;
  co_return still_waits(*now);
}

void Handovers::take_over() {
  for (const auto& records : {records_.open(), records_.ended()}) {
    for (const RecordPtr& record : records) {
      if (record->made_by == tool::MadeBy::WaitingCall) can_be_met(record);
    }
  }
}

void Handovers::end_waits() {
  stopping_ = true;
  while (!waiting_.empty()) give_up(std::string(waiting_.begin()->first));
  for (const auto& [record, timer] : joined_) timer->cancel();
}

}  // namespace host::task
