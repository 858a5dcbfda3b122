#include "base/process/spawn.h"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <string>
#include <utility>

#include "base/digest.h"
#include "base/log.h"

namespace host {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kIdBytes = 12;

std::string words_of(const std::exception_ptr& fault) {
  try {
    std::rethrow_exception(fault);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown exception";
  }
}

asio::awaitable<void> run(std::function<asio::awaitable<void>()> work) {
  co_await work();
}

// The text is only for the operator. The caller gets the id of the log line.
Error logged(const Task& task, const std::exception_ptr& fault) {
  const std::string id = random_id(kIdBytes);
  log::error(task.component, "a task ended by an exception",
             {{"id", id}, {"task", task.does}, {"reason", words_of(fault)}});
  return {ErrorKind::Internal, "internal error " + id + ": the log of the host explains it"};
}

}  // namespace

void spawn(asio::any_io_executor executor, Task task, asio::awaitable<void> work, Ended ended) {
  asio::co_spawn(std::move(executor), std::move(work),
                 [task, ended = std::move(ended)](const std::exception_ptr& fault) {
                   Result<void> outcome;
                   if (fault) outcome = logged(task, fault);
                   if (ended) ended(outcome);
                 });
}

void spawn(asio::any_io_executor executor, Task task, std::function<asio::awaitable<void>()> work,
           Ended ended) {
  spawn(std::move(executor), task, run(std::move(work)), std::move(ended));
}

void spawn_main(asio::any_io_executor executor, std::function<asio::awaitable<void>()> work) {
  asio::co_spawn(std::move(executor), run(std::move(work)), [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);
  });
}

}  // namespace host
