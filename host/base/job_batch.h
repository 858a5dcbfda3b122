// A JobBatch runs many short jobs as one job of the JobThread. For a whole batch of jobs, the I/O
// thread and the JobThread wake each other only once. Call the functions of this header on the I/O
// thread.
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
  // gather() calls `begin`, and combines all jobs that `begin` passes to run() into one batch. When
  // the last job of the batch has ended, the `done` functions are called in the order of run(). If
  // a `done` function passes jobs to run(), these jobs become a new batch. One long job delays the
  // `done` functions of all jobs in the batch. So do not use gather() if one result is needed
  // before the rest.
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
