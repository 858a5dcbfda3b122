// A WorkerProcess manages one worker process from its start to its end: the handshake, the calls
// and the death. Every call that the worker gets is finished exactly once, whatever happens to the
// process.
//
// A WorkerProcess has the states Starting, Ready, Retiring and Gone, in this order.
//
// If the process dies, the next state is Gone, whatever the current state is. The functions of this
// header are called on the I/O thread. A WorkerProcess keeps itself alive until the process has
// been reaped. If the event loop is destroyed earlier, the WorkerProcess destroys its callbacks and
// calls without running or finishing them.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/loop_end.h"
#include "base/result.h"
#include "plugin/process/child.h"
#include "plugin/process/handshake.h"
#include "plugin/process/held_calls.h"
#include "plugin/process/known_places.h"
#include "plugin/process/liveness.h"
#include "plugin/process/worker_death.h"
#include "plugin/process/worker_link.h"
#include "plugin/process/worker_output.h"
#include "plugin/services/desk.h"
#include "plugin/wire/news.h"
#include "plugin/wire/payload_slots.h"
#include "plugin/wire/state_frames.h"
#include "plugin/wire/worker_messages.h"
#include "sandbox/compile_filter.h"

namespace host::plugin {

class WorkerProcess : public std::enable_shared_from_this<WorkerProcess> {
 public:
  struct Settings {
    std::filesystem::path executable;
    std::string plugin;  // the name for messages
    WorkerConfig config;
    // The state of the previous build. If `state` is null, the worker starts without state.
    std::shared_ptr<const SavedState> state;
    std::vector<std::string> env;  // names of further environment variables for the worker
    // The sandbox of the process that reads the debug information after a crash.
    sandbox::Profile examiner;
    std::shared_ptr<sandbox::Filters> filters;  // filters of the worker and the examiner
    std::shared_ptr<KnownPlaces> places = std::make_shared<KnownPlaces>();
    bool probe = false;
    std::shared_ptr<const ServiceTable> services;         // null: the plugin has no services
    std::shared_ptr<const config::Plugin> side_settings;  // see Build::side_settings
    Liveness::Limits times;
    // How long the host waits for the source place of a crash.
    std::chrono::milliseconds place_within{150};
    std::chrono::milliseconds grace{2000};  // time from a call's cancel to the worker's kill
    // If `lets_go` is true, the host stops waiting for cancelled calls that do not stop in a worker
    // that was set aside. See HeldCalls::let_go_of_overdue().
    bool lets_go = true;
    // The time that a retiring worker has after its last call before the host kills it.
    std::chrono::milliseconds end_timeout{2000};
  };
  using Started = Handshake::Told;
  using Ended = std::function<void(WorkerDeath death)>;
  using LateTrace = std::function<void(const WorkerDeath& death)>;

  static std::shared_ptr<WorkerProcess> create(boost::asio::any_io_executor io, Settings settings);
  ~WorkerProcess();

  // The WorkerProcess calls `started` once, and never before start() has returned. `started` gets
  // the library's manifest, or the reason why the worker did not start.
  void start(Started started);
  // The WorkerProcess calls `ended` once, after the process was reaped. `ended` must end the calls
  // that the worker had not finished. Without a function from on_ended(), unfinished calls fail
  // when the worker ends.
  void on_ended(Ended ended) { ended_ = std::move(ended); }
  // The WorkerProcess calls `told` if the source place of the crash was found only after the
  // on_ended() listener had run.
  void on_late_trace(LateTrace told) { late_trace_ = std::move(told); }

  bool ready() const { return state_ == State::Ready && !dying_; }
  bool starting() const { return state_ == State::Starting; }
  bool retiring() const { return state_ == State::Retiring; }
  bool gone() const { return state_ == State::Gone; }
  // Returns the sandbox that the worker reported when it became ready.
  const sandbox::Applied& sandbox() const { return handshake_.sandbox(); }
  // True if the worker has ended or is being killed, but its on_ended() listener has not run yet.
  // Before the listener runs, the host can still be looking up the place of a crash.
  bool end_is_untold() const { return gone() ? end_untold_ : dying_; }
  pid_t pid() const { return state_ == State::Gone ? 0 : child_.pid; }

  // `retried` is true if an earlier worker died while it had this call.
  void call(std::shared_ptr<tool::Invocation> invocation, bool retried);
  void cancel(const tool::Invocation& invocation);

