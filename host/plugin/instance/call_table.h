// The calls that plugins of this process hold, by handles that are numbers in a pointer's clothes.
// A handle names a slot and the slot's turn: one that comes late, twice or out of thin air finds
// nothing, and is never a wild pointer. Any thread.
//
// One table a process, because the ABI's functions bring a call's handle and nothing else.
#pragma once

#include <toolpost/plugin.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "plugin/instance/call_sink.h"

namespace host::plugin {

class CallTable {
 public:
  // Free -> Open (known to the host) -> Running (inside the plugin) -> Pending -> Free.
  enum class Phase : std::uint8_t { Free, Open, Running, Pending };

  static CallTable& of_process();

  // nullptr where 65,536 calls are open.
  tp_call* open(CallInfo info, std::shared_ptr<CallSink> sink);

  // Marks that the plugin has it now. False where it was cancelled before.
  bool start(tp_call* call);

  // The plugin's function returned `status`. Ends the call unless it is pending.
  void returned(tp_call* call, tp_status status);

  // complete() of the ABI. False where there is no such call, or it has been completed.
  bool complete(tp_call* call, tp_status status);

  // Marks a wish to stop. True where the plugin has the call, so that its hook should be told.
  bool cancel(tp_call* call);
  // Ends a call that was cancelled before the plugin had it, though it still stands in a queue.
  void end_unstarted(tp_call* call);

  bool cancelled(const tp_call* call) const;  // true for a dead handle

  // Who hears of completions that found no call: set once, before any plugin runs.
  using OnStray = void (*)();
  void on_stray_completion(OnStray act) { on_stray_.store(act); }
  std::uint64_t stray_completions() const { return strays_.load(); }

  // Runs `act(sink, info)` while the call cannot end; nothing where it has, or was completed.
  template <class Act>
  auto with(const tp_call* call, Act act)
      -> std::optional<decltype(act(std::declval<CallSink&>(), std::declval<CallInfo&>()))> {
    Slot* slot = find(call);
    if (!slot) return std::nullopt;
    const std::lock_guard lock(slot->mutex);
    if (!holds(*slot, call) || slot->early) return std::nullopt;
    return act(*slot->sink, slot->info);
  }

 private:
  struct Slot {
    mutable std::mutex mutex;             // guards all but `turn`
    std::atomic<std::uint64_t> turn = 2;  // counts users, in steps of 2; lowest bit: cancelled
    Phase phase = Phase::Free;
    std::optional<tp_status> early;  // complete() came before call() returned
    std::shared_ptr<CallSink> sink;
    CallInfo info;
  };
  static constexpr std::size_t kChunkSlots = 64;
  static constexpr std::size_t kChunks = 1024;
  using Chunk = std::array<Slot, kChunkSlots>;

  Slot* find(const tp_call* call) const;
  static bool holds(const Slot& slot, const tp_call* call);
  void end(Slot& slot, std::uint32_t index, std::unique_lock<std::mutex> lock, tp_status status);
  bool grow();
  bool finish_call(tp_call* call, tp_status status);

  std::array<std::atomic<Chunk*>, kChunks> chunks_{};  // made when needed, never freed
  std::mutex free_mutex_;                              // guards the two below
  std::vector<std::uint32_t> free_;
  std::size_t made_chunks_ = 0;
  std::atomic<std::uint64_t> strays_ = 0;
  std::atomic<OnStray> on_stray_ = nullptr;
};

}  // namespace host::plugin
