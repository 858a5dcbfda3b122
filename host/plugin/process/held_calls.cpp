#include "plugin/process/held_calls.h"

#include <algorithm>
#include <utility>

#include "plugin/wire/fault.h"

namespace host::plugin {
namespace {

// The kernel can need minutes to end a killed process, for example while it waits for a disk.
constexpr std::chrono::seconds kDying(10);

CallMessage message_of(const std::shared_ptr<tool::Invocation>& invocation) {
  const tool::Invocation& what = *invocation;
  CallMessage message;
  message.tool = tool_number(what);
  message.function = what.function;
  message.nonblocking = is_nonblocking(what);
  message.nested = what.passport->caller != nullptr;
  message.abilities = abilities_of(what);
  message.deadline_ns = deadline_ns(what.deadline);
  message.arguments = input_of(what);
  message.context = what.context;
  message.passport = what.passport;
  message.continuation = continuation_of(invocation);
  return message;
}

tp_status take_whole(PendingCall& call, const Record& record) {
  if (record.kind & Record::kError) return call.error(record.code, record.bytes, record.mime);
  if (record.kind & Record::kKeep) return call.keep(record.bytes);
  if (record.kind & Record::kAsk) {
    const tp_status status = call.ask(record.mime, method_of_number(record.code), record.bytes);
    return status == TP_E_UNSUPPORTED ? TP_OK : status;  // that too is told, for the call's end
  }
  return call.push(record.kind, record.mime, record.bytes);
}

bool has_no_own_limit(const tool::Invocation& call) {
  if (!call.tool) return true;
  const auto& declared = call.tool->declared();
  return declared.concurrency_safe && declared.exclusive.empty() && declared.max_inflight == 0;
}

}  // namespace

void HeldCalls::begin(std::shared_ptr<tool::Invocation> invocation, bool retried,
                      std::string& out) {
  CallMessage message = message_of(invocation);
  if (call_bytes(message) > kMaxFrameBytes) {
    Error why{ErrorKind::InvalidArgument, "the arguments are larger than 16 MiB"};
    if (retried) {
      invocation->finish(std::move(why));
    } else {
      invocation->refuse(std::move(why));
    }
    return;
  }
  message.pieces = slots_.put_begin(message.arguments);
  const std::uint64_t id = next_++;
  write_call(out, id, message);
  calls_.try_emplace(id, std::move(invocation), result_bytes_, retried);
}

void HeldCalls::cancel(const tool::Invocation& invocation, SteadyTime grace_end, std::string& out) {
  for (auto& [id, held] : calls_) {
    if (held.call.invocation().get() == &invocation) return cancel(id, held, grace_end, out);
  }
}

void HeldCalls::cancel(std::uint64_t id, Held& held, SteadyTime grace_end, std::string& out) {
  if (held.cancelled) return;
  held.cancelled = true;
  ++cancelled_;
  held.grace_end = grace_end;
  FrameWriter(out, FrameType::Cancel, id);
}

bool HeldCalls::Held::past_deadline(SteadyTime now) const {
  const SteadyTime deadline = call.invocation()->deadline;
  return deadline != SteadyTime{} && now >= deadline;
}

HeldCalls::Due HeldCalls::tick(SteadyTime now, std::chrono::milliseconds grace, std::string& out) {
  std::uint64_t stuck = 0;
  bool others = false;
  for (auto& [id, held] : calls_) {
    const bool late = held.past_deadline(now);
    if (late) cancel(id, held, now + grace, out);
    if (!held.past_grace(now)) {
      others = true;
      continue;
    }
    if (late || held.call.invocation()->deadline == SteadyTime{}) return {id, false};
    stuck = id;
  }
  if (stuck == 0) return {};
  return others ? Due{0, true} : Due{stuck, false};
}

bool HeldCalls::overdue(SteadyTime now) const {
  return cancelled_ > 0 && std::any_of(calls_.begin(), calls_.end(), [now](const auto& one) {
           return one.second.past_deadline(now) || one.second.past_grace(now);
         });
}

void HeldCalls::let_go_of_overdue(SteadyTime now) {
  std::vector<std::shared_ptr<tool::Invocation>> gone;  // what ends may come back here
  for (const auto& [id, held] : calls_) {
    const auto& invocation = held.call.invocation();
    if (held.past_grace(now) && has_no_own_limit(*invocation)) gone.push_back(invocation);
  }
  for (const auto& invocation : gone) {
    invocation->finish(Error{ErrorKind::Cancelled, "cancelled, and it did not stop in time"});
  }
}

void HeldCalls::let_go_of_dying(SteadyTime now) {
  let_go_of_overdue(now - kDying);
}

Result<void> HeldCalls::push(const Frame& frame) {
  const auto at = calls_.find(frame.call_id);
  if (at == calls_.end()) return fault("broken frame: a push for no call");
  BodyReader body(frame.body);
  return take(at->second, body);
}

Result<void> HeldCalls::done(const Frame& frame) {
  const auto at = calls_.find(frame.call_id);
  if (at == calls_.end()) return fault("broken frame: the end of no call");
  BodyReader body(frame.body);
  const tp_status status = body.i32();
  if (!body.ok()) return fault("broken frame: done");
  HOST_TRY(take(at->second, body));
  const auto ended = calls_.extract(at);  // before it ends: what ends may come back here
  if (ended.mapped().cancelled) --cancelled_;
  ended.mapped().call.finish(status);
  return {};
}

Result<void> HeldCalls::progress(const Frame& frame) {
  const auto at = calls_.find(frame.call_id);
  const auto report = read_progress(frame.body);
  if (!report || at == calls_.end()) return fault("broken frame: progress");
  at->second.call.progress(report->done, report->total, report->message);
  return {};
}

void HeldCalls::log(std::uint64_t id, int level, std::string_view logger, std::string_view message,
                    std::string_view json_fields) {
  const auto at = calls_.find(id);
  if (at != calls_.end()) at->second.call.log(level, logger, message, json_fields);
}

std::shared_ptr<tool::Invocation> HeldCalls::find(std::uint64_t id) const {
  const auto at = calls_.find(id);
  return at == calls_.end() || at->second.cancelled ? nullptr : at->second.call.invocation();
}

std::vector<LostCall> HeldCalls::take_all() {
  std::vector<LostCall> lost;
  cancelled_ = 0;
  for (auto& [id, held] : std::exchange(calls_, {})) {
    lost.push_back({id, held.call.invocation(), held.retried, held.cancelled});
  }
  return lost;
}

Result<void> HeldCalls::take(Held& held, BodyReader& body) {
  while (!body.empty()) {
    Record record;
    if (!read_record(body, record)) return fault("broken frame: a record");
    HOST_TRY(take(held, record));
  }
  return {};
}

Result<void> HeldCalls::take(Held& held, Record record) {
  const bool in_slot = (record.kind & Record::kInSlot) != 0;
  if (in_slot) {
    const auto piece = read_piece(record.bytes);
    if (!piece || !slots_.take(*piece, held.piece)) return fault("broken frame: a payload's place");
    record.kind &= ~Record::kInSlot;
  }
  const bool continued = (record.kind & Record::kContinued) != 0;
  if (in_slot || continued || !held.piece.empty()) {
    if (!in_slot) held.piece.append(record.bytes);
    if (held.piece.size() > result_bytes_ + kMaxFrameBytes) return fault("a result over its limit");
    if (continued) return {};
    record.bytes = held.piece;
  }
  const tp_status status = take_whole(held.call, record);
  held.piece.clear();
  if (status == TP_OK) return {};
  return fault("a push that the worker should have refused (status " + std::to_string(status) +
               ")");
}

}  // namespace host::plugin
