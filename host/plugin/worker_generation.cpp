#include "plugin/worker_generation.h"

#include <algorithm>

#include "base/log.h"

namespace host::plugin {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds kFirstPause = 100ms;
constexpr std::chrono::milliseconds kLongestPause = 30s;
constexpr auto kHealthy = 60s;
constexpr std::chrono::milliseconds kLongestWait = 1s;  // of a call for a pause to end
constexpr std::size_t kMostWaiting = 1024;

SteadyTime now() {
  return std::chrono::steady_clock::now();
}

}  // namespace

// Keeps one worker alive for a generation. Outlives it until the worker is gone.
class WorkerGeneration::Supervisor : public std::enable_shared_from_this<Supervisor> {
 public:
  Supervisor(std::shared_ptr<Surroundings> around, const Build& build, std::string manifest)
      : around_(std::move(around)),
        plugin_(build.plugin),
        staged_(build.staged),
        settings_(worker_settings(*around_, build, false)),
        manifest_(std::move(manifest)),
        pause_timer_(around_->io) {
    ++around_->alive;
  }
  ~Supervisor() {
    for (const auto& invocation : waiting_) fail(*invocation, "the host stops");
    Staging::remove(staged_);
    --around_->alive;
  }

  void adopt(std::shared_ptr<WorkerProcess> worker);
  void start(std::shared_ptr<tool::Invocation> invocation);
  void cancel(const std::shared_ptr<tool::Invocation>& invocation);
  void retire();

  NewsInbox& news() { return news_; }
  void heard_news() {
    if (worker_) worker_->heard_news();
  }

  pid_t pid() const { return worker_ && !worker_->gone() ? worker_->pid() : 0; }
  std::uint32_t restarts() const { return restarts_; }

 private:
  void ended(const std::string& how);
  std::chrono::milliseconds pause_left() const;
  void restart_after_pause();
  void restart();
  void restarted(Result<std::string> manifest);
  void fail_waiting(const std::string& why);
  void fail(tool::Invocation& invocation, const std::string& why) {
    invocation.finish(Error{ErrorKind::Unavailable, "plugin \"" + plugin_ + "\": " + why});
  }

  std::shared_ptr<Surroundings> around_;
  std::string plugin_;
  StagedFile staged_;
  WorkerProcess::Settings settings_;
  std::string manifest_;
  boost::asio::steady_timer pause_timer_;
  std::shared_ptr<WorkerProcess> worker_;
  NewsInbox news_;
  std::deque<std::shared_ptr<tool::Invocation>> waiting_;  // for a worker that comes up
  bool restarting_ = false;
  bool retiring_ = false;
  std::uint32_t restarts_ = 0;
  unsigned crashes_ = 0;  // in a row
  SteadyTime up_since_{};
  SteadyTime next_start_{};
};

void WorkerGeneration::Supervisor::adopt(std::shared_ptr<WorkerProcess> worker) {
  worker_ = std::move(worker);
  up_since_ = now();
  // Holds this until the worker is gone: its file must stay, and its end be counted.
  worker_->on_ended([self = shared_from_this()](const std::string& how) { self->ended(how); });
  worker_->news().listen([self = weak_from_this()](News news) {
    if (const auto alive = self.lock()) alive->news_.put(std::move(news));
  });
}

void WorkerGeneration::Supervisor::ended(const std::string& how) {
  if (retiring_) return;
  crashes_ = now() - up_since_ > kHealthy ? 1 : crashes_ + 1;
  // The first crash costs no pause; then 100 ms, 200 ms, ...
  const auto pause =
      crashes_ < 2 ? 0ms
                   : std::min(kFirstPause * (1u << std::min(crashes_ - 2, 16u)), kLongestPause);
  next_start_ = now() + pause;
  log::warning("plugin", "the worker ended", {{"plugin", plugin_}, {"how", how}});
}

void WorkerGeneration::Supervisor::start(std::shared_ptr<tool::Invocation> invocation) {
  if (worker_ && worker_->ready()) return worker_->call(std::move(invocation));
  const auto left = pause_left();
  if (left > kLongestWait || waiting_.size() >= kMostWaiting) {
    fail(*invocation, "its worker ended " + std::to_string(crashes_) +
                          " times in a row: it is started again in " +
                          std::to_string((left.count() + 999) / 1000) + " s, try again then");
    return;
  }
  waiting_.push_back(std::move(invocation));
  if (!restarting_) restart_after_pause();
}

