#include "upstream/call/task_poll.h"

#include <algorithm>
#include <utility>

#include "protocol/foreign_questions.h"
#include "protocol/mcp.h"
#include "protocol/server_answers.h"

namespace host::upstream {
namespace {

using TaskStatus = protocol::ForeignTask::Status;

// After so many failed polls in a row, the task is lost. The pauses between them are 31 s together.
constexpr int kMostFailedPolls = 6;
constexpr std::size_t kMostAskedAtOnce = 16;  // questions
constexpr std::chrono::seconds kCancelAnswer{30};

Request about_task(std::string method, const std::string& task, bool is_modern) {
  Request request;
  request.method = std::move(method);
  request.members = protocol::task_id_member(task);
  request.name = task;
  request.follows_tasks = is_modern;
  return request;
}

bool is_terminal(TaskStatus status) {
  return status != TaskStatus::Working && status != TaskStatus::InputRequired;
}

// The connection ends too, and the next one can ask again.
bool ends_connection(const Answer& answer) {
  if (answer.kind != Answer::Kind::Failed) return answer.names_lost_session;
  return answer.why.kind == ErrorKind::Unavailable || answer.why.kind == ErrorKind::NotFound;
}

std::string words_of_refusal(const protocol::ForeignError& refusal) {
  return refusal.message + " (error " + std::to_string(refusal.code) + ")";
}

}  // namespace

Request cancel_of(const std::string& task, bool is_modern, std::shared_ptr<const void> pending) {
  Request request = about_task("tasks/cancel", task, is_modern);
  request.on_answer = [pending = std::move(pending)](const Answer&) {};
  request.timeout = kCancelAnswer;
  return request;
}

TaskPoll::TaskPoll(boost::asio::any_io_executor io, protocol::ForeignTask task, TaskPace pace,
                   Events events)
    : timer_(std::move(io)), task_(std::move(task)), pace_(pace), events_(std::move(events)) {}

TaskPoll::~TaskPoll() {
  *alive_ = false;
  if (Connection* const line = connection()) line->unfollow_task(id());
}

Connection* TaskPoll::connection() const {
  const auto life = life_.lock();
  return connection_ && life && *life && connection_->ready() ? connection_ : nullptr;
}

bool TaskPoll::is_modern() const {
  return connection_ && connection_->era() == Era::Modern;
}

Request TaskPoll::request(std::string method) const {
  return about_task(std::move(method), id(), is_modern());
}

// The answer can have questions. An upstream reads from each request whom it can ask.
Request TaskPoll::asking(std::string method) const {
  Request made = request(std::move(method));
  made.abilities = events_.listener().abilities;
  return made;
}

void TaskPoll::begin(Connection* connection, RequestNumber began) {
  began_ = began;
  const std::string message = std::exchange(task_.message, {});
  if (connection) {
    follow(*connection);
    task_.status == TaskStatus::Working ? schedule(interval()) : poll_soon();
  }
  take_message(message);
}

void TaskPoll::go_on(Connection& connection) {
  if (connection_ || is_over_) return;
  has_moved_ = true;
  follow(connection);
  poll_soon();
  if (!answers_.empty()) send_answers();
}

void TaskPoll::lose_connection() {
  timer_.cancel();
  connection_ = nullptr;
  poll_ = 0;
  result_ = 0;
  update_ = 0;
}

void TaskPoll::follow(Connection& connection) {
  connection_ = &connection;
  life_ = connection.life();
  Request listener = events_.listener();
  listener.on_task = [this, alive = alive_](const protocol::ForeignTask& news) {
    if (*alive) take_news(news);
  };
  connection_->follow_task(id(), began_, std::move(listener));
}

// ---- polls

std::chrono::milliseconds TaskPoll::interval() const {
  return std::clamp(task_.poll_interval.value_or(pace_.usual), pace_.least, pace_.most);
}

void TaskPoll::schedule(std::chrono::milliseconds pause) {
  timer_.expires_after(pause);
  timer_.async_wait([this, alive = alive_](boost::system::error_code error) {
    if (!error && *alive) poll();
  });
}

void TaskPoll::poll_soon() {
  const auto since = std::chrono::ceil<std::chrono::milliseconds>(steady_now() - last_poll_);
  schedule(std::clamp(pace_.least - since, std::chrono::milliseconds(0), pace_.least));
}

void TaskPoll::poll() {
  Connection* const line = connection();
  if (!line || poll_ != 0 || is_over_) return;
  last_poll_ = steady_now();
  again_ = false;
  Request get = asking("tasks/get");
  get.timeout = pace_.answer;
  get.on_answer = [this, alive = alive_](Answer answer) {
    if (*alive) take_poll(std::move(answer));
  };
  poll_ = line->send(std::move(get));
}

// Whose id has another task now, maybe one of another caller.
bool TaskPoll::is_replaced_by(const protocol::ForeignTask& state) const {
  return !task_.created.empty() && !state.created.empty() && state.created != task_.created;
}

void TaskPoll::take_poll(Answer answer) {
  poll_ = 0;
  if (is_over_) return;
  if (ends_connection(answer)) return schedule(interval());
  if (answer.kind == Answer::Kind::Failed) return failed(answer.why);
  if (answer.kind == Answer::Kind::Refused) {
    const std::string why =
        "it does not know its task any more: " + words_of_refusal(answer.refusal);
    if (answer.refusal.code == protocol::kInvalidParams) return fail(why, ErrorKind::Io);
    return failed({ErrorKind::Io, "it refused tasks/get: " + words_of_refusal(answer.refusal)});
  }
  failures_ = 0;
  auto state = protocol::read_task(*answer.result);
  if (!state) return fail("its answer to tasks/get is faulty: the task: " + state.error().message);
  if (state->id != id()) return fail("it answered tasks/get with the state of another task");
  if (is_replaced_by(*state)) {
    task_.status = TaskStatus::Failed;  // so that the other task is not cancelled
    return fail("it has lost its task, and another task has the id now", ErrorKind::Io);
  }
  take_state(*std::move(state), std::move(answer));
}

void TaskPoll::take_state(protocol::ForeignTask state, Answer answer) {
  task_.status = state.status;
  if (!is_terminal(state.status)) failed_results_ = 0;
  if (state.poll_interval) task_.poll_interval = state.poll_interval;
  const auto alive = alive_;
  take_message(state.message);
  if (!*alive || is_over_) return;
  if (state.status == TaskStatus::Cancelled) {
    return fail("it cancelled its task" + (state.message.empty() ? "" : ": " + state.message));
  }
  if (is_terminal(state.status))
    return is_modern() ? take_inlined(std::move(answer)) : get_result();
  again_ ? poll_soon() : schedule(interval());
  if (state.status != TaskStatus::InputRequired) return;
  // Before 2026-07-28, a server sends the questions of a task while it answers tasks/result.
  if (!is_modern()) return get_result();
  send_answers();
  ask(*answer.result);
}

// The upstream says it of itself: a hint, which the next poll confirms.
void TaskPoll::take_news(const protocol::ForeignTask& news) {
  if (is_over_ || is_replaced_by(news)) return;
  if (news.status != TaskStatus::Working && result_ == 0 && failures_ == 0) {
    again_ = poll_ != 0;
    if (!again_) poll_soon();
  }
  take_message(news.message);
}

void TaskPoll::take_message(const std::string& message) {
  if (message.empty() || message == task_.message) return;
  task_.message = message;
  const auto act = events_.on_message;
  if (act) act(message);
}

void TaskPoll::failed(const Error& why) {
  if (++failures_ >= kMostFailedPolls)
    return fail("the state of its task could not be read: " + why.message, ErrorKind::Io);
  schedule_after(failures_);
}

// An upstream that restarts behind a proxy is there again after some seconds.
void TaskPoll::schedule_after(int failures) {
  schedule(std::max(interval(), std::min(pace_.retry * (1 << (failures - 1)), pace_.most)));
}

// ---- questions of 2026-07-28

void TaskPoll::ask(const json::Value& state) {
  const json::Value* const requests = json::find(state, "inputRequests");
  if (!requests || !requests->IsObject() || requests->ObjectEmpty()) return;  // all are answered
  if (requests->MemberCount() > kMostAskedAtOnce)
    return fail("its task asks more than " + std::to_string(kMostAskedAtOnce) +
                " questions at once");
  std::vector<tool::Question> fresh;
  for (const auto& member : requests->GetObject()) {
    if (asked_.contains(json::text(member.name))) continue;
    auto question = protocol::read_asked(json::text(member.name), member.value);
    if (!question) return fail("a question of its task is faulty: " + question.error().message);
    asked_.insert(question->key);
    fresh.push_back(*std::move(question));
  }
  const auto act = events_.on_questions;
  if (!fresh.empty() && act) act(std::move(fresh));
}

void TaskPoll::answer(tool::Answers answers) {
  answers_.merge(answers);
  send_answers();
}

void TaskPoll::send_answers() {
  Connection* const line = connection();
  if (!line || update_ != 0 || answers_.empty()) return;
  Request update = asking("tasks/update");
  update.members = protocol::task_update_members(id(), answers_);
  update.timeout = pace_.answer;
  std::vector<std::string> sent;
  for (const auto& [key, answer] : answers_) sent.push_back(key);
  update.on_answer = [this, alive = alive_, sent = std::move(sent)](const Answer& answer) {
    if (*alive) take_update(answer, sent);
  };
  update_ = line->send(std::move(update));
}

// After a failure, the next state that waits for input makes the host send the answers again.
void TaskPoll::take_update(const Answer& answer, const std::vector<std::string>& sent) {
  update_ = 0;
  if (is_over_) return;
  if (ends_connection(answer)) return;
  if (answer.kind == Answer::Kind::Failed) return failed(answer.why);
  if (answer.kind == Answer::Kind::Refused) {
    return fail("it refused the answers to its questions: " + words_of_refusal(answer.refusal),
                ErrorKind::Io);
  }
  for (const std::string& key : sent) answers_.erase(key);
  send_answers();
  again_ = poll_ != 0;
  if (!again_) poll_soon();
}

// ---- the result

void TaskPoll::take_inlined(Answer answer) {
  const bool has_failed = task_.status == TaskStatus::Failed;
  const json::Value* const inlined = json::find(*answer.result, has_failed ? "error" : "result");
  if (!inlined || !inlined->IsObject()) {
    return fail(std::string("its task has ended, and tasks/get has no \"") +
                (has_failed ? "error" : "result") + "\"");
  }
  if (has_failed) {
    answer.kind = Answer::Kind::Refused;
    answer.refusal = protocol::read_error(*inlined);
  } else {
    answer.result = inlined;
  }
  end(std::move(answer));
}

void TaskPoll::get_result() {
  Connection* const line = connection();
  if (!line || result_ != 0) return;
  Request get = events_.listener();
  Request about = request("tasks/result");
  get.method = about.method;
  get.members = about.members;
  get.name = about.name;
  get.on_progress = nullptr;  // progress has the token of the request that began the task
  get.on_answer = [this, alive = alive_](Answer answer) {
    if (*alive) take_result(std::move(answer));
  };
  result_ = line->send(std::move(get));
}

void TaskPoll::take_result(Answer answer) {
  result_ = 0;
  if (is_over_) return;
  if (ends_connection(answer)) return schedule(interval());
  const bool is_broken = answer.kind == Answer::Kind::Failed;
  const bool is_faulty = answer.why.kind == ErrorKind::PluginFault;
  if (is_broken && !is_faulty && ++failed_results_ < kMostFailedPolls)
    return schedule_after(failed_results_);
  end(std::move(answer));
}

void TaskPoll::fail(std::string why, ErrorKind kind) {
  end(Answer::failed(Reached::Perhaps, {kind, std::move(why)}));
}

void TaskPoll::end(Answer answer) {
  if (std::exchange(is_over_, true)) return;
  timer_.cancel();
  Connection* const line = connection();
  if (line) {
    // Nobody would hear of what the task does now.
    const bool goes_on = answer.kind == Answer::Kind::Failed && !is_terminal(task_.status);
    goes_on ? line->give_up_task(id()) : line->unfollow_task(id());
    if (poll_ != 0) line->cancel(poll_, "the task has ended");
    if (result_ != 0) line->cancel(result_, "the task has ended");
    if (goes_on && line->self().tasks_cancel) line->send(cancel_of(id(), is_modern()));
  }
  const auto act = std::move(events_.on_end);
  if (act) act(std::move(answer));
}

void TaskPoll::cancel(std::string_view reason, std::shared_ptr<const void> pending) {
  Connection* const line = connection();
  if (std::exchange(is_over_, true)) return;
  timer_.cancel();
  if (!line) return;
  line->give_up_task(id());
  if (poll_ != 0) line->cancel(poll_, reason);
  if (result_ != 0) line->cancel(result_, reason);
  if (line->self().tasks_cancel) line->send(cancel_of(id(), is_modern(), std::move(pending)));
}

}  // namespace host::upstream
