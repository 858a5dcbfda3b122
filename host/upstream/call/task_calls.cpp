// Calls that their upstream executes as tasks.
#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/foreign_tasks.h"
#include "protocol/mcp.h"
#include "upstream/call/calls.h"

namespace host::upstream {
namespace {

// Requests for tasks that were given up. Over HTTP each has a stream, and there are at least 18.
constexpr std::size_t kMostUnwanted = 8;
constexpr std::size_t kMostUncancelled = 64;

// The upstream should keep its task a little longer than the call lasts. Waiting for the answers of
// a client is not part of the time limit of a call.
std::chrono::milliseconds ttl_of(const tool::Invocation& call, std::chrono::milliseconds parked) {
  if (call.deadline == SteadyTime{}) return std::chrono::milliseconds(0);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(call.deadline - steady_now());
  return std::max(left, std::chrono::milliseconds(0)) + parked;
}

}  // namespace

// With 2026-07-28 the upstream decides. Before, it makes a task if the request asks for one. If a
// tool can be called in both ways, a task is better for a call that nobody waits for.
void Calls::agree_to_task(Running& running, const Connection& connection, Request& request) const {
  const tool::Invocation& call = *running.held.invocation;
  if (call.function != tool::Function::Call || !connection.self().tasks) return;
  if (connection.era() == Era::Modern) {
    running.may_be_task = true;
    request.follows_tasks = true;
    return;
  }
  const protocol::TaskSupport support = running.held.target.tasks;
  running.may_be_task = support == protocol::TaskSupport::Required ||
                        (support == protocol::TaskSupport::Optional && call.outlives);
  if (running.may_be_task)
    request.members += protocol::new_task_member(ttl_of(call, settings_.park_timeout));
}

// False: the answer is the answer to the call.
bool Calls::begin_task(Key key, const Answer& answer) {
  Running& running = running_.at(key);
  if (answer.kind != Answer::Kind::Result ||
      running.held.invocation->function != tool::Function::Call)
    return false;
  const json::Value* const state = protocol::find_new_task(*answer.result);
  if (!state) return false;
  auto task = protocol::read_task(*state);
  if (task) lose_task(task->id);
  const std::string fault = fault_of(running, task);
  if (fault.empty()) {
    follow_task(key, running, *std::move(task));
    return true;
  }
  if (task && !is_followed(task->id)) cancel_task(task->id, line_.connection());
  settle(key, Answer::failed(Reached::Perhaps, {ErrorKind::PluginFault, fault}));
  return true;
}

std::string Calls::fault_of(const Running& running,
                            const Result<protocol::ForeignTask>& task) const {
  if (!running.may_be_task) return "it made a task of the call, and the host had not asked for one";
  if (!task) return "the task that it made of the call is faulty: " + task.error().message;
  return is_followed(task->id)
             ? "the task that it made of the call has the id of another call's task"
             : "";
}

// The upstream has given the id of an earlier session's task to a new task, so the earlier task is
// lost. Its call must not get the result of the new one.
void Calls::lose_task(std::string_view id) {
  const auto lost = std::find_if(running_.begin(), running_.end(), [&](const auto& one) {
    return one.second.task && one.second.task->id() == id && one.second.task->has_moved();
  });
  if (lost == running_.end()) return;
  settle(lost->first,
         Answer::failed(Reached::Perhaps, {ErrorKind::Io, "it has lost the task of the call"}));
}

bool Calls::is_followed(std::string_view task) const {
  return std::any_of(running_.begin(), running_.end(), [&](const auto& one) {
    return one.second.task && one.second.task->id() == task;
  });
}

// The answer of a connection that is leaving can arrive before the next connection is ready.
void Calls::follow_task(Key key, Running& running, protocol::ForeignTask task) {
  TaskPoll::Events events;
  events.listener = [this, key] {
    Request listener;
    listener.method = "tools/call";
    if (const auto found = running_.find(key); found != running_.end()) {
      const tool::Invocation& call = *found->second.held.invocation;
      listener.abilities = abilities_of(call);
      add_listeners(call, key, listener);
    }
    return listener;
  };
  events.on_message = [this, key](const std::string& message) { take_status(key, message); };
  events.on_questions = [this, key](std::vector<tool::Question> questions) {
    take_task_questions(key, std::move(questions));
  };
  events.on_end = [this, key](Answer answer) { settle(key, std::move(answer)); };
  running.task =
      std::make_unique<TaskPoll>(io_, std::move(task), settings_.pace, std::move(events));
  Connection* const connection = line_.connection();
  running.task->begin(connection, running.number);
  if (connection) return;
  if (retired_.empty()) return line_.need();
  settle(key, Answer::failed(Reached::Perhaps, {ErrorKind::Io, retired_}));
}

// The messages have no numbers, and progress must increase: also the upstream's own, which can
// follow.
void Calls::take_status(Key key, const std::string& message) {
  tool::Invocation* const now = invocation_of(key);
  if (!now || !now->on_progress) return;
  Running& running = running_.at(key);
  if (running.has_progress) return;
  running.steps += 1;
  now->on_progress(running.steps, 0, settings_.secrets->hide(message));
}

void Calls::take_task_questions(Key key, std::vector<tool::Question> questions) {
  Running& running = running_.at(key);
  if (const std::string why = objection_to(running, questions); !why.empty()) {
    stop(key, running, "its question cannot be answered");
    return settle(key, Answer::failed(Reached::Perhaps, {ErrorKind::PluginFault,
                                                         "its task asks a question, and " + why}));
  }
  for (tool::Question& question : questions) {
    std::string name = std::exchange(question.key, {});
    question.key = "question_" + std::to_string(++running.questions);
    running.asked.push_back({{}, std::move(name), std::move(question)});
  }
  if (running.handle.empty()) park(key, running);
}

// Passes on the answers that the next run of a parked call has brought.
void Calls::answer_task(Running& running) {
  const tool::Answers& given = running.held.invocation->continuation.answers;
  tool::Answers answers;
  std::erase_if(running.asked, [&](const Asked& asked) {
    const auto answer = given.find(asked.question.key);
    if (!asked.id.empty() || !asked.is_shown || answer == given.end()) return false;
    answers.emplace(asked.key, answer->second);
    return true;
  });
  if (running.task && !answers.empty()) running.task->answer(std::move(answers));
}

// Waits for the id of the task, which then can be cancelled.
void Calls::keep_unwanted(Key key, RequestNumber number, Connection& connection) {
  connection.forsake(number);
  Unwanted& one = unwanted_[key];
  one.number = number;
  one.pending = cancelling();
  const bool is_modern = connection.era() == Era::Modern;
  one.limit = std::make_unique<boost::asio::steady_timer>(
      io_, is_modern ? settings_.modern_unwanted_timeout : settings_.unwanted_timeout);
  one.limit->async_wait([weak = weak_from_this(), key](boost::system::error_code error) {
    const auto self = weak.lock();
    if (!error && self) self->forget_unwanted(key);
  });
  if (unwanted_.size() > kMostUnwanted) forget_unwanted(unwanted_.begin()->first);
}

void Calls::forget_unwanted(Key key) {
  const auto gone = unwanted_.extract(key);
  Connection* const connection = line_to_cancel();
  if (gone && connection) connection->cancel(gone.mapped().number, "the call was given up");
}

void Calls::forget_tasks() {
  while (!unwanted_.empty()) forget_unwanted(unwanted_.begin()->first);
}

void Calls::drop_unwanted(Key key, const Answer& answer) {
  const auto gone = unwanted_.extract(key);  // until the task is being cancelled
  if (!gone || answer.kind != Answer::Kind::Result) return;
  const json::Value* const state = protocol::find_new_task(*answer.result);
  Connection* const connection = line_to_cancel();
  if (!state || !connection) return;
  if (const auto task = protocol::read_task(*state)) cancel_task(task->id, connection);
}

// Of a task that no call follows. Null: the next connection cancels it.
void Calls::cancel_task(const std::string& task, Connection* connection) {
  if (!connection) {
    uncancelled_.push_back(task);
    if (uncancelled_.size() > kMostUncancelled) uncancelled_.pop_front();
  } else if (connection->self().tasks_cancel) {
    connection->send(cancel_of(task, connection->era() == Era::Modern, cancelling()));
  }
}

void Calls::cancel_tasks_of_before(Connection& connection) {
  for (const std::string& task : std::exchange(uncancelled_, {})) cancel_task(task, &connection);
}

std::shared_ptr<Calls::Cancelling> Calls::cancelling() {
  auto now = cancelling_.lock();
  if (!now) now = std::make_shared<Cancelling>();
  cancelling_ = now;
  return now;
}

// ---- the connection

void Calls::disconnected(const Error& why, bool keeps_tasks) {
  ending_ = nullptr;
  if (!keeps_tasks) uncancelled_.clear();
  const auto unwanted = std::exchange(unwanted_, {});
  std::vector<Key> lost;
  for (auto& [key, running] : running_) {
    if (!running.task) continue;
    running.task->lose_connection();
    // The requests of the old connection cannot be answered any more. The task asks again.
    std::erase_if(running.asked, [](const Asked& asked) { return !asked.id.empty(); });
    if (!keeps_tasks || !retired_.empty()) lost.push_back(key);
  }
  for (const Key key : lost) settle(key, Answer::failed(Reached::Perhaps, why));
}

void Calls::fail_tasks(const std::string& why) {
  std::vector<Key> lost;
  for (const auto& [key, running] : running_) {
    if (running.task && !running.task->has_connection()) lost.push_back(key);
  }
  for (const Key key : lost) settle(key, Answer::failed(Reached::Perhaps, {ErrorKind::Io, why}));
}

// A parked call has no client that hears of its end. A call with an answer ends by itself.
void Calls::end_running(Connection& connection, const std::string& why,
                        std::function<void()> done) {
  ending_ = &connection;
  const auto pending = cancelling();
  pending->done = std::move(done);
  std::vector<Key> all;
  for (const auto& [key, running] : running_) {
    const bool is_parked_request = !running.handle.empty() && !running.task;
    if (is_parked_request || running.has_answer) continue;
    stop(key, running, why);
    all.push_back(key);
  }
  for (const Key key : all) settle(key, Answer::failed(Reached::Perhaps, {ErrorKind::Io, why}));
}

bool Calls::need_connection() const {
  return !waiting_.empty() || std::any_of(running_.begin(), running_.end(), [](const auto& one) {
    return one.second.task && !one.second.task->has_connection();
  });
}

}  // namespace host::upstream
