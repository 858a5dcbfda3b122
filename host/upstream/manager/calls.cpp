#include "upstream/manager/calls.h"

#include <algorithm>
#include <utility>

#include "protocol/client_requests.h"
#include "protocol/log_level.h"
#include "protocol/mirrored_headers.h"
#include "tool/declared_text.h"

namespace host::upstream {
namespace {

bool may_be_repeated(const tool::Invocation& invocation) {
  return tool::only_reads(invocation) || invocation.tool->declared().idempotent;
}

tool::CallResult result_of(const Answer& answer, const std::string& upstream) {
  if (answer.kind == Answer::Kind::Refused) {
    return tool::CallResult::error("The upstream \"" + upstream +
                                   "\" refused the call: " + answer.refusal.message + " (error " +
                                   std::to_string(answer.refusal.code) + ")");
  }
  auto result = protocol::read_call_result(*answer.result);
  if (result) return *std::move(result);
  return tool::CallResult::error("The upstream \"" + upstream +
                                 "\" is faulty: " + result.error().message);
}

}  // namespace

void Calls::take(std::shared_ptr<tool::Invocation> invocation, const std::string& tool) {
  Held held{std::move(invocation), tool, false};
  if (Connection* const connection = line_.connection()) return send(std::move(held), *connection);
  waiting_.push_back(std::move(held));
  line_.need();
}

void Calls::give_up(const std::shared_ptr<tool::Invocation>& invocation) {
  const Error cancelled{ErrorKind::Cancelled, "the call was cancelled"};
  const auto waits = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Held& held) { return held.invocation == invocation; });
  if (waits != waiting_.end()) {
    const Held held = std::move(*waits);
    waiting_.erase(waits);
    return end(held, cancelled);
  }
  const auto runs = std::find_if(running_.begin(), running_.end(), [&](const auto& entry) {
    return entry.second.held.invocation == invocation;
  });
  if (runs == running_.end()) return;
  Running running = std::move(runs->second);
  running_.erase(runs);
  if (Connection* const connection = line_.connection())
    connection->cancel(running.number, "cancelled");
  running.held.may_have_acted = true;
  end(running.held, cancelled);
}

void Calls::connected() {
  std::list<Held> now = std::move(waiting_);
  waiting_.clear();
  for (Held& held : now) {
    Connection* const connection = line_.connection();
    if (connection) {
      send(std::move(held), *connection);
    } else {
      waiting_.push_back(std::move(held));
    }
  }
}

void Calls::fail_waiting(const std::string& why) {
  std::list<Held> now = std::move(waiting_);
  waiting_.clear();
  for (const Held& held : now) fail(held, why);
}

void Calls::send(Held held, Connection& connection) {
  const std::string objection = line_.objection(*held.invocation->tool, held.tool);
  if (!objection.empty()) return fail(held, objection);
  const std::uint64_t key = ++last_key_;
  Request request = request_of(held, key);
  Running& running = running_[key];
  running.held = std::move(held);
  running.number = connection.send(std::move(request));
}

Request Calls::request_of(const Held& held, std::uint64_t key) {
  const tool::Invocation& invocation = *held.invocation;
  Request request;
  request.method = "tools/call";
  request.name = held.tool;
  request.members =
      protocol::call_members(held.tool, invocation.arguments, invocation.continuation);
  request.mirrored = protocol::param_headers(*invocation.tool, invocation.arguments);
  request.trace = invocation.passport->trace;
  request.abilities = invocation.abilities;
  request.on_answer = [weak = weak_from_this(), key](Answer answer) {
    if (const auto self = weak.lock()) self->take_answer(key, std::move(answer));
  };
  if (invocation.on_progress) {
    request.on_progress = [call = held.invocation](const protocol::ForeignProgress& progress) {
      call->on_progress(progress.done, progress.total, progress.message);
    };
  }
  if (invocation.on_log) {
    request.log_level = protocol::kInfo;
    request.on_log = [call = held.invocation](const protocol::ForeignLog& line) {
      call->on_log(line.level, line.logger, line.message, {});
    };
  }
  return request;
}

void Calls::take_answer(std::uint64_t key, Answer answer) {
  const auto found = running_.find(key);
  if (found == running_.end()) return;
  Held held = std::move(found->second.held);
  running_.erase(found);
  if (answer.kind == Answer::Kind::Failed) return take_failure(std::move(held), answer);
  held.may_have_acted = true;
  end(held, result_of(answer, upstream_));
}

void Calls::take_failure(Held held, const Answer& answer) {
  const bool not_acted = answer.reached == Reached::No;
  if (!not_acted) held.may_have_acted = true;
  const bool ended =
      answer.why.kind == ErrorKind::Unavailable || answer.why.kind == ErrorKind::NotFound;
  const bool is_lost = ended || answer.why.kind == ErrorKind::Io;
  if (ended && !held.sent_again && (not_acted || may_be_repeated(*held.invocation))) {
    held.sent_again = true;
    waiting_.push_back(std::move(held));
    return;  // the owner hears of the end next, and connects again
  }
  std::string why = answer.why.message;
  if (!not_acted && is_lost) {
    const bool tried_twice = held.sent_again && may_be_repeated(*held.invocation);
    why += tried_twice ? ". The host tried the call twice, because it may be repeated"
                       : ". It may have carried out the call, so the host did not repeat it: find "
                         "out before you call again";
  }
  fail(held, why);
}

void Calls::fail(const Held& held, const std::string& why) {
  held.invocation->outcome = "upstream_failed";
  end(held, tool::CallResult::error("The upstream \"" + upstream_ +
                                    "\" did not answer: " + tool::shown_text(why) + "."));
}

void Calls::end(const Held& held, Result<tool::CallResult> result) {
  if (held.may_have_acted) {
    held.invocation->finish(std::move(result));
  } else {
    held.invocation->refuse(std::move(result));
  }
  if (waiting_.empty() && running_.empty() && line_.on_idle) line_.on_idle();
}

}  // namespace host::upstream
