#include "task/tasks.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "base/spawn.h"
#include "protocol/elicitation.h"

namespace host::task {
namespace {

using boost::asio::awaitable;
using tool::Task;

Error unknown() {
  return Error{ErrorKind::NotFound, "there is no such task: it is unknown or has expired"};
}

}  // namespace

// The call of a task that has not ended.
struct Tasks::Running {
  Running(const boost::asio::any_io_executor& executor, std::shared_ptr<Cancel> wish)
      : cancel(std::move(wish)), answered(executor) {}

  std::shared_ptr<Cancel> cancel;
  std::map<std::string, std::string> own_keys;  // of the open questions, by the task's keys
  tool::Answers answers;
  boost::asio::steady_timer answered;  // cancelled when the wait is over
};

Tasks::Tasks(boost::asio::any_io_executor executor, const Clock& clock, Store& store, Limits limits)
    : executor_(std::move(executor)), clock_(clock), store_(store), limits_(limits) {}

Tasks::~Tasks() = default;

Result<void> Tasks::save(Task& task) {
  task.updated = clock_.wall();
  HOST_TRY(store_.put(task));
  if (on_change_) {
    spawn(executor_, {"task", "reports what a task does"}, tell(alive_, task.id),
          [](const Result<void>&) {});
  }
  return {};
}

// Many changes at once may be told as one.
awaitable<void> Tasks::tell(std::weak_ptr<bool> alive, std::string id) {
  if (alive.expired()) co_return;
  const auto kept = co_await store_.kept(id);
  if (!kept || alive.expired() || !on_change_) co_return;
  if (const auto task = store_.find(id)) on_change_(*task);
}

// Asks the call to stop. Its later outcome is dropped.
void Tasks::let_go(const std::string& id) {
  const auto at = running_.find(id);
  if (at == running_.end()) return;
  const RunningPtr running = std::move(at->second);
  running_.erase(at);
  running->cancel->request();
  running->answered.cancel();
}

void Tasks::expire() {
  for (const std::string& id : store_.expire(clock_.wall())) let_go(id);
}

Result<Task> Tasks::create(const std::string& principal, const std::string& tool,
                           std::shared_ptr<Cancel> cancel) {
  expire();
  if (store_.size() >= limits_.all) {
    return Error{ErrorKind::Unavailable, "too many tasks (limits.tasks): try again later"};
  }
  if (store_.size_of(principal) >= limits_.per_principal) {
    return Error{ErrorKind::Unavailable,
                 "too many tasks of yours (limits.tasks_per_principal): try again later"};
  }
  Task task;
  task.id = random_id();
  task.principal = principal;
  task.tool = tool;
  task.created = clock_.wall();
  task.ttl = limits_.ttl;
  task.poll_interval = limits_.poll_interval;
  HOST_TRY(save(task));
  running_.emplace(task.id, std::make_shared<Running>(executor_, std::move(cancel)));
  return task;
}

awaitable<Result<tool::Answers>> Tasks::ask(std::string id, tool::Round round) {
  const Error over{ErrorKind::Cancelled, "the task is over"};
  const auto at = running_.find(id);
  std::optional<Task> task = store_.find(id);
  if (at == running_.end() || !task) co_return over;
  if (round.questions.empty()) co_return tool::Answers{};
  const RunningPtr running = at->second;

  running->own_keys.clear();
  running->answers.clear();
  for (tool::Question& question : round.questions) {
    std::string key = std::to_string(++task->asked) + ":" + question.key;
    running->own_keys.emplace(key, std::move(question.key));
    question.key = std::move(key);
  }
  task->questions = std::move(round.questions);
  task->status = Task::Status::InputRequired;
  HOST_CO_TRY(save(*task));
  const auto left = task->created + task->ttl - clock_.wall();
  running->answered.expires_after(std::chrono::ceil<std::chrono::milliseconds>(left));
  co_await running->answered.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  if (!running->own_keys.empty()) {
    expire();
    co_return over;
  }
  co_return std::move(running->answers);
}

void Tasks::end(const std::string& id, End how, std::string outcome) {
  const auto at = running_.find(id);
  if (at == running_.end()) return;
  running_.erase(at);
  std::optional<Task> task = store_.find(id);
  if (!task) return;
  task->status = how == End::Failed ? Task::Status::Failed : Task::Status::Completed;
  task->questions.clear();
  task->outcome = std::move(outcome);
  if (const auto saved = save(*task); !saved) {
    log::error("task", "the outcome of a task is lost",
               {{"task", id}, {"tool", task->tool}, {"reason", saved.error().message}});
  }
}

Result<Task> Tasks::find(const std::string& id, const std::string& principal) {
  expire();
  std::optional<Task> task = store_.find(id);
  if (!task || task->principal != principal) return unknown();
  return *std::move(task);
}

Result<void> Tasks::answer(const std::string& id, const std::string& principal,
                           const json::Value& responses) {
  HOST_TRY_ASSIGN(Task task, find(id, principal));
  const auto at = running_.find(id);
  if (at == running_.end()) return {};
  std::vector<tool::Question> left;
  tool::Answers taken;
  bool refused = false;
  for (tool::Question& question : task.questions) {
    const json::Value* const response = json::find(responses, question.key);
    const auto fault =
        response ? protocol::answer_fault(question, *response) : std::optional<std::string>();
    if (response && !fault) {
      taken.emplace(question.key, json::write(*response));
      continue;
    }
    if (fault &&
        (question.method != "elicitation/create" || !protocol::read_elicit_answer(*response))) {
      return Error{ErrorKind::InvalidArgument,
                   "inputResponses[\"" + question.key + "\"]: " + *fault};
    }
    if (fault) {
      question.refused = *fault;
      refused = true;
    }
    left.push_back(std::move(question));
  }
  if (taken.empty() && !refused) return {};
  task.questions = std::move(left);
  if (task.questions.empty()) task.status = Task::Status::Working;
  HOST_TRY(save(task));
  Running& running = *at->second;
  for (auto& [key, answer] : taken) {
    const auto own = running.own_keys.find(key);
    running.answers.insert_or_assign(own->second, std::move(answer));
    running.own_keys.erase(own);
  }
  if (running.own_keys.empty()) running.answered.cancel();
  return {};
}

Result<void> Tasks::cancel(const std::string& id, const std::string& principal) {
  HOST_TRY_ASSIGN(Task task, find(id, principal));
  if (task.is_over()) return {};
  task.status = Task::Status::Cancelled;
  task.questions.clear();
  HOST_TRY(save(task));
  let_go(id);
  return {};
}

void Tasks::stop() {
  while (!running_.empty()) {
    const std::string id = running_.begin()->first;
    std::optional<Task> task = store_.find(id);
    if (task) {
      task->status = Task::Status::Cancelled;
      task->questions.clear();
      if (const auto saved = save(*task); !saved) log::warning("task", saved.error().message);
    }
    let_go(id);
  }
}

}  // namespace host::task
