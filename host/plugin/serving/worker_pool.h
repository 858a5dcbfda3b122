// The worker pool manages the workers of one generation. Each call goes to the worker with the
// least load. A pool can have separate workers whose sandbox enforces that calls only read. The
// read-only workers get the read-only calls, the check functions of all tools, and the functions
// for resources and prompts.
//
// A worker of a serial plugin runs one call at a time, so the number of workers limits the number
// of running calls of the plugin. The scheduler enforces the limit on running calls. Each worker
// has a separate supervisor. The crash record (build_record.h) belongs to the build, so all workers
// of the pool share it. The functions of this header are called on the I/O thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugin/serving/supervisor.h"

namespace host::plugin {

class WorkerPool {
 public:
  // `reading` contains the settings of the workers for read-only calls. nullopt means that the pool
  // has no such workers. `manifest` is the description that every worker of this build must send.
  WorkerPool(std::shared_ptr<Surroundings> around, const Build& build,
             const WorkerProcess::Settings& settings,
             const std::optional<WorkerProcess::Settings>& reading, const std::string& manifest);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Sets the first worker of the pool, see Supervisor::adopt(). The pool starts further workers a
  // little later, or when calls need them.
  void adopt(std::shared_ptr<WorkerProcess> worker);
  void start_later(Supervisor::Started started);
  void retire();

  void start(std::shared_ptr<tool::Invocation> invocation);
  void cancel(const std::shared_ptr<tool::Invocation>& invocation);
  bool idle() const;
  // Call save_state() only if there is a single worker. A pool with several workers hands over no
  // state.
  void save_state(WorkerProcess::Saved told);
  void on_crash(const std::function<void()>& act);

  // Returns the combined announcements of all workers. A tool is withdrawn as long as any worker
  // has withdrawn it, because any worker can get the tool's calls.
  NewsInbox& news() { return news_; }
  void heard_news();

  std::vector<pid_t> pids() const;
  std::uint32_t restarts() const;
  sandbox::Applied sandbox() const;

 private:
  void add_workers(std::shared_ptr<Surroundings> around, const Build& build,
                   const WorkerProcess::Settings& settings, const std::string& manifest);
  void start_others();
  void hear(std::size_t worker, News news);
  std::set<std::uint32_t> withdrawn() const;

  const std::size_t tool_count_;
  std::vector<std::shared_ptr<Supervisor>> workers_;  // the read-only workers are last
  std::size_t reading_ = 0;                           // number of read-only workers
  std::vector<std::set<std::uint32_t>> withdrawn_;    // per worker: numbers of withdrawn tools
  std::set<std::uint32_t> told_;                      // withdrawn tools that news() reported last
  NewsInbox news_;
};

}  // namespace host::plugin
