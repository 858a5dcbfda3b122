#include "plugin/serving/supervisor.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/log.h"

namespace host::plugin {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds kLongestWait = 1s;  // of a call for a pause to end
constexpr std::size_t kMostWaiting = 1024;
constexpr std::chrono::milliseconds kFirstStartPause = 100ms;  // after a start that failed
constexpr std::chrono::milliseconds kFirstStart = 50ms;        // of a worker that nobody calls yet
// For a call to stop at its deadline, before a fresh worker takes the next ones.
constexpr std::chrono::milliseconds kStopsSoon = 100ms;
constexpr std::size_t kMostAside = 8;

double dice() {
  static thread_local std::minstd_rand generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(-1, 1)(generator);
}

std::string name_of(const tool::Invocation& call) {
  return call.tool ? "tool \"" + call.tool->name() + "\"" : "one of its functions";
}

bool harmless_twice(const tool::Invocation& call) {
  if (tool::is_interception(call.function)) return false;                // it may count calls
  if (call.function != tool::Function::Call || !call.tool) return true;  // these change nothing
  return tool::only_reads(call) || call.tool->declared().idempotent;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace

Supervisor::Supervisor(std::shared_ptr<Surroundings> around, const Build& build,
                       WorkerProcess::Settings settings, std::string manifest)
    : around_(std::move(around)),
      plugin_(build.plugin),
      staged_(build.staged),
      record_(build.record),
      settings_(std::move(settings)),
      manifest_(std::move(manifest)),
      one_at_a_time_(build.manifest.serial && build.workers > 1),
      has_state_(build.manifest.has_state),
      unproven_(build.known),
      idle_stop_(build.idle_stop),
      pause_timer_(around_->io),
      idle_timer_(around_->io) {
  ++around_->alive;
  around_->supervisors.insert(this);
}

Supervisor::~Supervisor() {
  fail_waiting("the host stops");
  around_->supervisors.erase(this);
  --around_->alive;
}

void Supervisor::adopt(std::shared_ptr<WorkerProcess> worker) {
  worker_ = std::move(worker);
  unheard_ = false;
  around_->metrics->worker_started(plugin_);
  up_since_ = std::make_shared<SteadyTime>(steady_now());
  // Holds this until the worker is gone: its file must stay, and its end be counted.
  worker_->on_ended([self = shared_from_this(), which = worker_.get(), up_since = up_since_](
                        WorkerDeath death) { self->ended(which, *up_since, std::move(death)); });
  worker_->on_late_trace(
      [around = around_, plugin = plugin_, record = record_](const WorkerDeath& death) {
        record->set_last_crash(death.words());
        around->tell_setback(plugin, "its worker " + death.words());
      });
  worker_->on_freed([self = weak_from_this(), which = worker_.get()] {
    if (const auto alive = self.lock()) alive->freed(which);
  });
  worker_->on_stuck([self = weak_from_this(), which = worker_.get()] {
    const auto alive = self.lock();
    if (alive && alive->worker_.get() == which) alive->stuck();
  });
  if (worker_->ready()) listen_to_worker();
  last_used_ = steady_now();
  if (idle_stop_.count() > 0) watch_for_idleness(last_used_ + idle_stop_);
}

// Not before the worker is up: `restarted` undoes earlier announcements, and must come first.
void Supervisor::listen_to_worker() {
  worker_->news().listen([self = weak_from_this()](News news) {
    const auto alive = self.lock();
    if (!alive) return;
    alive->has_told_ = alive->unheard_ = true;
    alive->news_.put(std::move(news));
  });
}

void Supervisor::start_later(Started started) {
  started_ = std::move(started);
  restart_in(kFirstStart);
}

void Supervisor::heard_news() {
  // Once for each piece: a worker that was told it may tell more than once would tell too much.
  if (worker_ && std::exchange(unheard_, false)) worker_->heard_news();
}

void Supervisor::save_state(WorkerProcess::Saved told) {
  if (worker_) return worker_->save_state(std::move(told));
  told(Error{ErrorKind::Unavailable, "it has no worker"});
}

// ---- calls

void Supervisor::start(std::shared_ptr<tool::Invocation> invocation) {
  if (refuses({invocation})) return;
  last_used_ = steady_now();
  const bool ready = takes_calls();
  if (ready && !must_wait(*invocation)) return worker_->call(std::move(invocation), false);
  if (waiting_.size() >= kMostWaiting) {
    return fail({invocation}, "too many calls wait for its worker: try again", "backoff");
  }
  // The pause is for the one after it.
  const bool is_there = worker_ && (worker_->starting() || worker_->ready());
  const auto left = is_there ? 0ms : pause_left();
  if (left > kLongestWait) {
    return fail({invocation},
                "its worker crashed " + std::to_string(record_->in_a_row()) +
                    " times in a row: it is started again in " +
                    std::to_string((left.count() + 999) / 1000) + " s, try again then",
                "backoff");
  }
  waiting_.push_back({std::move(invocation), false});
  if (!ready) serve_waiting();
}

void Supervisor::serve_waiting() {
  if (takes_calls()) return hand_out();
  if (waiting_.empty() || restarting_) return;
  if (worker_ && worker_->ready()) {
    restarting_ = true;
    return restart_in(kStopsSoon);
  }
  const bool end_comes = worker_ && worker_->end_is_untold();  // it sets the pause
  if (!end_comes) restart_after_pause();
}

void Supervisor::freed(const WorkerProcess* by) {
  if (by != worker_.get()) return;
  last_used_ = steady_now();
  if (waiting_.empty() || !takes_calls()) return;
  stop_restart();
  hand_out();
}

// Another worker would have none of its state.
void Supervisor::stuck() {
  if (retiring_ || has_state_ || aside_.size() >= kMostAside) return;
  set_aside();
  serve_waiting();
}

// Its worker is killed if the call goes on: what comes now should not be lost with it.
void Supervisor::set_aside() {
  log::warning("plugin", "a call does not stop: its worker gets no new calls, and a fresh one does",
               {{"plugin", plugin_}, {"pid", std::to_string(worker_->pid())}});
  last_sandbox_ = worker_->sandbox();
  worker_->news().listen([](News) {});
  const auto old = aside_.emplace_back(std::exchange(worker_, nullptr));
  replaces_ = true;
  old->set_aside();
}

// Where too many were set aside already, it goes on as it is. So does one with a state.
bool Supervisor::takes_calls() const {
  return worker_ && worker_->ready() &&
         (has_state_ || aside_.size() >= kMostAside || !worker_->has_overdue_call());
}

bool Supervisor::idle() const {
  return waiting_.empty() && (!worker_ || worker_->idle()) &&
         std::all_of(aside_.begin(), aside_.end(), [](const auto& one) { return one->idle(); });
}

std::vector<pid_t> Supervisor::pids() const {
  std::vector<pid_t> pids;
  if (worker_ && !worker_->gone()) pids.push_back(worker_->pid());
  for (const auto& worker : aside_) pids.push_back(worker->pid());
  return pids;
}

std::size_t Supervisor::burden() const {
  constexpr std::size_t kFar = 1u << 20u;
  const std::size_t calls = waiting_.size() + (worker_ ? worker_->calls() : 0);
  if (takes_calls()) return 2 * calls;
  if (worker_ && worker_->starting()) return 2 * calls + 1;
  // One to start is better than one that is busy. So is a pause where a busy one could not begin.
  const bool paused = pause_left() > 0ms || (worker_ && worker_->end_is_untold());
  const bool soon = !paused || (one_at_a_time_ && pause_left() <= kLongestWait);
  return 2 * calls + (soon ? 1 : kFar);
}

// A serial instance's own thread runs what comes one by one, but a call that it holds open is no
// reason to wait there while another worker is free.
bool Supervisor::must_wait(const tool::Invocation& invocation) const {
  return one_at_a_time_ && invocation.function == tool::Function::Call && !worker_->idle();
}

void Supervisor::hand_out() {
  for (std::size_t left = waiting_.size(); left > 0 && takes_calls(); --left) {
    Waiting one = std::move(waiting_.front());
    waiting_.pop_front();
    if (must_wait(*one.invocation)) {
      waiting_.push_back(std::move(one));
    } else {
      worker_->call(std::move(one.invocation), one.retried);
    }
  }
}

bool Supervisor::refuses(const Waiting& one) {
  if (record_->quarantined()) {
    fail(one, record_->quarantine_words(), "quarantined");
    return true;
  }
  const auto seconds = record_->refuses(*one.invocation, steady_now());
  if (!seconds) return false;
  fail(one,
       name_of(*one.invocation) +
           " has crashed with just these arguments before: they are refused for " +
           std::to_string(seconds->count()) + " s more, or until another build is installed; " +
           "other arguments are served",
       "refused_input");
  return true;
}

void Supervisor::cancel(const std::shared_ptr<tool::Invocation>& invocation) {
  const auto at = std::find_if(waiting_.begin(), waiting_.end(),
                               [&](const Waiting& one) { return one.invocation == invocation; });
  if (at != waiting_.end()) {
    const Waiting one = std::move(*at);
    waiting_.erase(at);
    return one.end({ErrorKind::Cancelled, "cancelled before it began"});
  }
  if (worker_) worker_->cancel(*invocation);
  for (const auto& worker : aside_) worker->cancel(*invocation);
}

void Supervisor::Waiting::end(Error why) const {
  if (retried) {
    invocation->finish(std::move(why));
  } else {
    invocation->refuse(std::move(why));
  }
}

void Supervisor::fail(const Waiting& one, const std::string& why, std::string outcome) const {
  one.invocation->outcome = std::move(outcome);
  one.end({ErrorKind::Unavailable, "plugin \"" + plugin_ + "\": " + why});
}

void Supervisor::fail_waiting(const std::string& why) {
  for (const Waiting& one : std::exchange(waiting_, {})) fail(one, why);
}

// ---- the end of a worker

void Supervisor::ended(const WorkerProcess* which, SteadyTime up_since, WorkerDeath death) {
  const bool crashed = !death.wanted && !death.at_end && death.counts;
  const bool host_stops = death.at_end && death.how.ends_with("the host stops");
  if (host_stops) {
    log::info("plugin", "a worker was killed, because the host stops immediately",
              {{"plugin", plugin_}});
  } else if (!death.wanted) {
    log::warning(
        "plugin",
        death.at_end ? "the plugin failed while its worker was ending" : "the worker ended",
        {{"plugin", plugin_},
         {"how", death.words()},
         {"trace", describe(death.trace)},
         {"last_lines", joined_lines(death.last_lines)}});
  }
  if (has_state_ && death.started && !death.wanted && !death.at_end) {
    log::warning("plugin", "the plugin's state was lost with its worker", {{"plugin", plugin_}});
  }
  if (crashed) count(death, up_since);
  if (!death.started) put_off_start();
  const bool was_aside =
      std::erase_if(aside_, [which](const auto& one) { return one.get() == which; }) > 0;
  settle_calls(death);
  if ((death.wanted || death.at_end) && !retiring_ && !was_aside) rested();
  if (crashed && !retiring_ && on_crash_) on_crash_();
  if (record_->quarantined()) {
    for (const Waiting& one : std::exchange(waiting_, {})) {
      fail(one, record_->quarantine_words(), "quarantined");
    }
  }
  if (worker_.get() == which) stop_restart();  // its end sets the pause
  serve_waiting();
}

void Supervisor::count(const WorkerDeath& death, SteadyTime up_since) {
  const bool before = record_->quarantined();
  around_->metrics->crashed(plugin_);
  record_->crashed(steady_now(), steady_now() - up_since, dice());
  record_->set_last_crash(death.words());
  around_->tell_setback(plugin_, "its worker " + death.words());
  if (!before && record_->quarantined()) {
    log::error("plugin", "is quarantined: it crashes again and again",
               {{"plugin", plugin_},
                {"crashes", std::to_string(record_->crashes())},
                {"hash", staged_->hash}});
    around_->tell_setback(plugin_, record_->quarantine_words());
    if (around_->on_quarantine) around_->on_quarantine(plugin_, record_->quarantine_words());
  }
}

// A host that is short of something must not try with each call. A call waits for the pause's end.
void Supervisor::put_off_start() {
  start_pause_ = std::clamp(2 * start_pause_, kFirstStartPause, kLongestWait);
  not_before_ = steady_now() + start_pause_;
}

void Supervisor::settle_calls(WorkerDeath& death) {
  for (LostCall& call : death.calls) {
    if (call.id == death.culprit) {
      if (death.counts) record_->blame(*call.invocation, steady_now());
      fail_culprit(call, death);
    } else if (may_retry(call)) {
      waiting_.push_back({std::move(call.invocation), true});
    } else {
      call.invocation->outcome = "lost";
      call.invocation->finish(Error{ErrorKind::PluginFault,
                                    "the call was lost: the worker of plugin \"" + plugin_ + "\" " +
                                        death.how +
                                        " while it ran, and it may or may not have had effect"});
    }
  }
}

void Supervisor::fail_culprit(LostCall& call, const WorkerDeath& death) {
  std::string text = "the worker of plugin \"" + plugin_ + "\" " + death.words() +
                     ", while it ran " + name_of(*call.invocation);
  if (!death.own_lines.empty()) text += "; the last lines that it wrote:";
  for (const std::string& line : death.own_lines) text += "\n  " + line;
  call.invocation->outcome = "crashed";
  call.invocation->finish(Error{ErrorKind::PluginFault, std::move(text)});
}

bool Supervisor::may_retry(const LostCall& call) const {
  const SteadyTime deadline = call.invocation->deadline;
  const bool in_time = deadline == SteadyTime{} || steady_now() < deadline;
  return !retiring_ && !call.retried && !call.cancelled && in_time &&
         harmless_twice(*call.invocation) && !record_->quarantined() &&
         pause_left() <= kLongestWait && waiting_.size() < kMostWaiting;
}

// ---- the next worker

std::chrono::milliseconds Supervisor::pause_left() const {
  const SteadyTime next = std::max(record_->next_start(), not_before_);
  return std::max(0ms, std::chrono::ceil<std::chrono::milliseconds>(next - steady_now()));
}

void Supervisor::restart_after_pause() {
  restarting_ = true;
  restart_in(pause_left());
}

// In place of a pause that is under way. That one may be over in this very turn, when nothing can
// cancel it any more: it starts no worker beside the other.
void Supervisor::restart_in(std::chrono::milliseconds pause) {
  pause_timer_.expires_after(pause);
  pause_timer_.async_wait(
      [self = shared_from_this(), mine = ++last_pause_](boost::system::error_code error) {
        if (!error && mine == self->last_pause_ && !self->retiring_) self->restart();
      });
}

void Supervisor::stop_restart() {
  ++last_pause_;
  pause_timer_.cancel();
  restarting_ = false;
}

void Supervisor::restart() {
  if (takes_calls()) {  // its call stopped after all
    stop_restart();
    return hand_out();
  }
  if (worker_ && worker_->end_is_untold()) return stop_restart();  // its end goes on from here
  restarting_ = true;
  has_told_ = false;
  if (worker_ && worker_->ready()) set_aside();
  replaces_ = replaces_ || (worker_ && !worker_->retiring());
  if (replaces_) ++restarts_;
  adopt(WorkerProcess::create(around_->io, settings_));
  worker_->start([self = shared_from_this()](Result<std::string> manifest) {
    self->restarted(std::move(manifest));
  });
}

void Supervisor::restarted(Result<std::string> manifest) {
  restarting_ = false;
  if (retiring_) return;
  const bool first = !std::exchange(replaces_, false);
  if (manifest && *manifest != manifest_) {
    // A stored description is out of date, which is no fault of the build.
    worker_->kill("it describes itself otherwise than before", !unproven_);
    manifest = Error{ErrorKind::PluginFault, "its worker describes itself otherwise than before"};
  }
  const Started tell = std::exchange(started_, nullptr);
  if (!manifest) {
    fail_waiting(
        (first ? "its worker cannot be started: " : "its worker cannot be started again: ") +
        manifest.error().message);
    if (tell) tell(manifest.error());
    return;
  }
  if (tell) tell({});
  start_pause_ = 0ms;
  unproven_ = false;
  *up_since_ = last_used_ = steady_now();
  if (idle_stop_.count() > 0) watch_for_idleness(last_used_ + idle_stop_);
  if (!first) {
    log::info("plugin", "the worker was started again",
              {{"plugin", plugin_}, {"pid", std::to_string(worker_->pid())}});
  }
  hand_out();
  if (!first) {
    News fresh;
    fresh.restarted = fresh.resources = fresh.prompts = true;
    news_.put(std::move(fresh));
  }
  if (worker_) listen_to_worker();
}

sandbox::Applied Supervisor::sandbox() const {
  sandbox::Applied applied;
  if (worker_) applied = worker_->sandbox();
  return applied.layers.empty() ? last_sandbox_ : applied;
}

// ---- nothing to do

void Supervisor::watch_for_idleness(SteadyTime at) {
  idle_timer_.expires_at(at);
  idle_timer_.async_wait([self = weak_from_this()](boost::system::error_code error) {
    if (const auto alive = self.lock(); alive && !error) alive->stop_if_idle();
  });
}

void Supervisor::stop_if_idle() {
  const bool up = worker_ && worker_->ready();
  if (retiring_ || has_told_ || !up) return;  // the next worker is watched again
  const SteadyTime due = last_used_ + idle_stop_;
  const bool idle_for_long = idle() && steady_now() >= due;
  if (idle_for_long) worker_->stop_unless_used(around_->drain_timeout);
  watch_for_idleness(idle_for_long || !idle() ? steady_now() + idle_stop_ : due);
}

void Supervisor::rested() {
  log::info("plugin", "its idle worker was stopped: the next call starts a new one",
            {{"plugin", plugin_}});
  if (!worker_ || !worker_->gone()) return;  // the next one is there already
  last_sandbox_ = worker_->sandbox();
  worker_.reset();
}

void Supervisor::retire() {
  retiring_ = true;
  idle_timer_.cancel();
  on_crash_ = nullptr;
  started_ = nullptr;
  pause_timer_.cancel();
  fail_waiting("it is being unloaded");
  for (const auto& worker : aside_) worker->retire(around_->drain_timeout);
  if (worker_) worker_->retire(around_->drain_timeout);
  if (worker_ && worker_->gone()) worker_.reset();
}

void Supervisor::end_now(const std::string& why) {
  const auto self = shared_from_this();
  retire();
  for (const auto& worker : aside_) worker->kill(why, false);
  if (worker_) worker_->kill(why, false);
}

}  // namespace host::plugin
