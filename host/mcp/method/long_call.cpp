#include "mcp/method/long_call.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/process/spawn.h"
#include "json/own_text.h"
#include "mcp/peer/one_shot.h"
#include "protocol/tasks.h"
#include "task/tasks.h"
#include "tool/call/edits.h"
#include "tool/call/end_words.h"
#include "tool/call/sent_context.h"
#include "tool/definition/question_key.h"
#include "tool/definition/unbegun.h"

namespace host::mcp {
namespace {

// The request that a task's outcome is written for: every tasks/get shows the same.
Request request_of_task() {
  Request request;
  request.version = protocol::Version::v2026_07_28;
  request.message.id = "0";
  return request;
}

// What the host itself asked, the gates, is told to them and not to the tool.
bool has_answers_for_tool(const tool::Continuation& continuation) {
  return std::any_of(continuation.answers.begin(), continuation.answers.end(),
                     [](const auto& answer) { return !tool::is_host_key(answer.first); });
}

// The call, whoever waits for it. Asks its client for it: by the request while that is open, then
// by the task.
class Running final : public tool::Asker {
 public:
  struct Parts {
    ToolService& tools;
    task::Tasks& tasks;
    const CallRunner& runner;
    const Callee& plain;
    std::string definition;
    bool asks_first;
    // As the client sent them, JSON text: after a restart, the call passes the whole pipeline once
    // more, with its attachments, its key and its interceptors.
    std::string arguments = {};
  };
  Running(const Parts& parts, const boost::asio::any_io_executor& executor, tool::Call taken)
      : call(std::move(taken)), changed(executor), parts_(parts), attached_(call.asker) {
    call.asker = this;
    call.cancel = std::make_shared<Cancel>();  // its own: the request's dies with its connection
    call.on_cleared = [this] { return go_on_as_task(); };
    able_ = attached_->abilities();
  }

  // A task from the beginning, without a request.
  Running(const Parts& parts, const boost::asio::any_io_executor& executor,
          LongCall::Resumed resumed)
      : task(resumed.record->id),
        changed(executor),
        parts_(parts),
        attached_(nullptr),
        resumed_(std::move(resumed.continuation)) {
    call.asker = this;
    call.cancel = std::move(resumed.cancel);
    call.outlives = true;
    call.continues = tool::has_begun(resumed_);
    tool::copy_run(resumed_.answers, call.continuation.answers);
    able_ = resumed.by.able;
  }

  tool::Call call;
  std::string task;                                // empty: the request waits for it
  std::optional<Result<tool::CallResult>> result;  // of a call that stayed with its request
  OneShot changed;                                 // either is there

  tool::Abilities abilities() const override { return able_; }
  tool::Continuation take_resumed() override {
    is_taken_ = true;
    return std::move(resumed_);
  }
  awaitable<Result<std::optional<tool::Answers>>> ask(const tool::Call& asking,
                                                      const tool::Round& round) override {
    if (attached_) {
      auto answers = co_await attached_->ask(asking, round);
      co_return answers;
    }
    // After a restart, the gates ask before the call has its continuation.
    tool::Continuation before = is_taken_ ? asking.continuation : resumed_;
    auto answered = co_await parts_.tasks.ask(task, round, std::move(before));
    if (!answered && parts_.tasks.waits_without_call(task)) call.outcome = tool::kAsked;
    if (!answered) co_return std::move(answered).error();
    co_return std::optional<tool::Answers>(*std::move(answered));
  }
  // Only the gates do, and a task has passed them. But after a restart, they ask once more: then
  // the call waits for a person, who finds the question without the client.
  awaitable<Result<bool>> send_to(const tool::Call& asking, tool::Visit& visit) override {
    if (!attached_) {
      co_await visit.wait();
      co_return true;
    }
    auto sent = co_await attached_->send_to(asking, visit);
    co_return sent;
  }

  static awaitable<void> run(std::shared_ptr<Running> self) {
    Result<tool::CallResult> ended = Error{ErrorKind::Internal, "the call did not end"};
    try {
      ended = co_await self->parts_.tools.call(self->call);
    } catch (const std::exception& problem) {
      ended = Error{ErrorKind::Internal, problem.what()};
    }
    if (self->task.empty()) {
      self->result.emplace(std::move(ended));
      self->changed.set();
      co_return;
    }
    self->end_task(ended);
  }

  void broke_off(const Error& why) {
    if (task.empty()) {
      result.emplace(why);
      changed.set();
      return;
    }
    const Request request = request_of_task();
    const std::string text =
        protocol::error_text({protocol::kInternalError, why.message, request.message.id, {}});
    parts_.tasks.end(task, task::Tasks::End::Failed,
                     protocol::outcome_in(text, request.message.id).json);
  }

 private:
  Result<void> go_on_as_task() {
    resumed_ = attached_->take_resumed();
    if (parts_.asks_first && !has_answers_for_tool(resumed_)) return {};
    HOST_TRY_ASSIGN(const tool::Task made, parts_.tasks.create(as_new_task(), call.cancel));
    task = made.id;
    call.outlives = true;
    attached_ = nullptr;
    call.observer = nullptr;  // no progress and no lines are sent of a task
    changed.set();
    return {};
  }

