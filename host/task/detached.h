// Runs detached calls: a client sends a call and reads the call's record later, also over a
// different connection. The host passes each call through the pipeline in a separate coroutine, so
// the client can disconnect. After a restart, the host runs the calls that had not begun. If a call
// had begun, the host does not run it again, because its effect is unknown. The record of a call
// that had begun ends with the code "interrupted". A restart does not end calls of tools that a
// client executes. If such a client sends its result after a restart, a new coroutine passes the
// result through the rest of the pipeline. The functions of Detached are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "task/detached_call.h"
#include "task/key_claims.h"
#include "task/lanes.h"
#include "task/leases.h"
#include "task/records.h"
#include "task/room.h"
#include "tool/call/call.h"
#include "tool/call/peer.h"

namespace host::task {

class Detached {
 public:
  struct Settings {
    std::chrono::milliseconds look_every{250};  // how often to check heartbeats and their timeouts
    std::chrono::milliseconds store_every{5'000};  // how often heartbeats are stored
    // `running` is the maximum number of one principal's calls that can be in the pipeline at the
    // same time. Calls that wait for an approval, a one-time code, an answer or the executing
    // client do not count towards the limit of running calls. Further calls wait until an earlier
    // call leaves the pipeline.
    std::size_t running = 64;
  };
  // Passes a call through the pipeline.
  using Run = std::function<boost::asio::awaitable<Result<tool::CallResult>>(tool::Call& call)>;
  // The references in Parts must outlive the Detached object.
  struct Parts {
    boost::asio::any_io_executor executor;
    const Clock& clock;
    Records& records;
    Leases& leases;
    Room& room;
    Run run;
    Leases::FindTool find_tool;
    // The Detached object calls `touch` for each session that has an unfinished call, so that the
    // session does not end because it is idle.
    std::function<void(const std::string& session)> touch;
    std::function<void()> flush_audit;  // runs before the end of a call is stored
    bool has_interceptors = false;      // true: interceptors are configured
    // `has_call` returns the result of Handovers::has_call(). If `has_call` is null, the result is
    // always false.
    std::function<bool(const std::string& record)> has_call = nullptr;
    // `has_task_call` returns the result of Tasks::has_call(). If `has_task_call` is null, the
    // result is always false.
    std::function<bool(const std::string& record)> has_task_call = nullptr;
    // `has_session` returns true if the session has not ended. If `has_session` is null, the result
    // is always true.
    std::function<bool(const std::string& session)> has_session = nullptr;
    // Writes the audit line of a call that ends outside the pipeline. If the function `note` is
    // null, the host writes no audit line for calls that end outside the pipeline.
    std::function<void(const tool::Call& call, const Result<tool::CallResult>& result)> note =
        nullptr;
  };
  Detached(Parts parts, Settings settings);
  ~Detached();
  Detached(const Detached&) = delete;
  Detached& operator=(const Detached&) = delete;

  struct New {
    tool::Peer who;  // the caller, with its session
    std::string tool;
    std::string arguments;  // the call's arguments as JSON object text
    std::string context;    // see Record::context
    std::string definition;
    std::string tool_use_id;
    std::string idempotency_key;
    std::string key_tool;               // see Record::key_tool
    std::vector<std::string> webhooks;  // ids of webhooks that get the call's events
    std::string by;
  };
  // create() waits until the record is stored, returns the record, and then runs the call. The
  // Error Unavailable means that a limit is reached, or the record cannot be stored.
  boost::asio::awaitable<Result<RecordPtr>> create(New made);
  // Returns the record of an earlier call that has the same key_tool and idempotency key. Returns
  // null if there is no earlier call. Returns null also if the earlier call and its session have
  // ended, because then nobody can read the record.
  RecordPtr earlier(std::string_view principal, std::string_view key_tool,
                    std::string_view key) const;
  // Returns the result of Room::is_full_for().
  bool is_full_for(const std::string& principal, std::size_t bytes) const {
    return parts_.room.is_full_for(principal, bytes);
  }
  // cancel() does nothing if the call has ended.
  void cancel(const RecordPtr& record, std::string_view code, std::string_view by);
  void end_session(std::string_view session);
  // Ends a call because an operator requested its end.
  void end_by_operator(const RecordPtr& record, std::string_view by);
  // Returns the records of the tasks that wait for their clients' answers and have no call. A task
  // that waits but has no call comes from an earlier host process, which asked the task's
  // questions. The oldest come first.
  std::vector<RecordPtr> tasks_without_call() const;
  // Call end_of_tools() when the client of a session has removed some of the session's tools. The
  // function end_of_tools() ends each call of the removed tools that no client has picked up. A
  // client that has picked up a call of a removed tool can still answer the call.
  void end_of_tools(std::string_view session, const std::set<std::string, std::less<>>& removed);
  // Ends each call that has not begun, if `whose` returns true for the call's principal and agent.
  // Call end_of() when some principals or agents may no longer make calls.
  using Who = std::function<bool(const std::string& principal, const std::string& agent)>;
  void end_of(const Who& whose);
  // Waits until the record has ended, the time `most` has passed, or the host begins to stop.
  boost::asio::awaitable<void> wait_for_end(std::string id, std::chrono::milliseconds most);
  // Waits until the result of an answered call has passed all checks. When wait_for_check()
  // returns, the call has ended, or only its post_ tools still have to run.
  boost::asio::awaitable<void> wait_for_check(std::string id);

