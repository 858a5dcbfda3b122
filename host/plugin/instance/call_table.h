// The table of the open calls of the plugins in this process. The table finds a call by the call's
// handle (tp_call*). A handle is a pointer that no code dereferences. The bits of a handle are the
// index of a slot in the table, and a counter that changes with each use of the slot. A handle that
// is used too late or twice, or that a plugin invented, finds no call. Any thread can call the
// functions of this header.
//
// The process has one table, because the ABI's functions get only the handle of a call.
#pragma once

#include <toolpost/plugin.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/instance/call_sink.h"

namespace host::plugin {

class CallTable {
 public:
  // The phases of a slot of the call table. A slot of the call table is Free while it has no call.
  // The slot becomes Open when the host makes the call's handle, and Running when the plugin's
  // function begins. If the function returns TP_PENDING, the slot becomes Pending. At the end of
  // the call, the slot becomes Free again.
  enum class Phase : std::uint8_t { Free, Open, Running, Pending };

  static CallTable& of_process();

  // Makes a handle (tp_call*) for a new call. Returns nullptr if 65,536 calls are already open.
  tp_call* open(CallInfo info, std::shared_ptr<CallSink> sink) {
    return open(std::move(info), std::move(sink), Phase::Open);
  }
  // Does the work of open() and start(), for a call that cannot be cancelled before it starts.
  // `info.input` must stay valid until returned() is called.
  tp_call* open_running(CallInfo info, std::shared_ptr<CallSink> sink) {
    return open(std::move(info), std::move(sink), Phase::Running);
  }

  // Marks the call as running in the plugin. Returns false if the call was already cancelled.
  // `input` must stay valid until returned() is called.
  bool start(tp_call* call, std::string_view input);

  // Reports that the plugin's function returned `status`. Ends the call, unless `status` is
  // TP_PENDING and complete() was not called yet.
  void returned(tp_call* call, tp_status status);

  // Implements complete() of the ABI. Returns false if there is no such call, or if the call was
  // already completed.
  bool complete(tp_call* call, tp_status status);

  // Marks the call as cancelled. Returns true if the plugin is running the call. If the function
  // returns true, the caller must call the plugin's cancel function.
  bool cancel(tp_call* call);
  // Ends a call that was cancelled before it ran in the plugin. A call that has not run in the
  // plugin can still be in a queue.
  void end_unstarted(tp_call* call);

  bool cancelled(const tp_call* call) const;  // an invalid handle returns true, too

  // Sets a listener. The table calls the listener when a plugin completes a call that does not
  // exist. Set the listener once, before any plugin runs.
  using OnStray = void (*)();
  void on_stray_completion(OnStray act) { on_stray_.store(act); }
  std::uint64_t stray_completions() const { return strays_.load(); }

  // Calls `act(sink, info)` for an open call. An open call cannot end while with() runs. Returns
  // nullopt if the call has ended, or if the plugin called complete() before call() returned.
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
    std::atomic<std::uint64_t> turn = 2;  // grows by 2 with each use; lowest bit 1: cancelled
    Phase phase = Phase::Free;
    std::optional<tp_status> early;  // set if the plugin called complete() before call() returned
    std::shared_ptr<CallSink> sink;
    CallInfo info;
  };
  static constexpr std::size_t kChunkSlots = 64;
  static constexpr std::size_t kChunks = 1024;
  using Chunk = std::array<Slot, kChunkSlots>;

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  tp_call* open(CallInfo info, std::shared_ptr<CallSink> sink, Phase phase);
  std::uint32_t take_free();
  void put_free(std::uint32_t index);
  Slot* find(const tp_call* call) const;
  static bool holds(const Slot& slot, const tp_call* call);
  void end(Slot& slot, std::uint32_t index, std::unique_lock<std::mutex> lock, tp_status status);
  bool grow();
  bool finish_call(tp_call* call, tp_status status);

  std::array<std::atomic<Chunk*>, kChunks> chunks_{};  // a Chunk is made when needed, never freed
  // The slot that became free last, which the next call gets without a lock.
  std::atomic<std::uint32_t> last_free_ = kNone;
  std::mutex free_mutex_;  // guards free_ and made_chunks_
  std::vector<std::uint32_t> free_;
  std::size_t made_chunks_ = 0;
  std::atomic<std::uint64_t> strays_ = 0;
  std::atomic<OnStray> on_stray_ = nullptr;
};

}  // namespace host::plugin
