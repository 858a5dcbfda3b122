// Shows records to their clients as MCP tasks, and manages the questions of calls that wait for
// answers.
//
// A call becomes a task with create(), asks with ask(), and delivers its outcome with end(). The
// client of a task's call reads, answers and cancels the task with the task's id. If a task's id is
// unknown, has expired or belongs to a different principal, the client always gets the same error.
// Limits apply to the number of tasks in total and per principal, and to the lifetime of a task. A
// task that waits for answers survives a restart of the host. When a task has all answers, the call
// of the task runs again, see on_resume(). The functions of Tasks are called on the I/O thread.
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
#include "task/key_claims.h"
#include "task/records.h"
#include "tool/call/peer.h"
#include "tool/definition/question.h"
#include "tool/definition/task.h"

namespace host::task {

class Tasks {
 public:
  struct Limits {
    std::size_t all = 1024;
    std::size_t per_principal = 256;
    std::chrono::milliseconds ttl{std::chrono::hours(1)};
    std::chrono::milliseconds poll_interval{1000};  // time between two polls, for clients
    // `bytes_per_principal` is the maximum number of bytes of the arguments and outcomes of one
    // principal's tasks.
    std::size_t bytes_per_principal = 64u << 20u;
  };
  // A NewTask describes the call that becomes a task. After a restart, the host runs the task's
  // call again with the values of NewTask.
  struct NewTask {
    std::string principal;
    std::string tool;
    std::string agent = {};
    std::string arguments = "{}";
    std::string definition = {};  // empty: the questions do not survive a restart
    std::string session = {};
    std::string idempotency_key = {};
    std::string context = {};      // see Record::context
    std::string call = {};         // the id of the call, for KeyClaims
    bool must_not_repeat = false;  // the tool has begun the call, and must not run a second time
  };
  // `records` and `clock` must outlive the Tasks.
  Tasks(boost::asio::any_io_executor executor, const Clock& clock, Records& records, Limits limits);
  ~Tasks();
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  // The functions below are for the call that becomes a task. create() makes the task. The Error
  // Unavailable means that there are too many tasks, or that the tasks are too large.
  Result<tool::Task> create(NewTask task, std::shared_ptr<Cancel> cancel);
  // Waits until the client has answered all questions of the task, or until Round::over. While
  // ask() waits, the call does not count towards the executor's limits. Returns each answer under
  // the key of its question. `before` contains the state and the answers of the call's previous
  // round. The Error Cancelled means that the task was cancelled, that it has expired, or that the
  // host is stopping.
  boost::asio::awaitable<Result<tool::Answers>> ask(std::string id, tool::Round round,
                                                    tool::Continuation before = {});
  // Ends the task. `outcome` has the form of Task::outcome. If the outcome exceeds
  // Limits::bytes_per_principal, the task fails with an error that gives this reason. The function
  // end() does nothing if the task has ended or was removed.
  enum class End { Completed, Failed };
  void end(const std::string& id, End how, std::string outcome);

  // Await kept() before you report the state of a task to a client, so that the task's state
  // survives a restart of the host. Returns an Error if the state could not be stored.
  boost::asio::awaitable<Result<void>> kept(std::string id) { return records_.kept(std::move(id)); }

  // The functions below are for the client of the task. The Error NotFound has the same text for an
  // unknown task, an expired task and a task of a different principal.
  Result<tool::Task> find(const std::string& id, const std::string& principal);
  // `responses` is a JSON object of answers, with the keys of the open questions as its member
  // names. Members of `responses` that belong to no open question are ignored. The Error
  // InvalidArgument means that one of the answers is malformed. If one answer is malformed, the
  // function accepts none of the answers. If the user accepted a form but the data are not valid
  // against the schema, the question stays open and gives the reason.
  struct Answerer {
    tool::Peer who;
    tool::Abilities able;  // kinds of questions that the client supports
  };
  Result<void> answer(const std::string& id, const Answerer& by, const json::Value& responses);
  // Cancels the task. cancel() does nothing if the task has ended. `by` says who cancels the task.
  // If `by` is empty, the task's client cancels it.
  Result<void> cancel(const std::string& id, const std::string& principal,
                      std::string_view by = {});

  // The Tasks object calls `listener` with each later state of a task, after the state was stored.
  using OnChange = std::function<void(const tool::Task&)>;
  void on_change(OnChange listener) { on_change_ = std::move(listener); }

  // on_resume() sets the function that runs the call of a task again, if an earlier host process
  // asked the task's questions. The resumed call can ask further questions, and ends like the call
  // of any other task. `cancel` cancels the call. `by` is the client that answered. The resumed
  // call has the permissions of the client that answered, and asks only questions that this client
  // supports.
  using Resume = std::function<void(const RecordPtr& record, tool::Continuation continuation,
                                    std::shared_ptr<Cancel> cancel, const Answerer& by)>;
  void on_resume(Resume resume) { resume_ = std::move(resume); }

  // Sets the KeyClaims object that holds the idempotency keys of tasks. `claims` must exist as long
  // as other functions of the object are called. Without a KeyClaims object, a task does not keep
  // its idempotency key after a restart.
  void keep_keys_by(KeyClaims& claims) { keys_ = &claims; }

  // Takes over the tasks of an earlier host process. Call take_over() when the records are loaded.
  // take_over() ends calls that were running when the earlier host process ended.
  void take_over();
  // Ends the calls that wait for answers, because the host is stopping. The tasks of calls that
  // waited for answers continue to wait in the store.
  void end_waits();
  // Cancels the calls of all tasks that do not wait for answers.
  void stop();
  // Returns true if a call of this host runs for the task or waits for the client's answer. After a
  // restart of the host, a waiting task has no call until its client answers.
  bool has_call(const std::string& id) const { return running_.contains(id); }
  // Returns true if the task waits for its client's answer, but none of its calls does. Then the
  // task continues after the next start of the host.
  bool waits_without_call(const std::string& id) const;
  std::size_t running() const { return running_.size(); }

 private:
  struct Running;
  using RunningPtr = std::shared_ptr<Running>;

  tool::Task view(const tool::Record& record) const;
  RecordPtr find_record(const std::string& id, const std::string& principal);
  std::string no_room_for(const std::string& principal, std::size_t bytes) const;
  void let_go(const std::string& id);
  void release_key(const tool::Record& record);
  void go_on(const RecordPtr& record, const Answerer& by);
  void end_by_cancel(const RecordPtr& record, std::string_view by);

  const boost::asio::any_io_executor executor_;
  const Clock& clock_;
  Records& records_;
  const Limits limits_;
  std::unordered_map<std::string, RunningPtr> running_;  // keys: ids of tasks
  OnChange on_change_;                                   // null: no listener
  Resume resume_;                                        // null: no call is resumed
  KeyClaims* keys_ = nullptr;                            // null: no task keeps its key
  bool stopping_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for the listener of `records_`
};

}  // namespace host::task
