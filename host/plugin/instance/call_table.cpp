#include "plugin/instance/call_table.h"

#include <bit>
#include <utility>

namespace host::plugin {
namespace {

// 16 bits of slot below 47 of turn, which is odd-free and starts at 2: no handle is null.
constexpr unsigned kIndexBits = 16;

std::uint64_t bits(const tp_call* call) {
  return reinterpret_cast<std::uintptr_t>(call);
}
std::uint32_t index_of(const tp_call* call) {
  return static_cast<std::uint32_t>(bits(call) & ((1u << kIndexBits) - 1));
}
std::uint64_t turn_of(const tp_call* call) {
  return (bits(call) >> kIndexBits) << 1u;
}

tp_call* handle(std::uint32_t index, std::uint64_t turn) {
  return reinterpret_cast<tp_call*>(((turn >> 1u) << kIndexBits) | index);
}

}  // namespace

CallTable& CallTable::of_process() {
  static CallTable& table =
      *new CallTable;  // never destroyed: a plugin's thread may outlive main()
  return table;
}

bool CallTable::grow() {
  if (made_chunks_ == kChunks) return false;
  chunks_[made_chunks_].store(new Chunk, std::memory_order_release);
  const auto first = static_cast<std::uint32_t>(made_chunks_ * kChunkSlots);
  for (std::uint32_t i = kChunkSlots; i-- > 0;) free_.push_back(first + i);
  ++made_chunks_;
  return true;
}

CallTable::Slot* CallTable::find(const tp_call* call) const {
  const std::uint32_t index = index_of(call);
  Chunk* chunk = chunks_[index / kChunkSlots].load(std::memory_order_acquire);
  return chunk ? &(*chunk)[index % kChunkSlots] : nullptr;
}

bool CallTable::holds(const Slot& slot, const tp_call* call) {
  return (slot.turn.load() & ~std::uint64_t{1}) == turn_of(call) && slot.phase != Phase::Free;
}

std::uint32_t CallTable::take_free() {
  const std::uint32_t last = last_free_.exchange(kNone);
  if (last != kNone) return last;
  const std::lock_guard lock(free_mutex_);
  if (free_.empty() && !grow()) return kNone;
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

void CallTable::put_free(std::uint32_t index) {
  std::uint32_t none = kNone;
  if (last_free_.compare_exchange_strong(none, index)) return;
  const std::lock_guard lock(free_mutex_);
  free_.push_back(index);
}

tp_call* CallTable::open(CallInfo info, std::shared_ptr<CallSink> sink, Phase phase) {
  const std::uint32_t index = take_free();
  if (index == kNone) return nullptr;
  Slot& slot = (*chunks_[index / kChunkSlots].load(std::memory_order_acquire))[index % kChunkSlots];
  const std::lock_guard lock(slot.mutex);
  slot.phase = phase;
  slot.early.reset();
  slot.info = std::move(info);
  slot.sink = std::move(sink);
  return handle(index, slot.turn.load());
}

bool CallTable::start(tp_call* call, std::string_view input) {
  Slot* slot = find(call);
  if (!slot) return false;
  const std::lock_guard lock(slot->mutex);
  if (!holds(*slot, call) || (slot->turn.load() & 1u) != 0) return false;
  slot->phase = Phase::Running;
  slot->info.input = input;
  return true;
}

void CallTable::returned(tp_call* call, tp_status status) {
  Slot* slot = find(call);
  if (!slot) return;
  std::unique_lock lock(slot->mutex);
  if (!holds(*slot, call)) return;
  slot->info.input = {};
  if (status == TP_PENDING && !slot->early) {
    slot->phase = Phase::Pending;
    return;
  }
  const tp_status final = status == TP_PENDING ? *slot->early : status;
  end(*slot, index_of(call), std::move(lock), final);
}

bool CallTable::complete(tp_call* call, tp_status status) {
  if (finish_call(call, status)) return true;
  ++strays_;
  if (const OnStray act = on_stray_.load()) act();
  return false;
}

bool CallTable::finish_call(tp_call* call, tp_status status) {
  Slot* slot = find(call);
  if (!slot) return false;
  std::unique_lock lock(slot->mutex);
  if (!holds(*slot, call) || slot->phase == Phase::Open || slot->early) return false;
  if (slot->phase == Phase::Running) {
    slot->early = status;  // call() has not said TP_PENDING yet
    return true;
  }
  end(*slot, index_of(call), std::move(lock), status);
  return true;
}

void CallTable::end(Slot& slot, std::uint32_t index, std::unique_lock<std::mutex> lock,
                    tp_status status) {
  const std::shared_ptr<CallSink> sink = std::move(slot.sink);
  const CallInfo info = std::exchange(slot.info, {});  // freed here: the slot may rest for long
  slot.phase = Phase::Free;
  slot.turn.store((slot.turn.load() | 1u) + 1);  // no cancel of the old turn may touch the new one
  lock.unlock();
  put_free(index);
  sink->done(status);  // no lock held: it may start the next call
}

bool CallTable::cancel(tp_call* call) {
  Slot* slot = find(call);
  if (!slot) return false;
  std::uint64_t expected = turn_of(call);
  if (!slot->turn.compare_exchange_strong(expected, expected | 1u)) return false;
  const std::lock_guard lock(slot->mutex);
  return holds(*slot, call) && slot->phase != Phase::Open;
}

void CallTable::end_unstarted(tp_call* call) {
  Slot* slot = find(call);
  if (!slot) return;
  std::unique_lock lock(slot->mutex);
  if (!holds(*slot, call) || slot->phase != Phase::Open) return;
  end(*slot, index_of(call), std::move(lock), TP_E_CANCELLED);
}

bool CallTable::cancelled(const tp_call* call) const {
  const Slot* slot = find(call);
  return !slot || slot->turn.load(std::memory_order_relaxed) != turn_of(call);
}

}  // namespace host::plugin
