// MCP tasks: records as their clients see them, and the questions that their calls wait for.
//
// A call becomes a task with create(), asks with ask(), and delivers its outcome with end(). Its
// client reads, answers and cancels it by the id alone. If an id is unknown, has expired or belongs
// to a different principal, the client gets the same error. Tasks are limited in total, per
// principal and in time. A task that waits for answers survives the host: once they are complete,
// the call runs again, see on_resume(). I/O thread only.
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
#include "task/records.h"
#include "tool/peer.h"
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
  // The call that becomes a task. It runs again with these after a restart of the host.
  struct NewTask {
    std::string principal;
    std::string tool;
    std::string agent = {};
    std::string arguments = "{}";
    std::string definition = {};  // empty: a question does not survive the host
    std::string session = {};
    std::string idempotency_key = {};
  };
  // `records` and `clock` outlive it.
  Tasks(boost::asio::any_io_executor executor, const Clock& clock, Records& records, Limits limits);
  ~Tasks();
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  // For the call behind a task. Unavailable: there are too many tasks.
  Result<tool::Task> create(NewTask task, std::shared_ptr<Cancel> cancel);
  // Waits, without a thread or a slot, until all questions are answered. Returns the answers by the
  // questions' keys. `before`: the point at which the call continued last. Cancelled: the task was
  // cancelled or has expired, or the host stops.
  boost::asio::awaitable<Result<tool::Answers>> ask(std::string id, tool::Round round,
                                                    tool::Continuation before = {});
  // `outcome` as in Task. Ignored if the task has ended or was removed.
  enum class End { Completed, Failed };
  void end(const std::string& id, End how, std::string outcome);

  // Await this before a client is told the state of a task, so that the state survives a restart of
  // the host. An error: it would not survive.
  boost::asio::awaitable<Result<void>> kept(std::string id) { return records_.kept(std::move(id)); }

  // For its client. NotFound, with the same text for every task that the client cannot see.
  Result<tool::Task> find(const std::string& id, const std::string& principal);
  // Takes the answers to what is asked now, a JSON object by key; what is not asked is left alone.
  // InvalidArgument: one is no answer at all, and none was taken. An accepted form that breaks its
  // schema counts as unanswered, and its question says why.
  struct Answerer {
    tool::Peer who;
    tool::Abilities able;  // of its client
  };
  Result<void> answer(const std::string& id, const Answerer& by, const json::Value& responses);
  // Ignored if the task has ended.
  Result<void> cancel(const std::string& id, const std::string& principal);

  // Called with each state that a task has from here on, when it is stored.
  using OnChange = std::function<void(const tool::Task&)>;
  void on_change(OnChange listener) { on_change_ = std::move(listener); }

  // Runs the call of a task again whose questions were asked by an earlier host. The call asks and
  // ends as any other task, and `cancel` is its cancellation. It may do what the credential of the
  // client that answered may do, and asks what that client can be asked.
  using Resume = std::function<void(const RecordPtr& record, tool::Continuation continuation,
                                    std::shared_ptr<Cancel> cancel, const Answerer& by)>;
  void on_resume(Resume resume) { resume_ = std::move(resume); }

  // The tasks of an earlier host, once the records are loaded. Calls that ran ended with it.
  void take_over();
  // The host stops: calls that wait for answers end, and their tasks still wait.
  void end_waits();
  // Cancels all others.
  void stop();
  std::size_t running() const { return running_.size(); }

 private:
  struct Running;
  using RunningPtr = std::shared_ptr<Running>;

  tool::Task view(const tool::Record& record) const;
  RecordPtr find_record(const std::string& id, const std::string& principal);
  void expire();
  void let_go(const std::string& id);
  void go_on(const RecordPtr& record, const Answerer& by);
  void end_by_cancel(const RecordPtr& record, std::string_view by);

  const boost::asio::any_io_executor executor_;
  const Clock& clock_;
  Records& records_;
  const Limits limits_;
  std::unordered_map<std::string, RunningPtr> running_;  // by id
  OnChange on_change_;                                   // null: no listener
  Resume resume_;                                        // null: nothing is resumed
  bool stopping_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for the listener of the records
};

}  // namespace host::task
