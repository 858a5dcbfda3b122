// One worker from its start to its end: the handshake, its calls, its death. Every call of the
// worker is finished exactly once, whatever happens to the worker.
//
//     Starting -> Ready -> Retiring -> Gone        from every state: -> Gone, by death
//
// I/O thread only. It keeps itself alive until its process was reaped.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "plugin/process/child.h"
#include "plugin/process/handshake.h"
#include "plugin/process/held_calls.h"
#include "plugin/process/known_places.h"
#include "plugin/process/liveness.h"
#include "plugin/process/worker_death.h"
#include "plugin/process/worker_link.h"
#include "plugin/services/desk.h"
#include "plugin/wire/news.h"
#include "plugin/wire/output_log.h"
#include "plugin/wire/payload_slots.h"
#include "plugin/wire/state_frames.h"
#include "plugin/wire/worker_messages.h"
#include "sandbox/compile_filter.h"

namespace host::plugin {

class WorkerProcess : public std::enable_shared_from_this<WorkerProcess> {
 public:
  struct Settings {
    std::filesystem::path executable;
    std::string plugin;  // for messages
    WorkerConfig config;
    std::shared_ptr<const SavedState> state;    // of the previous build; null: start without state
    std::vector<std::string> env;               // names of further environment variables for it
    sandbox::Profile examiner;                  // of the process that reads its debug information
    std::shared_ptr<sandbox::Filters> filters;  // for the worker and the examiner
    std::shared_ptr<KnownPlaces> places = std::make_shared<KnownPlaces>();  // of crashes
    bool probe = false;
    std::shared_ptr<const ServiceTable> services;         // null: its plugin has no services
    std::shared_ptr<const config::Plugin> side_settings;  // see Build
    Liveness::Limits times;
    std::chrono::milliseconds place_within{150};  // wait for the place of a crash
    std::chrono::milliseconds grace{2000};        // from a call's cancel to the worker's end
    bool lets_go = true;  // finish cancelled calls that do not stop, once it gets no new calls
    std::chrono::milliseconds end_timeout{2000};  // from its last call to its end, once it retires
  };
  using Started = Handshake::Told;
  using Ended = std::function<void(WorkerDeath death)>;
  using LateTrace = std::function<void(const WorkerDeath& death)>;

  static std::shared_ptr<WorkerProcess> create(boost::asio::any_io_executor io, Settings settings);
  ~WorkerProcess();

  // `started` is called once, never before this function returns, with the manifest, or the reason
  // why there is none.
  void start(Started started);
  // `ended` is called once, after the process was reaped. It must finish the remaining calls.
  // Without a listener they fail.
  void on_ended(Ended ended) { ended_ = std::move(ended); }
  // Called if the place of the crash was found only after on_ended() was called.
  void on_late_trace(LateTrace told) { late_trace_ = std::move(told); }

  bool ready() const { return state_ == State::Ready; }
  bool starting() const { return state_ == State::Starting; }
  bool retiring() const { return state_ == State::Retiring; }
  bool gone() const { return state_ == State::Gone; }
  // Its sandbox, once it is ready.
  const sandbox::Applied& sandbox() const { return handshake_.sandbox(); }
  // True: the worker has ended, and the place of its crash is still being looked up.
  bool end_is_untold() const { return gone() && end_untold_; }
  pid_t pid() const { return state_ == State::Gone ? 0 : child_.pid; }

  // `retried`: an earlier worker died while it had this call.
  void call(std::shared_ptr<tool::Invocation> invocation, bool retried);
  void cancel(const tool::Invocation& invocation);

  bool idle() const { return calls_.empty(); }
  std::size_t calls() const { return calls_.count(); }
  // Called after each ended call.
  void on_freed(std::function<void()> act) { freed_ = std::move(act); }
  // Call it while the worker is idle. `told` is called once, perhaps before this function returns.
  using Saved = std::function<void(Result<SavedState>)>;
  void save_state(Saved told);

  // True: a call is past its deadline, or was cancelled and did not stop. The worker may be killed
  // soon, and should get no new calls.
  bool has_overdue_call() const { return calls_.overdue(steady_now()); }
  // Called repeatedly while a cancelled call does not stop and other calls run in the worker.
  void on_stuck(std::function<void()> act) { stuck_ = std::move(act); }
  // From now on the worker gets no new calls, and ends after its current calls. See
  // HeldCalls::let_go_of_overdue() and Settings::lets_go.
  void set_aside();

  // The announcements of the plugin. The next News arrives after heard_news().
  NewsInbox& news() { return news_; }
  void heard_news();

  // Waits up to `drain` for the worker's calls, then asks the worker to quiesce and exit, and kills
  // it after Settings::end_timeout. If called twice, the earlier end of `drain` applies.
  void retire(std::chrono::milliseconds drain);
  // Asks the worker whether it is unused. Retires the worker if it has no call, no timer and no
  // open request.
  void stop_unless_used(std::chrono::milliseconds drain);
  // `counts`: true if this is a crash of the plugin, false if the worker is killed because of a
  // caller.
  void kill(std::string why, bool counts = true);

 private:
  enum class State { Starting, Ready, Retiring, Gone };

  WorkerProcess(boost::asio::any_io_executor io, Settings settings);

  Result<void> handle(const Frame& frame);
  Result<void> handle_handshake(const Frame& frame);
  Result<void> handle_log(const Frame& frame);
  Result<void> handle_state(const Frame& frame);
  Result<void> handle_host_call(const Frame& frame);
  std::shared_ptr<Desk> make_desk();
  void watch_output();
  void watch_death();
  void died(std::string how);
  void read_last_output();
  WorkerDeath examine(std::string how);
  std::uint64_t culprit_of(const WorkerDeath& death) const;
  void find_place(WorkerDeath death);
  void tell_end(WorkerDeath death);
  Result<void> handle_pong(const Frame& frame);
  void quiesce_when_idle();
  void tick();
  bool act_on(Liveness::Due due);  // false: the worker is being killed
  void arm_tick();

  boost::asio::any_io_executor io_;
  Settings settings_;
  State state_ = State::Starting;
  Child child_;
  std::shared_ptr<WorkerLink> link_;
  boost::asio::posix::stream_descriptor output_;
  boost::asio::posix::stream_descriptor death_;
  boost::asio::steady_timer timer_;  // start, ping, grace, drain
  const bool had_state_;             // state of an earlier worker, with data of any caller
  Handshake handshake_;
  Liveness liveness_;
  PayloadSlots slots_{PayloadSlots::End::Host};
  HeldCalls calls_;
  Saved saved_;  // null: not waiting for a state
  StateReader state_reader_;
  std::shared_ptr<Desk> desk_;  // its plugin's requests to the host's services
  Ended ended_;
  std::function<void()> freed_;
  std::function<void()> stuck_;
  std::optional<std::chrono::milliseconds> stop_asked_;  // with this time to drain
  LateTrace late_trace_;
  OutputLog log_;
  NewsInbox news_;
  bool awaits_news_ = true;  // the worker may send news
  std::array<char, 4096> output_buffer_;
  bool quiesce_sent_ = false;
  bool dismissed_ = false;  // retired while it was starting
  std::string kill_reason_;
  bool counts_ = true;
  std::uint64_t overdue_call_ = 0;  // the call for which it is killed
  bool end_untold_ = false;
  SteadyTime drain_by_{};
  bool ticking_fast_ = false;
};

}  // namespace host::plugin
