// A build in a process of its own, and in the next one where that dies.
#pragma once

#include <memory>
#include <string>

#include "plugin/generation.h"
#include "plugin/supervisor.h"
#include "plugin/worker_process.h"

namespace host::plugin {

class WorkerGeneration final : public Generation {
 public:
  static WorkerProcess::Settings worker_settings(Surroundings& around, const Build& build,
                                                 bool probe);

  // `worker` is ready. nullptr: the first call starts one, or a little time; `started` then hears
  // why it cannot serve what `manifest` promises, or of no fault.
  using Started = Supervisor::Started;
  WorkerGeneration(std::shared_ptr<Surroundings> around, Build build,
                   std::shared_ptr<WorkerProcess> worker, std::string manifest,
                   Started started = nullptr);
  ~WorkerGeneration() override;

  void save_state(Saved told) override;
  NewsInbox& news() override;
  void heard_news() override;
  void on_crash(std::function<void()> act) override;
  pid_t pid() const override;
  std::uint32_t restarts() const override;
  sandbox::Applied sandbox() const override;

 private:
  void begin(std::shared_ptr<tool::Invocation> invocation) override;
  void stop(const std::shared_ptr<tool::Invocation>& invocation) override;
  bool idle() const override { return supervisor_->idle(); }

  std::shared_ptr<Supervisor> supervisor_;
};

}  // namespace host::plugin
