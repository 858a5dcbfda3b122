// Detached calls: a client makes one and reads its record later, from anywhere. The host passes
// each through the pipeline in a coroutine of its own, so the client may disconnect. After a
// restart of the host, calls that had not begun run. A call that had begun does not run again: its
// effect is unknown, and its record says so. Calls that callers execute go on as they were. What a
// caller answers when no coroutine waits for it passes what is left of the pipeline in a new one.
// I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "task/leases.h"
#include "task/records.h"
#include "task/room.h"
#include "tool/call.h"
#include "tool/peer.h"

namespace host::task {

class Detached {
 public:
  struct Settings {
    std::chrono::milliseconds look_every{250};     // for heartbeats and their timeouts
    std::chrono::milliseconds store_every{5'000};  // heartbeats
    // Calls of one principal that are in the pipeline and wait neither for a person nor for a
    // caller. Further calls wait for their turn.
    std::size_t running = 64;
  };
  // Passes a call through the pipeline.
  using Run = std::function<boost::asio::awaitable<Result<tool::CallResult>>(tool::Call& call)>;
  // References outlive it.
  struct Parts {
    boost::asio::any_io_executor executor;
    const Clock& clock;
    Records& records;
    Leases& leases;
    Room& room;
    Run run;
    Leases::FindTool find_tool;
    std::function<void(const std::string& session)> touch;  // it has a call that has not ended
    std::function<void()> flush_audit;  // the end of a call is in the audit before it is stored
    bool has_interceptors = false;      // they have to see a result before a client does
  };
  Detached(Parts parts, Settings settings);
  ~Detached();
  Detached(const Detached&) = delete;
  Detached& operator=(const Detached&) = delete;

  struct New {
    tool::Peer who;  // with the session
    std::string tool;
    std::string arguments;  // JSON object text
    std::string definition;
    std::string tool_use_id;
    std::string idempotency_key;
    std::vector<std::string> webhooks;  // ids
    std::string by;
  };
  // Returns the record once it is stored, and then runs the call. Unavailable: a limit was reached,
  // or it cannot be stored.
  boost::asio::awaitable<Result<RecordPtr>> create(New made);
  // The earlier call of this tool with the same idempotency key. Null: there is none.
  RecordPtr earlier(std::string_view principal, std::string_view tool, std::string_view key) const;
  // See Room.
  bool is_full_for(const std::string& principal, std::size_t bytes) const {
    return parts_.room.is_full_for(principal, bytes);
  }
  // Ignored if the call has ended.
  void cancel(const RecordPtr& record, std::string_view code, std::string_view by);
  void end_session(std::string_view session);
  // Ends the calls that have not begun of those who may not call any more.
  using Who = std::function<bool(const std::string& principal, const std::string& agent)>;
  void end_of(const Who& whose);
  // Waits until the record has ended, or the time has passed, or the host stops.
  boost::asio::awaitable<void> wait_for_end(std::string id, std::chrono::milliseconds most);
  // Waits until the result of an answered call has passed all checks. Then only its post_ tools are
  // left, or it has ended.
  boost::asio::awaitable<void> wait_for_check(std::string id);

  // Makes the end of a record that a caller has answered, if no call waits for it.
  void finish(const RecordPtr& record);

  // Continues with the calls of an earlier host, once the tools are loaded. Those that have not
  // begun end if `lost` is true of who made them. `lost` may be null.
  void take_over(const Who& lost);
  // The host stops. Calls that have not begun stay as they are, for the next host.
  void end_waits();
  void stop();

 private:
  class Running;
  using RunningPtr = std::shared_ptr<Running>;
  struct Lane {  // of one principal
    std::size_t running = 0;
    std::deque<std::string> waiting;  // records
    bool starts = false;              // start_waiting() was posted
  };

  void start(const RecordPtr& record);
  void launch(const RecordPtr& record, bool in_lane);
  tool::CallResult without_pipeline(const tool::Record& record, tool::Call& call) const;
  void take_over_callers(const RecordPtr& record);
  void change(tool::Record next, std::string_view by);
  using Ready = bool (*)(const tool::Record& record);
  boost::asio::awaitable<void> wait_until(std::string id,
                                          std::optional<std::chrono::milliseconds> most,
                                          Ready ready);
  tool::Call call_of(const tool::Record& record, Running& running) const;
  void leave_lane(Running& running, const std::string& principal);
  void start_waiting(const std::string& principal);
  boost::asio::awaitable<void> run(RunningPtr running);
  boost::asio::awaitable<void> run_rest(RunningPtr running);
  bool is_to_repeat(const Running& running, const tool::Call& call,
                    const Result<tool::CallResult>& result) const;
  void end(const std::string& id, const tool::Call& call, const Result<tool::CallResult>& result);
  bool is_left_for_next_host(const tool::Record& record, const tool::Call& call) const;
  void changed(const RecordPtr& record);
  void look();
  void look_later();

  const Parts parts_;
  const Settings settings_;
  std::unordered_map<std::string, RunningPtr> running_;  // by record
  std::map<std::string, Lane, std::less<>> lanes_;       // by principal
  boost::asio::steady_timer look_;
  SteadyTime stored_at_{};
  std::unordered_multimap<std::string, boost::asio::steady_timer*> waiters_;  // by record
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool looking_ = false;
  bool stopping_ = false;
};

}  // namespace host::task
