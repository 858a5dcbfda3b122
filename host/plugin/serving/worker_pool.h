// The workers of one generation: each call goes to the one that has least to do. Where calls that
// only read have workers of their own, which are held to that, these calls go there, and so do the
// checks of all tools, resources and prompts. Where
// the plugin is serial each runs one call at a time, so that as many run side by side as there are
// workers; how many may is the scheduler's to say. Each worker has a supervisor of its own, what
// crashes teach (build_record.h) is the build's. I/O thread only.
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
  // `reading`: of the workers for its tools that only read; none: there are none.
  // `manifest`: what every worker of this build has to say of itself.
  WorkerPool(std::shared_ptr<Surroundings> around, const Build& build,
             const WorkerProcess::Settings& settings,
             const std::optional<WorkerProcess::Settings>& reading, const std::string& manifest);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // The first worker, as Supervisor has it; the others come up a little later, or with calls.
  void adopt(std::shared_ptr<WorkerProcess> worker);
  void start_later(Supervisor::Started started);
  void retire();

  void start(std::shared_ptr<tool::Invocation> invocation);
  void cancel(const std::shared_ptr<tool::Invocation>& invocation);
  bool idle() const;
  // Of one worker; where there may be more no state is handed over.
  void save_state(WorkerProcess::Saved told);
  void on_crash(const std::function<void()>& act);

  // What the workers tell, as one: a tool is withdrawn while any of them withdraws it, for any of
  // them may get its calls.
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
  std::vector<std::shared_ptr<Supervisor>> workers_;  // those that only read are the last
  std::size_t reading_ = 0;                           // how many only read
  std::vector<std::set<std::uint32_t>> withdrawn_;    // by worker: numbers of tools
  std::set<std::uint32_t> told_;                      // of all workers, as news() had it
  NewsInbox news_;
};

}  // namespace host::plugin
