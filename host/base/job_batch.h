// A JobBatch runs many short jobs as one job of the JobThread. So the I/O thread and the JobThread
// wake each other once, and not once for each job. The functions are called on the I/O thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/job_thread.h"

namespace host {

class JobBatch : public std::enable_shared_from_this<JobBatch> {
 public:
  explicit JobBatch(std::shared_ptr<JobThread> jobs) : jobs_(std::move(jobs)) {}

  // Works like JobThread::run().
  void run(std::function<bool()> step, std::function<void()> done);
  // Calls `begin`, and runs the jobs that `begin` passes to run() as one job. The `done` functions
  // are called when the last of these jobs has ended, in the order of run(). The jobs that the
  // `done` functions pass to run() are one job again. Use gather() only if nobody needs the results
  // of one of the jobs before the others: one long job delays all of them.
  void gather(const std::function<void()>& begin);

 private:
  struct Part {
    std::function<bool()> step;
    std::function<void()> done;
  };
  using Parts = std::vector<Part>;

  void start(std::shared_ptr<Parts> parts);

  const std::shared_ptr<JobThread> jobs_;
  std::shared_ptr<Parts> gathered_;  // null: run() starts each job by itself
};

}  // namespace host
