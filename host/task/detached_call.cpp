#include "task/detached_call.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "tool/call/passport.h"
#include "tool/call/sent_context.h"
#include "tool/definition/class.h"

namespace host::task {
namespace {

using boost::asio::awaitable;
using std::chrono::milliseconds;
using tool::Record;
using tool::RecordState;

tool::PassportPtr passport_of(const Record& record) {
  auto passport = std::make_shared<tool::Passport>();
  passport->call = record.id;
  // Only the host calls post_ tools.
  if (tool::classify(record.tool) == tool::Class::Post) passport->origin = tool::Origin::Host;
  passport->who = {record.principal, record.agent, record.session};
  passport->connection = record.session;
  // A text that cannot be read is another version's. has_its_context() then keeps the call back.
  if (auto sent = tool::sent_context_in(record.context))
    tool::give_context(*passport, *std::move(sent));
  return passport;
}

}  // namespace

tool::Call call_of(const Record& record) {
  tool::Call call;
  call.passport = passport_of(record);
  call.name = record.tool;
  return call;
}

bool has_its_context(const Record& record, const tool::Call& call) {
  return record.context.empty() || call.passport->sent;
}

namespace {

Error ended_meanwhile() {
  return {ErrorKind::Cancelled, "the call was cancelled"};
}

}  // namespace

void report_lost(const std::string& id, const Error& why) {
  log::warning("task", "a change of a detached call is lost",
               {{"call", id}, {"reason", why.message}});
}

DetachedCall::DetachedCall(boost::asio::any_io_executor executor, Records& records,
                           const Record& record,
                           std::function<void(DetachedCall& call)> waits_for_person)
    : records_(records),
      id_(record.id),
      principal_(record.principal),
      was_executed_(record.is_answered()),
      waits_for_person_(std::move(waits_for_person)),
      timer_(std::move(executor)),
      next_pause_(kFirstPause) {}

tool::Call DetachedCall::make(const Record& record) {
  tool::Call call = call_of(record);
  call.cancel = cancel_;
  call.recorder = this;
  call.outlives = true;
  if (was_executed_) call.continuation = record.continuation;
  return call;
}

awaitable<bool> DetachedCall::pause(milliseconds time) {
  timer_.expires_after(time);
  if (!stopping_) co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  co_return !stopping_;
}

void DetachedCall::cancel(Cancel::By by, std::string_view code) {
  if (call_ && !code.empty()) call_->outcome = code;  // for the audit line
  cancel_->request(by);
  timer_.cancel();
}

void DetachedCall::end_waits() {
  stopping_ = true;
  timer_.cancel();
}

awaitable<Result<void>> DetachedCall::is_accepted() {
  auto accepted = co_await records_.added(id_);
  co_return accepted;
}

void DetachedCall::waits(std::string_view reason, std::string_view approval) {
  const RecordPtr now = records_.find(id_);
  const bool may = now && !now->is_over() && now->executes == tool::Executes::Host;
  const bool knows_approval = approval.empty() || (now && now->approval == approval);
  if (!may || (now->state == RecordState::Pending && now->reason == reason && knows_approval))
    return;
  Record next = *now;
  if (!approval.empty()) next.approval = approval;
  next.state = RecordState::Pending;
  next.reason = reason;
  change(std::move(next));
  if (!reason.empty()) waits_for_person_(*this);
}

awaitable<bool> DetachedCall::waits_for_room() {
  if (stopping_ || cancel_->requested()) co_return false;
  const milliseconds time = next_pause_;
  next_pause_ = std::min(2 * next_pause_, kLongestPause);
  const bool goes_on = co_await pause(time);
  co_return goes_on && !cancel_->requested();
}

awaitable<Result<void>> DetachedCall::begins(const tool::Call& call) {
  const RecordPtr now = records_.find(id_);
  if (!now || now->is_over()) co_return ended_meanwhile();
  if (now->state == RecordState::Pending) {
    Record next = *now;
    next.state = RecordState::Processing;
    next.reason.clear();
    next.idempotency_key = call.idempotency_key;
    next.key_tool = call.name;  // it may have been called through call_tool
    HOST_CO_TRY(records_.change(std::move(next), kByHost));
  }
  deadline_ = call.deadline;
  auto kept = co_await records_.kept(id_);
  if (!kept) take_back();
  const RecordPtr stored = records_.find(id_);
  if (kept && (!stored || stored->is_over())) kept = ended_meanwhile();
  co_return kept;
}

// It did not begin after all.
void DetachedCall::take_back() {
  deadline_ = {};
  const RecordPtr now = records_.find(id_);
  if (!now || now->state != RecordState::Processing) return;
  Record next = *now;
  next.state = RecordState::Pending;
  change(std::move(next));
}

void DetachedCall::change(Record next) {
  if (const auto done = records_.change(std::move(next), kByHost); !done)
    report_lost(id_, done.error());
}

}  // namespace host::task
