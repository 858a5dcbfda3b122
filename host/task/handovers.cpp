#include "task/handovers.h"

#include <utility>

#include "base/digest.h"
#include "json/json.h"
#include "task/outcome.h"

namespace host::task {
namespace {

using tool::Invocation;
using tool::Record;
using tool::RecordState;

constexpr std::string_view kByHandover = "host";

// The result of a record that has ended, for the call that waited.
tool::CallResult answer_of(const Record& record) {
  tool::CallResult result;
  const auto tree = json::parse(record.result);
  if (!tree) return tool::CallResult::error("the call ended: " + record.code);
  const json::Value* const content = json::find(tree->root(), "content");
  if (content && content->IsArray()) {
    for (const json::Value& block : content->GetArray()) result.add_block(json::write(block));
  }
  if (const json::Value* const structured = json::find(tree->root(), "structuredContent"))
    result.structured = json::write(*structured);
  result.is_error = record.state == RecordState::Error;
  return result;
}

tool::CallResult still_waits(const Record& record) {
  return tool::CallResult::error(
      "\"" + record.tool + "\" is executed outside this host and has not ended yet (" +
      std::string(to_string(record.state)) + "). Its id is " + record.id +
      ". Call again with the same arguments: that call gets its result.");
}

}  // namespace

Handovers::Handovers(boost::asio::any_io_executor executor, Records& records, Leases& leases,
                     Room& room, std::chrono::milliseconds wait)
    : executor_(std::move(executor)), records_(records), leases_(leases), room_(room), wait_(wait) {
  records_.on_change([this, alive = std::weak_ptr<bool>(alive_)](const RecordPtr& record) {
    if (!alive.expired() && record->is_over()) ended(record);
  });
}

void Handovers::hand_over(std::shared_ptr<Invocation> invocation) {
  const RecordPtr own = records_.find(invocation->passport->call);
  if (!own) return meet(std::move(invocation));
  announce(own, std::move(invocation));
}

// The record becomes visible to callers, with the arguments that were approved.
void Handovers::announce(const RecordPtr& record, std::shared_ptr<Invocation> invocation) {
  if (record->is_over()) {
    invocation->finish(answer_of(*record));
    return;
  }
  if (record->executes == tool::Executes::Host) {
    Record next = *record;
    next.executes = tool::Executes::Caller;
    next.reason = tool::kWaitsForCaller;
    next.arguments = invocation->arguments;
    next.definition = invocation->tool->digest();
    const auto announced = records_.change(std::move(next), kByHandover);
    if (!announced) {
      invocation->finish(announced.error());
      return;
    }
  }
  wait_for(record->id, std::move(invocation), true);
}

RecordPtr Handovers::unanswered_twin_of(const Invocation& invocation) const {
  const tool::Peer& who = invocation.passport->who;
  for (const std::string& id : unanswered_) {
    const RecordPtr record = records_.find(id);
    if (record && record->principal == who.principal && record->agent == who.agent &&
        record->session == who.session && record->tool == invocation.tool->name() &&
        record->definition == invocation.tool->digest() &&
        record->arguments == invocation.arguments) {
      return record;
    }
  }
  return nullptr;
}

// A call without a record of its own: over MCP, or a post_ tool.
void Handovers::meet(std::shared_ptr<Invocation> invocation) {
  if (const RecordPtr twin = unanswered_twin_of(*invocation)) {
    unanswered_.erase(twin->id);
    if (!twin->is_over()) return wait_for(twin->id, std::move(invocation), false);
    invocation->finish(answer_of(*twin));
    return;
  }
  const tool::Peer& who = invocation->passport->who;
  if (const auto room = room_.make(who.principal, invocation->arguments.size()); !room) {
    invocation->outcome = "busy";
    invocation->finish(tool::CallResult::error("busy: " + room.error().message));
    return;
  }
  Record record;
  record.id = "r_" + random_id();
  record.session = who.session;
  record.principal = who.principal;
  record.agent = who.agent;
  record.tool = invocation->tool->name();
  record.definition = invocation->tool->digest();
  record.arguments = invocation->arguments;
  record.made_by = tool::MadeBy::WaitingCall;
  record.executes = tool::Executes::Caller;
  record.reason = tool::kWaitsForCaller;
  const RecordPtr added = records_.add(std::move(record), "mcp:" + who.principal);
  wait_for(added->id, std::move(invocation), false);
}

void Handovers::wait_for(const std::string& record, std::shared_ptr<Invocation> invocation,
                         bool own) {
  Waiting& waiting = waiting_[record];
  waiting.own = own;
  const bool timed = !invocation->outlives;
  waiting.invocation = std::move(invocation);
  if (!timed) return;
  waiting.timer = std::make_unique<boost::asio::steady_timer>(executor_, wait_);
  waiting.timer->async_wait(
      [this, record, alive = std::weak_ptr<bool>(alive_)](boost::system::error_code error) {
        if (!error && !alive.expired()) give_up(record);
      });
}

void Handovers::ended(const RecordPtr& record) {
  auto waiting = waiting_.extract(record->id);
  if (!waiting.empty()) waiting.mapped().invocation->finish(answer_of(*record));
}

void Handovers::give_up(const std::string& id) {
  auto waiting = waiting_.extract(id);
  if (waiting.empty()) return;
  const std::shared_ptr<Invocation> invocation = waiting.mapped().invocation;
  invocation->outcome = "pending";
  const RecordPtr record = records_.find(id);
  if (!record) {
    invocation->finish(Error{ErrorKind::Cancelled, "the call was removed"});
    return;
  }
  if (!waiting.mapped().own) {
    std::erase_if(unanswered_, [this](const std::string& one) { return !records_.find(one); });
    unanswered_.insert(id);
  }
  invocation->finish(still_waits(*record));
}

void Handovers::take_back(const std::shared_ptr<Invocation>& invocation) {
  for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
    if (at->second.invocation != invocation) continue;
    const RecordPtr record = records_.find(at->first);
    const bool own = at->second.own;
    waiting_.erase(at);
    // The next host goes on with it. A call's own record is ended by whoever cancelled the call.
    if (record && !record->is_over() && !own && !stopping_) {
      static_cast<void>(
          records_.change(ended_with_words(*record, tool::kCancelled, "The call was cancelled.",
                                           leases_.end_of_keep()),
                          "mcp:" + record->principal));
    }
    break;
  }
  invocation->finish(Error{ErrorKind::Cancelled, "cancelled"});
}

void Handovers::take_over() {
  for (const RecordPtr& record : records_.open()) {
    if (record->made_by == tool::MadeBy::WaitingCall) unanswered_.insert(record->id);
  }
}

void Handovers::end_waits() {
  stopping_ = true;
  while (!waiting_.empty()) give_up(std::string(waiting_.begin()->first));
}

}  // namespace host::task
