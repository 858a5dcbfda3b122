#include "task/tasks.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/log.h"
#include "json/own_text.h"
#include "protocol/elicitation.h"
#include "task/task_view.h"
#include "tool/call/edits.h"
#include "tool/definition/state_after.h"
#include "tool/definition/unbegun.h"

namespace host::task {
namespace {

constexpr const char* kNoRoom =
    "your tasks and their results leave no room (limits.detached_bytes_per_principal)";

using boost::asio::awaitable;
using tool::Record;
using tool::RecordState;
using tool::Task;

constexpr std::string_view kHost = "host";
constexpr const char* kRestarted =
    R"({"code":-32603,"message":"the host ended while this ran, so it may have had effect: )"
    R"(find out before you call again"})";

Error unknown() {
  return Error{ErrorKind::NotFound, "there is no such task: it is unknown or has expired"};
}

// The provider's key of a question, whose own key begins with its number.
std::string own_key_of(const std::string& key) {
  return key.substr(key.find(':') + 1);
}

bool is_error_result(std::string_view result) {
  const auto tree = json::parse_own(result);
  const json::Value* const flag = tree ? json::find(tree->root(), "isError") : nullptr;
  return flag && flag->IsBool() && flag->GetBool();
}

// The answers that a client's responses contain, and the questions that are left.
struct Taken {
  tool::Answers answers;  // by the provider's keys
  std::vector<tool::Question> left;
  bool refused = false;
};

Result<Taken> take(const std::vector<tool::Question>& questions, const json::Value& responses) {
  Taken taken;
  for (tool::Question question : questions) {
    const json::Value* const response = json::find(responses, question.key);
    const auto fault =
        response ? protocol::answer_fault(question, *response) : std::optional<std::string>();
    if (response && !fault) {
      taken.answers.emplace(own_key_of(question.key), json::write(*response));
      continue;
    }
    if (fault &&
        (question.method != "elicitation/create" || !protocol::read_elicit_answer(*response))) {
      return Error{ErrorKind::InvalidArgument,
                   "inputResponses[\"" + question.key + "\"]: " + *fault};
    }
    if (fault) {
      question.refused = *fault;
      taken.refused = true;
    }
    taken.left.push_back(std::move(question));
  }
  return taken;
}

bool waits_after_a_restart(const Record& record) {
  return !record.is_over() && !record.questions.empty() && !record.definition.empty();
}

bool must_not_repeat(const Record& record) {
  return record.continuation.answers.contains(tool::kMustNotRepeat);
}

// The call continues with the answers that its client has given until now.
std::optional<tool::Answers> withdraw_questions(Records& records, const std::string& id) {
  const RecordPtr now = records.find(id);
  if (!now || now->is_over()) return std::nullopt;
  Record next = *now;
  next.questions.clear();
  next.state = RecordState::Processing;
  next.reason.clear();
  if (!records.change(std::move(next), kHost)) return std::nullopt;
  return now->round_answers;
}

}  // namespace

// The call of a task that has not ended.
struct Tasks::Running {
  Running(const boost::asio::any_io_executor& executor, std::shared_ptr<Cancel> wish)
      : cancel(std::move(wish)), answered(executor) {}

  std::shared_ptr<Cancel> cancel;
  std::optional<tool::Answers> answers;  // to all questions of the open round
  boost::asio::steady_timer answered;    // cancelled when the wait is over
};

Tasks::Tasks(boost::asio::any_io_executor executor, const Clock& clock, Records& records,
             Limits limits)
    : executor_(std::move(executor)), clock_(clock), records_(records), limits_(limits) {
  records_.on_change([this, alive = std::weak_ptr<bool>(alive_)](const RecordPtr& record) {
    if (alive.expired()) return;
    if (record->is_over()) release_key(*record);
    if (on_change_) on_change_(view(*record));
  });
  records_.on_gone([this, alive = std::weak_ptr<bool>(alive_)](const RecordPtr& record) {
    if (alive.expired()) return;
    release_key(*record);
    let_go(record->id);
  });
}

Tasks::~Tasks() = default;

