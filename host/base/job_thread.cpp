#include "base/job_thread.h"

#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>

#include <exception>
#include <memory>
#include <set>
#include <utility>

namespace host {
namespace {

namespace asio = boost::asio;

// The threads that report to an I/O context. A handler that the context still holds can own a
// JobThread, so the context waits for the threads before it destroys its handlers. I/O thread.
class ThreadsOfContext final : public asio::execution_context::service {
 public:
  using key_type = ThreadsOfContext;
  inline static asio::execution_context::id id;

  explicit ThreadsOfContext(asio::execution_context& context) : service(context) {}
  static ThreadsOfContext& of(const asio::any_io_executor& io) {
    return asio::use_service<ThreadsOfContext>(asio::query(io, asio::execution::context));
  }

  void add(asio::thread_pool& thread) { threads_.insert(&thread); }
  void remove(asio::thread_pool& thread) { threads_.erase(&thread); }

 private:
  void shutdown() override {
    for (asio::thread_pool* const thread : threads_) {
      thread->stop();
      thread->join();
    }
  }

  std::set<asio::thread_pool*> threads_;
};

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

JobThread::~JobThread() {
  if (thread_) ThreadsOfContext::of(io_).remove(*thread_);
}

void JobThread::stop() {
  if (thread_) thread_->stop();
}

void JobThread::run(std::function<bool()> step, std::function<void()> done) {
  if (!thread_) ThreadsOfContext::of(io_).add(thread_.emplace(1));
  const auto back = asio::prefer(io_, asio::execution::outstanding_work.tracked);
  turn(thread_->get_executor(), std::make_shared<Job>(Job{std::move(step), std::move(done), back}));
}

}  // namespace host
