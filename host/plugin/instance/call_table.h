// The open calls of the plugins in this process, by handle. A handle is a number stored in a
// pointer, and is never dereferenced. The number consists of a slot and the slot's turn. So a
// handle that is used late or twice, or that a plugin invented, finds no call. Any thread.
//
// There is one table for the process, because the ABI's functions pass only a call's handle.
#pragma once

#include <toolpost/plugin.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "plugin/instance/call_sink.h"

namespace host::plugin {

class CallTable {
 public:
  // Free -> Open (known to the host) -> Running (inside the plugin) -> Pending -> Free.
  enum class Phase : std::uint8_t { Free, Open, Running, Pending };

  static CallTable& of_process();

  // nullptr if 65,536 calls are open.
  tp_call* open(CallInfo info, std::shared_ptr<CallSink> sink);

  // Marks the call as running in the plugin. False if the call was cancelled before. `input` is
  // borrowed until returned().
  bool start(tp_call* call, std::string_view input);

  // The plugin's function returned `status`. Ends the call unless it is pending.
  void returned(tp_call* call, tp_status status);

  // complete() of the ABI. False if there is no such call, or if it was already completed.
  bool complete(tp_call* call, tp_status status);

  // Marks the call as cancelled. True if the plugin has it, so that its cancel hook must be called.
  bool cancel(tp_call* call);
  // Ends a call that was cancelled before the plugin had it, even if it is still in a queue.
  void end_unstarted(tp_call* call);

  bool cancelled(const tp_call* call) const;  // true for an invalid handle

  // Called for completions without a call. Set it once, before any plugin runs.
  using OnStray = void (*)();
  void on_stray_completion(OnStray act) { on_stray_.store(act); }
  std::uint64_t stray_completions() const { return strays_.load(); }

  // Runs `act(sink, info)`; meanwhile the call cannot end. nullopt: the call has ended or was
  // completed.
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