void WorkerGeneration::Supervisor::cancel(const std::shared_ptr<tool::Invocation>& invocation) {
  const auto at = std::find(waiting_.begin(), waiting_.end(), invocation);
  if (at != waiting_.end()) {
    waiting_.erase(at);
    invocation->finish(Error{ErrorKind::Cancelled, "cancelled before it began"});
  } else if (worker_) {
    worker_->cancel(*invocation);
  }
}

std::chrono::milliseconds WorkerGeneration::Supervisor::pause_left() const {
  return std::max(0ms, std::chrono::ceil<std::chrono::milliseconds>(next_start_ - now()));
}

void WorkerGeneration::Supervisor::restart_after_pause() {
  restarting_ = true;
  pause_timer_.expires_after(pause_left());
  pause_timer_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    if (!error && !self->retiring_) self->restart();
  });
}

void WorkerGeneration::Supervisor::restart() {
  ++restarts_;
  adopt(WorkerProcess::create(around_->io, settings_));
  worker_->start([self = shared_from_this()](Result<std::string> manifest) {
    self->restarted(std::move(manifest));
  });
}

void WorkerGeneration::Supervisor::restarted(Result<std::string> manifest) {
  restarting_ = false;
  if (retiring_) return;
  if (manifest && *manifest != manifest_) {
    worker_->kill("it describes itself otherwise than before");
    manifest = Error{ErrorKind::PluginFault, "its worker describes itself otherwise than before"};
  }
  if (!manifest) {
    fail_waiting("its worker cannot be started again: " + manifest.error().message);
    return;
  }
  up_since_ = now();
  log::info("plugin", "the worker was started again",
            {{"plugin", plugin_}, {"pid", std::to_string(worker_->pid())}});
  for (auto& invocation : std::exchange(waiting_, {})) worker_->call(std::move(invocation));
  News fresh;
  fresh.restarted = fresh.resources = fresh.prompts = true;
  news_.put(std::move(fresh));
}

void WorkerGeneration::Supervisor::fail_waiting(const std::string& why) {
  for (const auto& invocation : std::exchange(waiting_, {})) fail(*invocation, why);
}

void WorkerGeneration::Supervisor::retire() {
  retiring_ = true;
  pause_timer_.cancel();
  fail_waiting("it is being unloaded");
  if (worker_) worker_->retire(around_->drain_timeout);
  if (worker_ && worker_->gone()) worker_.reset();
}

WorkerProcess::Settings WorkerGeneration::worker_settings(Surroundings& around, const Build& build,
                                                          bool probe) {
  WorkerProcess::Settings settings;
  settings.executable = around.worker;
  settings.plugin = build.plugin;
  settings.config.library = build.staged.file.string();
  settings.config.settings = build.settings;
  settings.config.result_bytes = around.result_bytes;
  settings.config.threads = build.max_inflight > 0 ? std::min(build.max_inflight, 256u) : 64;
  settings.config.selftest = probe;
  settings.config.profile = build.profile;
  settings.config.profile.library = settings.config.library;
  settings.config.profile.work_dir = around.work_dir.string();
  settings.config.profile.filter = around.filters.of(sandbox::filter_kind(build.profile));
  settings.env = build.env;
  settings.probe = probe;
  settings.times = {around.start_timeout, around.ping_every, around.pong_within};
  settings.grace = around.grace;
  return settings;
}

WorkerGeneration::WorkerGeneration(std::shared_ptr<Surroundings> surroundings, Build build_of,
                                   std::shared_ptr<WorkerProcess> worker, std::string manifest)
    : Generation(std::move(surroundings), std::move(build_of)),
      supervisor_(std::make_shared<Supervisor>(around(), build(), std::move(manifest))) {
  supervisor_->adopt(std::move(worker));
}

WorkerGeneration::~WorkerGeneration() {
  supervisor_->retire();
}

void WorkerGeneration::start(std::shared_ptr<tool::Invocation> invocation) {
  supervisor_->start(std::move(invocation));
}

NewsInbox& WorkerGeneration::news() {
  return supervisor_->news();
}

void WorkerGeneration::heard_news() {
  supervisor_->heard_news();
}

void WorkerGeneration::cancel(const std::shared_ptr<tool::Invocation>& invocation) {
  supervisor_->cancel(invocation);
}

pid_t WorkerGeneration::pid() const {
  return supervisor_->pid();
}

std::uint32_t WorkerGeneration::restarts() const {
  return supervisor_->restarts();
}

}  // namespace host::plugin