  task::Tasks::NewTask as_new_task() const {
    const tool::Peer& who = call.passport->who;
    return {who.principal,
            call.name,
            who.agent,
            parts_.arguments,
            parts_.definition,
            who.session,
            call.idempotency_key,
            tool::text_of(call.passport->sent),
            call.passport->call,
            call.continuation.answers.contains(tool::kMustNotRepeat)};
  }

  void end_task(const Result<tool::CallResult>& ended) {
    const Request request = request_of_task();
    const Reply reply = parts_.runner.reply_to(request, call, ended, parts_.plain);
    protocol::Outcome outcome = protocol::outcome_in(reply.text, request.message.id);
    parts_.tasks.end(task,
                     outcome.is_error ? task::Tasks::End::Failed : task::Tasks::End::Completed,
                     std::move(outcome.json));
  }

  Parts parts_;
  tool::Asker* attached_;  // of the request; nullptr: it is a task
  tool::Abilities able_;
  tool::Continuation resumed_;
  bool is_taken_ = false;  // `resumed_` is moved to the call
};

}  // namespace

awaitable<Result<tool::CallResult>> LongCall::run(tool::Call& call) {
  const tool::PassportPtr passport = call.passport;
  const std::string name = call.name;
  const std::shared_ptr<Cancel> request_cancel = call.cancel;
  const auto running = std::make_shared<Running>(
      Running::Parts{services_.tools, services_.tasks, runner_, plain_, definition_, asks_first_,
                     json::write(call.arguments.root())},
      services_.executor, std::move(call));
  running_ = std::shared_ptr<const tool::Call>(running, &running->call);
  call.passport = passport;  // whoever answers names the call
  call.name = name;
  // Until the client has the id of the task, nobody else can cancel the task.
  const auto stop = [this, &running, &passport] {
    if (running->task.empty()) return running->call.cancel->request();
    static_cast<void>(services_.tasks.cancel(running->task, passport->who.principal));
  };
  const auto attached = request_cancel->on_cancel(stop);
  spawn(services_.executor, {"session", "runs a call that may outlive its request"},
        Running::run(running), [running](const Result<void>& ended) {
          if (!ended) running->broke_off(ended.error());
        });
  co_await running->changed.wait();
  if (running->task.empty()) {
    Result<tool::CallResult> result = *std::move(running->result);
    call.ran = running->call.ran;
    call.approved = running->call.approved;
    call.outcome = running->call.outcome;
    call.rule = running->call.rule;
    call.continuation = running->call.continuation;  // with its approvals, if it asks its client
    // The task of an earlier call with the same idempotency key.
    if (result && !result->task.empty()) {
      HOST_CO_TRY(co_await services_.tasks.kept(result->task));
    }
    co_return result;
  }
  const auto kept = co_await services_.tasks.kept(running->task);
  if (!kept) {
    stop();
    co_return kept.error();
  }
  tool::CallResult result;
  result.task = running->task;
  co_return result;
}

void LongCall::resume(const Services& services, const CallRunner& runner, const Callee& plain,
                      Resumed resumed) {
  const tool::Record& record = *resumed.record;
  const auto fail = [&](std::string_view why) {
    std::string error = R"({"code":-32603,"message":)";
    json::write_string(why, error);
    services.tasks.end(record.id, task::Tasks::End::Failed, error + "}");
  };
  // The credential of an earlier host's client is not known any more. The one of the client that
  // answered counts: when it ends, the call ends.
  const tool::Peer who{record.principal, record.agent, record.session, resumed.by.who.credential};
  const auto tool = services.tools.find(who, record.tool).tool;
  auto arguments = json::parse_own(record.arguments);
  auto sent = tool::sent_context_in(record.context);
  if (!sent) return fail("the stored context of the call is not valid: call again");
  if (!tool || tool->digest() != record.definition || !arguments) {
    return fail("the tool has changed since it asked: call again");
  }
  const auto running = std::make_shared<Running>(
      Running::Parts{services.tools, services.tasks, runner, plain, record.definition, false},
      services.executor, std::move(resumed));
  tool::Call& call = running->call;
  auto passport = std::make_shared<tool::Passport>();
  passport->call = record.id;  // by which the call gets the idempotency key that its task holds
  passport->who = who;
  passport->connection = record.principal;
  tool::give_context(*passport, *std::move(sent));
  call.passport = std::move(passport);
  call.name = record.tool;
  call.idempotency_key = record.idempotency_key;
  call.arguments = *std::move(arguments);
  spawn(services.executor, {"session", "runs the call of an earlier host's task"},
        Running::run(running), [running](const Result<void>& ended) {
          if (!ended) running->broke_off(ended.error());
        });
}

std::string LongCall::answer(const Request& request, const tool::Call& call,
                             const tool::CallResult& result) const {
  if (result.task.empty()) return plain_.answer(request, running_ ? *running_ : call, result);
  const protocol::Id& id = request.message.id;
  const auto task = services_.tasks.find(result.task, request.who.principal);
  if (!task) return invalid_params(id, task.error().message).text;
  return protocol::task_created_answer(id, *task, infos_.of(request.version));
}

}  // namespace host::mcp
