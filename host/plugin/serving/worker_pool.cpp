#include "plugin/serving/worker_pool.h"

#include <algorithm>
#include <utility>

namespace host::plugin {
namespace {

// A tool's own checks run before anybody was asked; resources, prompts and what completes them run
// although nobody is. All but a tool's call only read. An interceptor may keep a state, so all its
// calls go to the workers that are not restricted.
bool must_only_read(const tool::Invocation& invocation) {
  if (tool::is_interception(invocation.function)) return false;
  return invocation.function != tool::Function::Call || tool::only_reads(invocation);
}

}  // namespace

WorkerPool::WorkerPool(std::shared_ptr<Surroundings> around, const Build& build,
                       const WorkerProcess::Settings& settings,
                       const std::optional<WorkerProcess::Settings>& reading,
                       const std::string& manifest)
    : tool_count_(build.manifest.tools.size()) {
  add_workers(around, build, settings, manifest);
  if (reading) {
    reading_ = build.workers;
    Build held = build;
    held.idle_stop = build.reading_idle_stop;
    add_workers(around, held, *reading, manifest);
  }
  withdrawn_.resize(workers_.size());
}

void WorkerPool::add_workers(std::shared_ptr<Surroundings> around, const Build& build,
                             const WorkerProcess::Settings& settings, const std::string& manifest) {
  for (std::uint32_t i = 0; i < build.workers; ++i) {
    const std::size_t at = workers_.size();
    workers_.push_back(std::make_shared<Supervisor>(around, build, settings, manifest));
    // It outlives this, but not unretired: then nobody listens.
    workers_.back()->news().listen([this, at](News news) { hear(at, std::move(news)); });
  }
}

void WorkerPool::adopt(std::shared_ptr<WorkerProcess> worker) {
  workers_.front()->adopt(std::move(worker));
  start_others();
}

void WorkerPool::start_later(Supervisor::Started started) {
  workers_.front()->start_later(std::move(started));
  start_others();
}

void WorkerPool::start_others() {
  for (std::size_t i = 1; i < workers_.size(); ++i) workers_[i]->start_later(nullptr);
}

void WorkerPool::retire() {
  for (const auto& worker : workers_) {
    worker->news().listen([](News) {});
    worker->retire();
  }
}

void WorkerPool::start(std::shared_ptr<tool::Invocation> invocation) {
  const bool reads = reading_ > 0 && must_only_read(*invocation);
  const auto first_reading = workers_.end() - static_cast<std::ptrdiff_t>(reading_);
  const auto at = std::min_element(
      reads ? first_reading : workers_.begin(), reads ? workers_.end() : first_reading,
      [](const auto& a, const auto& b) { return a->burden() < b->burden(); });
  (*at)->start(std::move(invocation));
}

void WorkerPool::cancel(const std::shared_ptr<tool::Invocation>& invocation) {
  for (const auto& worker : workers_) worker->cancel(invocation);
}

bool WorkerPool::idle() const {
  return std::all_of(workers_.begin(), workers_.end(),
                     [](const auto& worker) { return worker->idle(); });
}

void WorkerPool::save_state(WorkerProcess::Saved told) {
  if (workers_.size() == 1) return workers_.front()->save_state(std::move(told));
  told(Error{ErrorKind::Unavailable, "it has several workers, each with a part of its state"});
}

void WorkerPool::on_crash(const std::function<void()>& act) {
  for (const auto& worker : workers_) worker->on_crash(act);
}

void WorkerPool::hear(std::size_t worker, News news) {
  if (workers_.size() == 1) return news_.put(std::move(news));
  std::set<std::uint32_t>& own = withdrawn_[worker];
  if (news.restarted) own.clear();
  for (const auto& [tool, on] : news.tools) {
    if (tool >= tool_count_) continue;  // a worker may say anything
    on ? void(own.erase(tool)) : void(own.insert(tool));
  }
  const std::set<std::uint32_t> now = withdrawn();
  news.restarted = false;  // of one worker alone
  news.tools.clear();
  for (const std::uint32_t tool : told_) {
    if (!now.contains(tool)) news.tools[tool] = true;
  }
  for (const std::uint32_t tool : now) {
    if (!told_.contains(tool)) news.tools[tool] = false;
  }
  told_ = now;
  news_.put(std::move(news));
}

std::set<std::uint32_t> WorkerPool::withdrawn() const {
  std::set<std::uint32_t> all;
  for (const auto& own : withdrawn_) all.insert(own.begin(), own.end());
  return all;
}

void WorkerPool::heard_news() {
  for (const auto& worker : workers_) worker->heard_news();
}

std::vector<pid_t> WorkerPool::pids() const {
  std::vector<pid_t> pids;
  for (const auto& worker : workers_) {
    const auto own = worker->pids();
    pids.insert(pids.end(), own.begin(), own.end());
  }
  return pids;
}

std::uint32_t WorkerPool::restarts() const {
  std::uint32_t all = 0;
  for (const auto& worker : workers_) all += worker->restarts();
  return all;
}

sandbox::Applied WorkerPool::sandbox() const {
  for (const auto& worker : workers_) {
    sandbox::Applied applied = worker->sandbox();
    if (!applied.layers.empty()) return applied;
  }
  return {};
}

}  // namespace host::plugin
