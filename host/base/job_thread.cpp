#include "base/job_thread.h"

#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace host {
namespace {

namespace asio = boost::asio;

struct Job {
  std::function<bool()> step;
  std::function<void()> done;
  asio::any_io_executor back;  // keeps the I/O context at work
};

// Moves `done` out of the job, so that what it refers to is released on the I/O thread.
void report(Job& job, std::exception_ptr fault) {
  asio::post(job.back, [done = std::move(job.done), fault = std::move(fault)] {
    if (fault) std::rethrow_exception(fault);
    done();
  });
}

void turn(const asio::any_io_executor& thread, const std::shared_ptr<Job>& job) {
  asio::post(thread, [thread, job] {
    try {
      if (job->step()) return turn(thread, job);
    } catch (...) {  // uncaught in this thread it would end the process without a word
      return report(*job, std::current_exception());
    }
    report(*job, nullptr);
  });
}

}  // namespace

JobThread::JobThread(asio::any_io_executor io) : io_(std::move(io)) {}
JobThread::~JobThread() = default;

void JobThread::stop() {
  if (thread_) thread_->stop();
}

void JobThread::run(std::function<bool()> step, std::function<void()> done) {
  if (!thread_) thread_.emplace(1);
  const auto back = asio::prefer(io_, asio::execution::outstanding_work.tracked);
  turn(thread_->get_executor(), std::make_shared<Job>(Job{std::move(step), std::move(done), back}));
}

}  // namespace host
