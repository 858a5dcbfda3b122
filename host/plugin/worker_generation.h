// A build in a process of its own. A worker that dies takes its own calls with it; the next call
// starts another, at once the first time, then after a pause that doubles.
#pragma once

#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <memory>
#include <string>

#include "plugin/generation.h"
#include "plugin/worker_process.h"

namespace host::plugin {

class WorkerGeneration final : public Generation {
 public:
  static WorkerProcess::Settings worker_settings(Surroundings& around, const Build& build,
                                                 bool probe);

  // `worker` is ready.
  WorkerGeneration(std::shared_ptr<Surroundings> around, Build build,
                   std::shared_ptr<WorkerProcess> worker, std::string manifest);
  ~WorkerGeneration() override;

  void start(std::shared_ptr<tool::Invocation> invocation) override;
  void cancel(const std::shared_ptr<tool::Invocation>& invocation) override;
  NewsInbox& news() override;
  void heard_news() override;
  pid_t pid() const override;
  std::uint32_t restarts() const override;

 private:
  class Supervisor;
  std::shared_ptr<Supervisor> supervisor_;
};

}  // namespace host::plugin