  bool idle() const { return calls_.empty(); }
  std::size_t calls() const { return calls_.count(); }
  // The WorkerProcess calls `act` when a call has ended.
  void on_freed(std::function<void()> act) { freed_ = std::move(act); }
  // Asks the plugin for its state. Call save_state() while the worker is idle. The WorkerProcess
  // calls `told` once, perhaps before save_state() returns.
  using Saved = std::function<void(Result<SavedState>)>;
  void save_state(Saved told);

  // True if a call is past its deadline, or was cancelled and did not stop. A worker with an
  // overdue call should get no new calls, because the host may soon kill the worker.
  bool has_overdue_call() const { return calls_.overdue(steady_now()); }
  // The WorkerProcess calls `act` repeatedly while a cancelled call does not stop and other calls
  // run in the worker.
  void on_stuck(std::function<void()> act) { stuck_ = std::move(act); }
  // After set_aside(), the worker gets no new calls, and ends after its current calls. See
  // HeldCalls::let_go_of_overdue() and Settings::lets_go.
  void set_aside();

  // Returns the plugin's announcements of changed tools, resources and prompts. The worker sends
  // the next announcements only after heard_news().
  NewsInbox& news() { return news_; }
  void heard_news();

  // Waits up to `drain` for the worker's calls, then asks the worker to quiesce and exit. retire()
  // kills the worker if the worker has not exited within Settings::end_timeout. If retire() is
  // called twice, the earlier end time applies.
  void retire(std::chrono::milliseconds drain);
  // Asks the worker whether it still has timers or open requests. Retires the worker if the worker
  // has no call, no timer and no open request.
  void stop_unless_used(std::chrono::milliseconds drain);
  // If `counts` is true, the worker's end counts as a crash of the plugin. Set `counts` to false if
  // the host kills the worker because of a caller.
  void kill(std::string why, bool counts = true);

 private:
  enum class State { Starting, Ready, Retiring, Gone };

  WorkerProcess(boost::asio::any_io_executor io, Settings settings);

  Result<void> handle(const Frame& frame);
  Result<void> handle_handshake(const Frame& frame);
  Result<void> handle_log(const Frame& frame);
  Result<void> handle_state(const Frame& frame);
  Result<void> handle_host_call(const Frame& frame);
  bool still_serves(ServiceId service) const;
  std::shared_ptr<Desk> make_desk();
  void watch_death();
  void died(std::string how);
  void abandon();
  WorkerDeath examine(std::string how);
  std::uint64_t culprit_of(const WorkerDeath& death) const;
  void find_place(WorkerDeath death);
  void tell_end(WorkerDeath death);
  Result<void> handle_pong(const Frame& frame);
  void quiesce_when_idle();
  void tick();
  bool act_on(Liveness::Due due);  // returns false if it kills the worker
  void arm_tick();

  boost::asio::any_io_executor io_;
  Settings settings_;
  State state_ = State::Starting;
  Child child_;
  std::shared_ptr<WorkerLink> link_;
  const std::shared_ptr<WorkerOutput> output_;
  boost::asio::posix::stream_descriptor death_;
  boost::asio::steady_timer timer_;  // timer for the start, pings, grace times and the drain
  // True if the worker got a state of an earlier worker, which can contain data of any caller.
  const bool had_state_;
  Handshake handshake_;
  Liveness liveness_;
  PayloadSlots slots_{PayloadSlots::End::Host};
  HeldCalls calls_;
  Saved saved_;  // null: no save_state() is in progress
  StateReader state_reader_;
  std::shared_ptr<Desk> desk_;  // handles the plugin's requests to the host's services
  Ended ended_;
  std::function<void()> freed_;
  std::function<void()> stuck_;
  // The time `drain` for retire(), which is set while stop_unless_used() waits for the worker's
  // answer.
  std::optional<std::chrono::milliseconds> stop_asked_;
  LateTrace late_trace_;
  NewsInbox news_;
  bool awaits_news_ = true;  // the worker may send the next News
  bool quiesce_sent_ = false;
  bool dismissed_ = false;  // retire() was called while the worker was starting
  bool dying_ = false;      // the process was killed or reaped: it gets no calls any more
  std::string kill_reason_;
  bool counts_ = true;
  std::uint64_t overdue_call_ = 0;  // the call because of which the worker is killed; 0: none
  bool end_untold_ = false;
  SteadyTime drain_by_{};
  bool ticking_fast_ = false;
  LoopEnd loop_end_{io_, [this] { abandon(); }};
};

}  // namespace host::plugin
