// A TaskPoll follows one task of an upstream, for one call. The TaskPoll asks for the state until
// the task has ended, then gets the task's result. If the connection ends, the poll waits, and
// continues on the next connection.
//
// The upstream states the interval between two polls (`pollInterval`). TaskPace limits the
// interval. With protocol version 2025-11-25, a notification about the task makes the host
// poll earlier. A TaskPoll never has more than one tasks/get in flight. The functions of TaskPoll
// are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "protocol/foreign_tasks.h"
#include "tool/definition/question.h"
#include "upstream/connection/connection.h"

namespace host::upstream {

struct TaskPace {
  std::chrono::milliseconds least{100};    // the shortest time between two polls of one task
  std::chrono::milliseconds most{30'000};  // the longest time between two polls
  std::chrono::milliseconds usual{1000};   // the interval if the upstream sends no pollInterval
  // `answer` is the time for which the host waits for the response to one poll of a task. If no
  // response to a poll arrives in time, the poll has failed.
  std::chrono::milliseconds answer{30'000};
  // `retry` is the shortest pause after a failed poll. The pause after a failed poll doubles with
  // each further failure.
  std::chrono::milliseconds retry{1000};
};

class TaskPoll {
 public:
  // The TaskPoll calls all functions of Events on the I/O thread. Any function of Events can
  // destroy the TaskPoll, except `listener`.
  struct Events {
    // Returns a request with the functions that get the messages of the task: progress, log
    // messages and questions.
    std::function<Request()> listener;
    std::function<void(const std::string& message)> on_message;  // receives each new status message
    // `on_questions` gets the questions for which the task waits for answers (protocol version
    // 2026-07-28). The questions were checked like the questions of read_question(). The keys of
    // the questions are those of the upstream. on_questions gets each question once.
    std::function<void(std::vector<tool::Question>)> on_questions;
    // The TaskPoll calls `on_end` last, once. The Answer that `on_end` gets is the answer of the
    // call.
    std::function<void(Answer)> on_end;
  };

  TaskPoll(boost::asio::any_io_executor io, protocol::ForeignTask task, TaskPace pace,
           Events events);
  ~TaskPoll();
  TaskPoll(const TaskPoll&) = delete;
  TaskPoll& operator=(const TaskPoll&) = delete;

  const std::string& id() const { return task_.id; }

  // Begins to follow the task that the request number `began` made. If `connection` is null, the
  // TaskPoll waits for go_on().
  void begin(Connection* connection, RequestNumber began);
  // Continues to follow the task on a new connection. If the TaskPoll has a connection, go_on()
  // does nothing.
  void go_on(Connection& connection);
  // Call lose_connection() when the connection has ended. After lose_connection(), the TaskPoll
  // waits for go_on().
  void lose_connection();
  bool has_connection() const { return connection_ != nullptr; }
  // Returns true if the task was made on an earlier connection.
  bool has_moved() const { return has_moved_; }
  // Returns false without a connection, and also if the connection is about to end.
  bool can_send() const { return connection() != nullptr; }

  // Sends the answers to questions that on_questions got. The keys of `answers` are the keys that
  // the upstream gave to its questions.
  void answer(tool::Answers answers);
  // Cancels the task at the upstream, and ends the poll without calling on_end. The poll keeps
  // `pending` until the upstream has answered the request to cancel.
  void cancel(std::string_view reason, std::shared_ptr<const void> pending);

 private:
  void follow(Connection& connection);
  void schedule(std::chrono::milliseconds pause);
  std::chrono::milliseconds interval() const;
  void poll_soon();
  void poll();
  bool is_replaced_by(const protocol::ForeignTask& state) const;
  void take_poll(Answer answer);
  void take_state(protocol::ForeignTask state, Answer answer);
  void take_news(const protocol::ForeignTask& news);
  void take_message(const std::string& message);
  void ask(const json::Value& state);
  void take_inlined(Answer answer);
  void get_result();
  void take_result(Answer answer);
  void send_answers();
  void take_update(const Answer& answer, const std::vector<std::string>& sent);
  void failed(const Error& why);
  void schedule_after(int failures);
  void fail(std::string why, ErrorKind kind = ErrorKind::PluginFault);
  void end(Answer answer);
  bool is_modern() const;
  Request request(std::string method) const;
  Request asking(std::string method) const;
  Connection* connection() const;

  boost::asio::steady_timer timer_;
  protocol::ForeignTask task_;
  const TaskPace pace_;
  Events events_;
  Connection* connection_ = nullptr;  // null: the TaskPoll waits for go_on(), or has ended
  std::weak_ptr<const bool> life_;    // expires together with connection_
  RequestNumber poll_ = 0;            // tasks/get in flight; 0: none
  RequestNumber result_ = 0;          // tasks/result in flight; 0: none
  RequestNumber update_ = 0;          // tasks/update in flight; 0: none
  RequestNumber began_ = 0;           // the request that made the task, maybe on another connection
  SteadyTime last_poll_{};
  bool again_ = false;      // poll again when the current poll has ended
  int failures_ = 0;        // failed polls and updates since the last known state
  int failed_results_ = 0;  // number of tasks/result that got no answer
  bool is_over_ = false;
  bool has_moved_ = false;
  std::set<std::string, std::less<>> asked_;  // the keys of the questions that on_questions got
  tool::Answers answers_;                     // the answers not yet acknowledged by the upstream
  // `*alive_` is false after the TaskPoll was destroyed.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// Makes the request that cancels a task. The host ignores the response to the request that cancels
// a task. A copy of `pending` exists until the upstream has answered the request.
Request cancel_of(const std::string& task, bool is_modern,
                  std::shared_ptr<const void> pending = nullptr);

}  // namespace host::upstream