Task Tasks::view(const Record& record) const {
  return task_of(record, limits_.ttl, limits_.poll_interval);
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

void Tasks::release_key(const Record& record) {
  if (keys_ && !record.claim.empty())
    keys_->release(idempotency_key_of(record), record.id, must_not_repeat(record));
}

bool Tasks::waits_without_call(const std::string& id) const {
  const RecordPtr record = records_.find(id);
  return record && !has_call(id) && waits_after_a_restart(*record);
}

// Why a principal's tasks leave no room for `bytes` more bytes; empty: they do.
std::string Tasks::no_room_for(const std::string& principal, std::size_t bytes) const {
  if (records_.sizes_of(principal).task_bytes + bytes <= limits_.bytes_per_principal) return {};
  return kNoRoom;
}

Result<Task> Tasks::create(NewTask made, std::shared_ptr<Cancel> cancel) {
  records_.expire();
  if (records_.sizes().tasks >= limits_.all) {
    return Error{ErrorKind::Unavailable, "too many tasks (limits.tasks): try again later"};
  }
  if (records_.sizes_of(made.principal).tasks >= limits_.per_principal) {
    return Error{ErrorKind::Unavailable,
                 "too many tasks of yours (limits.tasks_per_principal): try again later"};
  }
  const std::size_t bytes = made.arguments.size() + made.context.size();
  if (const std::string why = no_room_for(made.principal, bytes); !why.empty())
    return Error{ErrorKind::Unavailable, why + ": try again later"};
  Record record;
  record.id = random_id();
  record.state = RecordState::Processing;
  record.expires = clock_.wall() + limits_.ttl;
  record.poll_interval = limits_.poll_interval;
  record.agent = std::move(made.agent);
  record.arguments = std::move(made.arguments);
  record.context = std::move(made.context);
  record.definition = std::move(made.definition);
  record.session = std::move(made.session);
  record.idempotency_key = std::move(made.idempotency_key);
  if (keys_ && !record.idempotency_key.empty())
    record.claim = keys_->became_task(made.principal, made.call, record.id);
  if (made.must_not_repeat) {
    record.continuation.answers.emplace(std::string(tool::kMustNotRepeat), "true");
    record.asked = 1;  // with the answers to these questions, the client has made the task
  }
  record.tool = std::move(made.tool);
  record.key_tool = record.tool;
  record.principal = std::move(made.principal);
  const std::string by = "mcp:" + record.principal;
  const RecordPtr added = records_.add(std::move(record), by);
  running_.emplace(added->id, std::make_shared<Running>(executor_, std::move(cancel)));
  return view(*added);
}

awaitable<Result<tool::Answers>> Tasks::ask(std::string id, tool::Round round,
                                            tool::Continuation before) {
  const Error over{ErrorKind::Cancelled, "the task is over"};
  const auto at = running_.find(id);
  const RecordPtr now = records_.find(id);
  if (at == running_.end() || !now) co_return over;
  if (round.questions.empty()) co_return tool::Answers{};
  const RunningPtr running = at->second;
  const std::shared_ptr<Cancel> needless = round.over;  // the provider needs no more answers
  const auto is_needless = [&] { return needless && needless->requested(); };
  const auto goes_on = [&] { return is_needless() && !running->cancel->requested() && !stopping_; };
  if (goes_on()) co_return tool::Answers{};

  Record next = *now;
  next.round_state = tool::state_after(round, before.state);
  for (tool::Question& question : round.questions) {
    question.key = std::to_string(++next.asked) + ":" + question.key;
  }
  next.questions = std::move(round.questions);
  next.round_answers.clear();
  next.continuation = std::move(before);
  next.state = RecordState::Pending;
  next.reason = tool::kWaitsForAnswer;
  running->answers.reset();
  const auto left = next.expires - clock_.wall();
  HOST_CO_TRY(records_.change(std::move(next), kHost));
  running->answered.expires_after(std::chrono::ceil<std::chrono::milliseconds>(left));
  // An operator, the end of its session or of its key ends the call. A stop of the host does not:
  // the task waits on after the next start.
  const auto is_ended = [running] {
    return running->cancel->requested() && running->cancel->by() != Cancel::By::Stop;
  };
  const auto wakes = running->cancel->on_cancel([running, is_ended] {
    if (is_ended()) running->answered.cancel();
  });
  Cancel::Registration wakes_early;
  if (needless) wakes_early = needless->on_cancel([running] { running->answered.cancel(); });
  if (!is_ended() && !is_needless())
    co_await running->answered.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  if (!running->answers && goes_on()) running->answers = withdraw_questions(records_, id);
  if (!running->answers) {
    records_.expire();
    co_return over;
  }
  co_return *std::move(running->answers);
}

void Tasks::end(const std::string& id, End how, std::string outcome) {
  const auto at = running_.find(id);
  if (at == running_.end()) return;
  running_.erase(at);
  const RecordPtr now = records_.find(id);
  if (!now || now->is_over()) return;
  Record next = *now;
  next.reason.clear();
  next.questions.clear();
  next.continuation.answers.erase(std::string(tool::kRunArguments));
  next.state = RecordState::Complete;
  if (how == End::Failed || is_error_result(outcome)) {
    next.state = RecordState::Error;
    next.code = how == End::Failed ? tool::kFailed : tool::kToolError;
  }
  // The limit refuses new tasks. Those that have run may exceed it, so they keep their results.
  const std::size_t others = records_.sizes_of(now->principal).task_bytes - now->bytes();
  const std::size_t kept = others + next.bytes() + outcome.size();
  if (kept > 2 * limits_.bytes_per_principal) {
    how = End::Failed;
    next.state = RecordState::Error;
    next.code = "result_too_large";
    outcome = R"({"code":-32603,"message":)";
    json::write_string("the call has ended, but its result cannot be kept: " + std::string(kNoRoom),
                       outcome);
    outcome += "}";
  }
  (how == End::Failed ? next.failure : next.result) = std::move(outcome);
  if (const auto ended = records_.change(std::move(next), kHost); !ended) {
    log::warning("task", "the outcome of a call is lost",
                 {{"task", id}, {"reason", ended.error().message}});
  }
}

RecordPtr Tasks::find_record(const std::string& id, const std::string& principal) {
  records_.expire();
  RecordPtr record = records_.find(id);
  if (record && record->is_expired(clock_.wall())) return nullptr;  // its end is not stored yet
  // REST shows detached calls, to their agents only.
  const bool is_task = record && record->made_by == tool::MadeBy::TaskClient;
  return is_task && record->principal == principal ? record : nullptr;
}

Result<Task> Tasks::find(const std::string& id, const std::string& principal) {
  const RecordPtr record = find_record(id, principal);
  if (!record) return unknown();
  return view(*record);
}

Result<void> Tasks::answer(const std::string& id, const Answerer& by,
                           const json::Value& responses) {
  const std::string& principal = by.who.principal;
  const RecordPtr now = find_record(id, principal);
  if (!now) return unknown();
  if (now->is_over() || now->questions.empty()) return {};
  if (stopping_) {
    return Error{ErrorKind::Unavailable, "the host is stopping: answer when it has started again"};
  }
  HOST_TRY_ASSIGN(Taken taken, take(now->questions, responses));
  if (taken.answers.empty() && !taken.refused) return {};
  Record next = *now;
  next.questions = std::move(taken.left);
  for (auto& [key, answer] : taken.answers) {
    next.round_answers.insert_or_assign(key, std::move(answer));
  }
  if (next.questions.empty()) {
    next.state = RecordState::Processing;
    next.reason.clear();
  }
  HOST_TRY_ASSIGN(const RecordPtr changed, records_.change(std::move(next), "mcp:" + principal));
  if (changed->questions.empty()) go_on(changed, by);
  return {};
}

// All questions are answered.
void Tasks::go_on(const RecordPtr& record, const Answerer& by) {
  const auto at = running_.find(record->id);
  if (at != running_.end()) {
    at->second->answers = record->round_answers;
    at->second->answered.cancel();
    return;
  }
  const auto cancel = std::make_shared<Cancel>();
  running_.emplace(record->id, std::make_shared<Running>(executor_, cancel));
  tool::Continuation continuation{record->round_state, record->continuation.answers};
  for (const auto& [key, answer] : record->round_answers) {
    continuation.answers.insert_or_assign(key, answer);
  }
  if (resume_) return resume_(record, std::move(continuation), cancel, by);
  end(record->id, End::Failed, kRestarted);
}

void Tasks::end_by_cancel(const RecordPtr& record, std::string_view by) {
  Record next = *record;
  next.state = RecordState::Error;
  next.code = tool::kCancelled;
  next.reason.clear();
  next.questions.clear();
  if (const auto ended = records_.change(std::move(next), by); !ended) {
    log::warning("task", ended.error().message, {{"task", record->id}});
  }
}

Result<void> Tasks::cancel(const std::string& id, const std::string& principal,
                           std::string_view by) {
  const RecordPtr record = find_record(id, principal);
  if (!record) return unknown();
  if (record->is_over()) return {};
  end_by_cancel(record, by.empty() ? "mcp:" + principal : std::string(by));
  let_go(id);
  return {};
}

void Tasks::take_over() {
  for (const RecordPtr& record : records_.open()) {
    if (record->made_by != tool::MadeBy::TaskClient) continue;
    const bool waits = waits_after_a_restart(*record);
    if (keys_ && !record->claim.empty() && (waits || must_not_repeat(*record)))
      keys_->hold(idempotency_key_of(*record), record->claim, record->id);
    if (waits) continue;
    running_.emplace(record->id, std::make_shared<Running>(executor_, std::make_shared<Cancel>()));
    end(record->id, End::Failed, kRestarted);
  }
}

void Tasks::end_waits() {
  stopping_ = true;
  if (!records_.is_stored()) return;
  std::vector<std::string> waiting;
  for (const auto& [id, running] : running_) {
    const RecordPtr record = records_.find(id);
    if (record && waits_after_a_restart(*record)) waiting.push_back(id);
  }
  for (const std::string& id : waiting) let_go(id);
}

void Tasks::stop() {
  end_waits();
  while (!running_.empty()) {
    const std::string id = running_.begin()->first;
    const RecordPtr record = records_.find(id);
    if (record && !record->is_over()) end_by_cancel(record, kHost);
    let_go(id);
  }
}

}  // namespace host::task
