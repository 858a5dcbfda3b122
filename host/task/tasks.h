// The host's tasks, and the questions that their calls wait for.
//
// A call becomes a task with create(), asks with ask(), and delivers its outcome with end(). Its
// client reads, answers and cancels it by the id alone. If an id is unknown, has expired or belongs
// to a different principal, the client gets the same error. Tasks are limited in total, per
// principal and in time. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/result.h"
#include "json/json.h"
#include "task/store.h"
#include "tool/question.h"
#include "tool/task.h"

namespace host::task {

class Tasks {
 public:
  struct Limits {
    std::size_t all = 1024;
    std::size_t per_principal = 256;
    std::chrono::milliseconds ttl{std::chrono::hours(1)};
    std::chrono::milliseconds poll_interval{1000};  // sent to clients
  };
  // `store` and `clock` outlive it.
  Tasks(boost::asio::any_io_executor executor, const Clock& clock, Store& store, Limits limits);
  ~Tasks();
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  // For the call behind a task. Unavailable: there are too many tasks.
  Result<tool::Task> create(const std::string& principal, const std::string& tool,
                            std::shared_ptr<Cancel> cancel);
  // Waits, without a thread or a slot, until all questions are answered. Returns the answers by the
  // questions' keys. Cancelled: the task was cancelled or has expired.
  boost::asio::awaitable<Result<tool::Answers>> ask(std::string id, tool::Round round);
  // `outcome` as in Task. Ignored if the task has ended or was removed.
  enum class End { Completed, Failed };
  void end(const std::string& id, End how, std::string outcome);

  // Await this before a client is told the state of a task, so that the state survives a restart of
  // the host. An error: it would not survive.
  boost::asio::awaitable<Result<void>> kept(std::string id) { return store_.kept(std::move(id)); }

  // For its client. NotFound, with the same text for every task that the client cannot see.
  Result<tool::Task> find(const std::string& id, const std::string& principal);
  // Takes the answers to what is asked now, a JSON object by key; what is not asked is left alone.
  // InvalidArgument: one is no answer at all, and none was taken. An accepted form that breaks its
  // schema counts as unanswered, and its question says why.
  Result<void> answer(const std::string& id, const std::string& principal,
                      const json::Value& responses);
  // Ignored if the task has ended.
  Result<void> cancel(const std::string& id, const std::string& principal);

  // Hears of each state that a task has from here on, when it is kept.
  using OnChange = std::function<void(const tool::Task&)>;
  void on_change(OnChange listener) { on_change_ = std::move(listener); }

  // Cancels all that run.
  void stop();
  std::size_t running() const { return running_.size(); }

 private:
  struct Running;
  using RunningPtr = std::shared_ptr<Running>;

  void expire();
  Result<void> save(tool::Task& task);
  boost::asio::awaitable<void> tell(std::weak_ptr<bool> alive, std::string id);
  void let_go(const std::string& id);

  const boost::asio::any_io_executor executor_;
  const Clock& clock_;
  Store& store_;
  const Limits limits_;
  std::unordered_map<std::string, RunningPtr> running_;         // by id
  OnChange on_change_;                                          // null: nobody listens
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for what waits to be kept
};

}  // namespace host::task