  // If the client that executes a call has sent the result, and no coroutine of the call is
  // running, finish() continues the call and ends its record.
  void finish(const RecordPtr& record);

  // Continues the calls of an earlier process. Call take_over() when the tools are loaded. The
  // function take_over() ends a call that has not begun if `lost` returns true for the call's
  // principal and agent, or if the call's session has ended. `lost` can be null.
  void take_over(const Who& lost);
  // Sets the KeyClaims object that holds the idempotency keys of calls. `claims` must exist as long
  // as other functions of the object are called. Without a KeyClaims object, the idempotency key of
  // an interrupted call is lost with the call's record.
  void keep_keys_by(KeyClaims& claims) { keys_ = &claims; }

  // Reports that the host is stopping. The function end_waits() ends the waits of calls that have
  // not begun, and the next process of this host continues these calls. The function stop() also
  // stores heartbeats and cancels the running calls.
  void end_waits();
  void stop();

 private:
  using RunningPtr = std::shared_ptr<DetachedCall>;
  void end_with(const RecordPtr& record, std::string_view code, std::string_view words,
                std::string_view by);
  void end_with_its_session(const RecordPtr& record);
  void end_with_its_credential(const RecordPtr& record);
  bool ends_by_its_call(const tool::Record& record) const;
  bool has_lost_its_session(const tool::Record& record) const;
  void stop_running(const std::string& id);
  void start(const RecordPtr& record);
  bool start_now(const std::string& id);
  void launch(const RecordPtr& record, bool in_lane);
  tool::CallResult without_pipeline(const tool::Record& record, tool::Call& call) const;
  void take_over_callers(const RecordPtr& record);
  void change(tool::Record next, std::string_view by);
  void end_unwatched(tool::Record next, std::string_view by);
  using Ready = bool (*)(const tool::Record& record);
  boost::asio::awaitable<void> wait_until(std::string id,
                                          std::optional<std::chrono::milliseconds> most,
                                          Ready ready);
  void leave_lane(DetachedCall& running);
  boost::asio::awaitable<void> run(RunningPtr running);
  boost::asio::awaitable<void> run_rest(RunningPtr running);
  bool is_to_repeat(const DetachedCall& running, const tool::Call& call,
                    const Result<tool::CallResult>& result) const;
  void end(const std::string& id, const tool::Call& call, const Result<tool::CallResult>& result);
  bool is_left_for_next_host(const tool::Record& record, const tool::Call& call) const;
  void wake(const std::string& id);
  void changed(const RecordPtr& record);
  void look();
  void look_later();

  void keep_key_of(const tool::Record& record);

  const Parts parts_;
  const Settings settings_;
  KeyClaims* keys_ = nullptr;  // null: see keep_keys_by()
  Lanes lanes_;
  std::unordered_map<std::string, RunningPtr> running_;  // keys: ids of records
  boost::asio::steady_timer look_;
  SteadyTime stored_at_{};
  std::unordered_multimap<std::string, boost::asio::steady_timer*> waiters_;  // keys: record ids
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool looking_ = false;
  bool stopping_ = false;
};

}  // namespace host::task
