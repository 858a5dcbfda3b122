#include "plugin/instance/host_calls.h"

#include <memory>
#include <utility>
#include <vector>

#include "plugin/instance/abi_text.h"
#include "plugin/instance/call_table.h"
#include "plugin/instance/may_wait.h"

namespace host::plugin {
namespace {

HostAnswer cancelled() {
  return {TP_E_CANCELLED, 0, {}, "the call or the instance ended first"};
}

bool is_sound(const tp_reply* reply) {
  return reply && TP_HAS(tp_reply, reply, done) && reply->done &&
         (reply->flags & ~std::uint32_t{TP_REPLY_WAITS}) == 0;
}

// With it, a descriptor becomes the plugin's.
void give(const tp_reply& reply, const HostAnswer& answer) {
  const std::uint64_t number =
      answer.file ? static_cast<std::uint64_t>(answer.file->release()) : answer.number;
  const tp_answer given = {sizeof(tp_answer), answer.status, number, lend(answer.json),
                           lend(answer.bytes)};
  reply.done(reply.context, &given);
}

// Its number; 0 where it has ended or should.
std::uint64_t number_of(const tp_call* call) {
  CallTable& table = CallTable::of_process();
  const auto number = table.with(call, [](CallSink&, CallInfo& info) { return info.number; });
  return number && !table.cancelled(call) ? *number : 0;
}

}  // namespace

void HostCalls::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
}

tp_status HostCalls::ask(ServiceId service, const tp_call* call, std::string bytes,
                         const tp_reply* reply) {
  if (!is_sound(reply)) return TP_E_INVALID;
  if (!road_.ask) return TP_E_UNSUPPORTED;
  if ((reply->flags & TP_REPLY_WAITS) && !this_thread_may_wait) return TP_E_WOULD_WAIT;
  if (bytes.size() > kMostHostCallBytes) return TP_E_NOMEM;
  HostCall asked{0, call ? number_of(call) : 0, service, std::move(bytes)};
  if (call && asked.call == 0) return TP_E_CANCELLED;
  Open open{asked.call, *reply};
  return send(std::move(asked), std::move(open), kMostHostCalls);
}

tp_status HostCalls::tell(ServiceId service, std::string bytes, Heard heard) {
  if (!road_.ask) return TP_E_UNSUPPORTED;
  return send({0, 0, service, std::move(bytes)}, {0, {}, std::move(heard)},
              kMostHostCalls + kMostReports);
}

tp_status HostCalls::send(HostCall asked, Open open, std::size_t most) {
  {
    const std::lock_guard lock(mutex_);
    if (!open_ || open_calls_.size() >= most) return TP_E_BUSY;
    asked.id = next_++;
    open_calls_.emplace(asked.id, std::move(open));
    open_count_.store(open_calls_.size());
  }
  road_.ask(std::move(asked));
  return TP_OK;
}

// Leaves the lock open where it gives the answer here, and takes it again.
void HostCalls::answer(std::unique_lock<std::mutex>& lock, OpenCalls::iterator at,
                       HostAnswer answer) {
  const tp_reply reply = at->second.reply;
  const Heard heard = std::move(at->second.heard);
  open_calls_.erase(at);
  open_count_.store(open_calls_.size());
  if (!heard && !(reply.flags & TP_REPLY_WAITS)) {
    auto kept = std::make_shared<const HostAnswer>(std::move(answer));
    callbacks_.post([reply, kept] { give(reply, *kept); });
    return;
  }
  ++delivering_;
  lock.unlock();
  heard ? heard(answer) : give(reply, answer);
  lock.lock();
  if (--delivering_ == 0) delivered_.notify_all();
}

void HostCalls::answered(std::uint64_t id, HostAnswer given) {
  std::unique_lock lock(mutex_);
  const auto at = open_calls_.find(id);
  if (at != open_calls_.end()) answer(lock, at, std::move(given));
}

void HostCalls::call_ended(std::uint64_t call) {
  if (open_count_.load() == 0) return;  // most plugins ask for no service
  std::vector<std::uint64_t> dropped;
  {
    std::unique_lock lock(mutex_);
    for (const auto& [id, open] : open_calls_) {
      if (open.call == call) dropped.push_back(id);
    }
    for (const std::uint64_t id : dropped) {
      const auto at = open_calls_.find(id);
      if (at != open_calls_.end()) answer(lock, at, cancelled());
    }
  }
  for (const std::uint64_t id : dropped) road_.drop(id);
}

void HostCalls::close() {
  std::unique_lock lock(mutex_);
  open_ = false;
  while (!open_calls_.empty()) answer(lock, open_calls_.begin(), cancelled());
  delivered_.wait(lock, [this] { return delivering_ == 0; });
}

}  // namespace host::plugin
