// The calls that one worker has. Its frames become their results. Ids from the worker are looked up
// only here. I/O thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "plugin/answer/pending_call.h"
#include "plugin/process/worker_death.h"
#include "plugin/wire/frame.h"
#include "plugin/wire/payload_slots.h"
#include "plugin/wire/worker_messages.h"

namespace host::plugin {

class HeldCalls {
 public:
  // `slots`: of the same worker; must outlive this.
  HeldCalls(std::uint64_t result_bytes, PayloadSlots& slots)
      : result_bytes_(result_bytes), slots_(slots) {}

  // Writes the call's frame to `out`. A call with too large arguments is finished instead.
  // `retried`: an earlier worker had it.
  void begin(std::shared_ptr<tool::Invocation> invocation, bool retried, std::string& out);
  // Writes a cancel. The call then has time until `kill_at`.
  void cancel(const tool::Invocation& invocation, SteadyTime kill_at, std::string& out);
  // Cancels calls past their deadline. Returns the id of a cancelled call that has not stopped in
  // time, otherwise 0.
  std::uint64_t tick(SteadyTime now, std::chrono::milliseconds grace, std::string& out);

  // Handles the worker's frames. An error is a fault of the worker and ends it.
  Result<void> push(const Frame& frame);
  Result<void> done(const Frame& frame);
  Result<void> progress(const Frame& frame);
  // Ignored if there is no such call.
  void log(std::uint64_t id, int level, std::string_view logger, std::string_view message,
           std::string_view json_fields);

  // Null if it has ended or was cancelled.
  std::shared_ptr<tool::Invocation> find(std::uint64_t id) const;
  bool empty() const { return calls_.empty(); }
  std::size_t count() const { return calls_.size(); }
  std::vector<LostCall> take_all();

 private:
  struct Held {
    PendingCall call;
    std::string piece;     // of a push that comes in several records
    SteadyTime kill_at{};  // set once it was cancelled
    bool cancelled = false;
    bool retried = false;
  };

  static void cancel(std::uint64_t id, Held& held, SteadyTime kill_at, std::string& out);
  Result<void> take(Held& held, BodyReader& body);
  Result<void> take(Held& held, Record record);

  const std::uint64_t result_bytes_;
  PayloadSlots& slots_;
  std::unordered_map<std::uint64_t, Held> calls_;
  std::uint64_t next_ = 1;
};

}  // namespace host::plugin
