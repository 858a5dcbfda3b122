// A supervisor keeps one worker running for one build of a plugin. When the worker dies, the
// supervisor starts the next worker after a pause, unless the build is quarantined. The supervisor
// stops a worker that was idle for Build::idle_stop, and the next call starts a new worker.
//
// If a call does not stop at its deadline or after a cancel, the supervisor sets the worker aside.
// The worker that was set aside ends after its current calls, and a new worker gets the next calls.
//
// A call that crashed its worker fails, and the error describes the crash. The other calls of the
// crashed worker run once more in the next worker if it is harmless to repeat the call. A call that
// must not be repeated fails, and its error says that the call was lost. The functions of this
// header are called on the I/O thread. After its generation is destroyed, the supervisor exists
// until the worker has ended.
#pragma once

#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugin/process/worker_process.h"
#include "plugin/serving/build_record.h"
#include "plugin/serving/generation.h"

namespace host::plugin {

class Supervisor : public std::enable_shared_from_this<Supervisor> {
 public:
  // `manifest` is the description that every worker of this build must send.
  Supervisor(std::shared_ptr<Surroundings> around, const Build& build,
             WorkerProcess::Settings settings, std::string manifest);
  ~Supervisor();

  using Started = std::function<void(const Result<void>& fit)>;

  // adopt() sets the first worker, which must be ready. After start_later(), the first call or a
  // short timer starts the first worker. Use start_later() for a build with a stored description,
  // so that the host starts without waiting for the build. After start_later(), the supervisor
  // calls `started` once, when the first worker has started or could not be started. If
  // retire() is called first, the supervisor does not call `started`.
  void adopt(std::shared_ptr<WorkerProcess> worker);
  void start_later(Started started);
  void on_crash(std::function<void()> act) { on_crash_ = std::move(act); }

  void start(std::shared_ptr<tool::Invocation> invocation);
  void cancel(const std::shared_ptr<tool::Invocation>& invocation);
  void retire();
  // Kills the worker without waiting for its calls, which fail with `why`.
  void end_now(const std::string& why);

  bool idle() const;
  // Returns the load of this worker. The worker pool gives a new call to the worker with the least
  // load. A smaller number means less load.
  std::size_t burden() const;
  void save_state(WorkerProcess::Saved told);

  NewsInbox& news() { return news_; }
  void heard_news();
  std::vector<pid_t> pids() const;  // ids of workers that were set aside are last
  std::uint32_t restarts() const { return restarts_; }
  sandbox::Applied sandbox() const;  // the sandbox of the last running worker

 private:
  struct Waiting {
    std::shared_ptr<tool::Invocation> invocation;
    bool retried = false;  // an earlier worker started the call and died

    void end(Error why) const;  // `why` is the call's result
  };

  void listen_to_worker();
  bool refuses(const Waiting& one);
  bool takes_calls() const;
  void serve_waiting();
  void stuck();
  void set_aside();
  void freed(const WorkerProcess* by);
  bool must_wait(const tool::Invocation& invocation) const;
  void hand_out();
  void watch_for_idleness(SteadyTime at);
  void stop_if_idle();
  void rested();
  void ended(const WorkerProcess* which, SteadyTime up_since, WorkerDeath death);
  void count(const WorkerDeath& death, SteadyTime up_since);
  void put_off_start();
  void settle_calls(WorkerDeath& death);
  void fail_culprit(LostCall& call, const WorkerDeath& death);
  bool may_retry(const LostCall& call) const;
  std::chrono::milliseconds pause_left() const;
  void restart_after_pause();
  void restart_in(std::chrono::milliseconds pause);
  void restart();
  void restarted(Result<std::string> manifest);
  void stop_restart();
  void fail_waiting(const std::string& why);
  void fail(const Waiting& one, const std::string& why, std::string outcome = {}) const;

  std::shared_ptr<Surroundings> around_;
  const std::string plugin_;
  const std::shared_ptr<const StagedFile> staged_;  // the file that the next worker loads
  const std::shared_ptr<BuildRecord> record_;
  const WorkerProcess::Settings settings_;
  const std::string manifest_;
  const bool one_at_a_time_;  // true: this worker gets one call at a time
  const bool has_state_;      // the plugin has tp.state/1: only one worker at a time
  bool unproven_;             // true: no worker has confirmed the stored description yet
  const std::chrono::milliseconds idle_stop_;
  boost::asio::steady_timer pause_timer_;
  boost::asio::steady_timer idle_timer_;
  std::shared_ptr<WorkerProcess> worker_;
  std::vector<std::shared_ptr<WorkerProcess>> aside_;
  NewsInbox news_;
  std::deque<Waiting> waiting_;  // calls that wait for a starting worker
  std::function<void()> on_crash_;
  Started started_;
  std::uint64_t last_pause_ = 0;
  // After the host could not start a worker, the host does not try again before `not_before_`.
  SteadyTime not_before_{};
  std::chrono::milliseconds start_pause_{0};  // the pause after the last failed start
  bool restarting_ = false;
  bool retiring_ = false;
  bool replaces_ = false;  // the starting worker replaces a worker that died or was set aside
  bool unheard_ = false;   // the supervisor is handling an announcement of the worker
  // True if the worker has sent announcements. A worker that has sent announcements can send more,
  // so the supervisor does not stop this worker when it is idle.
  bool has_told_ = false;
  std::uint32_t restarts_ = 0;
  std::shared_ptr<SteadyTime> up_since_;  // start time of worker_; a new object for each worker
  SteadyTime last_used_{};
  sandbox::Applied last_sandbox_;  // the sandbox of the last stopped worker
};

}  // namespace host::plugin
