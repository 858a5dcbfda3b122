// A worker generation is a build that runs in one or several worker processes. If a worker dies,
// the generation starts a new worker.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugin/process/worker_process.h"
#include "plugin/serving/generation.h"
#include "plugin/serving/worker_pool.h"

namespace host::plugin {

class WorkerGeneration final : public Generation {
 public:
  static WorkerProcess::Settings worker_settings(const Surroundings& around, const Build& build,
                                                 bool probe);

  // `worker` must be ready. If `worker` is null, the first call or a short timer starts a worker,
  // and then the generation calls `started`. `started` gets an Error if the worker's description of
  // the library differs from `manifest`.
  using Started = Supervisor::Started;
  WorkerGeneration(std::shared_ptr<Surroundings> around, Build build,
                   std::shared_ptr<WorkerProcess> worker, std::string manifest,
                   Started started = nullptr);
  ~WorkerGeneration() override;

  NewsInbox& news() override;
  void heard_news() override;
  void on_crash(std::function<void()> act) override;
  void on_fault(std::function<void()> act) override { watch_->on_fault = std::move(act); }
  CallTally tally() const override { return watch_->tally; }
  std::vector<pid_t> pids() const override;
  std::uint32_t restarts() const override;
  sandbox::Applied sandbox() const override;

 private:
  void begin(std::shared_ptr<tool::Invocation> invocation) override;
  void stop(const std::shared_ptr<tool::Invocation>& invocation) override;
  bool idle() const override { return pool_.idle(); }
  void ask_for_state(Saved told) override;
  void end_instance() override { pool_.retire(); }

  // Counts how the generation's calls end. A Watch has shared ownership, because some calls end
  // after the generation is destroyed.
  struct Watch {
    CallTally tally;
    std::function<void()> on_fault;
  };
  const std::shared_ptr<Watch> watch_ = std::make_shared<Watch>();
  WorkerPool pool_;
};

}  // namespace host::plugin
