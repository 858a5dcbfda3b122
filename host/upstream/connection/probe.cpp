#include "upstream/connection/probe.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace host::upstream {
namespace {

// A host that was stopped itself finds the end of its time before the answer: it asks twice.
constexpr int kRounds = 2;

// Methods that each server knows that offers something of the kind.
constexpr std::string_view kKnown[] = {"tools/list", "tools/call", "resources/read", "prompts/get"};

bool is_doubtful(const Answer& answer) {
  switch (answer.kind) {
    case Answer::Kind::Result:
      return false;
    case Answer::Kind::Refused:
      return answer.refusal.code == protocol::kMethodNotFound ||
             answer.refusal.code == protocol::kUnsupportedVersion;
    case Answer::Kind::Failed:
      return answer.why.kind == ErrorKind::InvalidArgument;
  }
  return false;
}

}  // namespace

void Probe::begin(bool is_stateless, bool is_process) {
  is_begun_ = true;
  is_stateless_ = is_stateless;
  is_process_ = is_process;
}

void Probe::saw(const Request& request, const Answer& answer) {
  const bool is_known =
      std::find(std::begin(kKnown), std::end(kKnown), request.method) != std::end(kKnown);
  if (!is_begun_ || is_process_ || is_asking_ || !is_known || !is_doubtful(answer)) return;
  ask(patience_, [this](const Answer& said) {
    if (!is_replaced(said)) return;
    line_.end({ErrorKind::NotFound,
               "it does not speak the protocol version any more that it spoke "
               "before"});
  });
}

// An error inside the server says nothing about its version.
bool Probe::is_replaced(const Answer& answer) const {
  switch (answer.kind) {
    case Answer::Kind::Result:
      return is_stateless_ && !protocol::read_discovered(*answer.result);
    case Answer::Kind::Refused:
      return is_stateless_ ? answer.refusal.code != protocol::kInternalError
                           : answer.refusal.code == protocol::kUnsupportedVersion;
    case Answer::Kind::Failed:
      return answer.why.kind == ErrorKind::InvalidArgument;
  }
  return false;
}

void Probe::timed_out(const Request& request) {
  const bool is_silent = request.messages_before == heard_;
  if (is_begun_ && is_process_ && !is_asking_ && is_silent) ask_for_life(1);
}

void Probe::ask_for_life(int round) {
  ask(patience_ / kRounds, [this, round, before = heard_](const Answer& answer) {
    const bool is_late =
        answer.kind == Answer::Kind::Failed && answer.why.kind == ErrorKind::DeadlineExceeded;
    if (!is_late || heard_ != before) return;
    if (round < kRounds) return ask_for_life(round + 1);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience_).count();
    line_.end({ErrorKind::Unavailable,
               "it hung: after a request had run into its time limit, it sent nothing for " +
                   std::to_string(seconds) + " s, not even an answer to " +
                   (is_stateless_ ? "server/discover" : "ping")});
  });
}

void Probe::ask(std::chrono::milliseconds timeout, std::function<void(const Answer&)> then) {
  is_asking_ = true;
  Request request;
  request.method = is_stateless_ ? "server/discover" : "ping";
  request.timeout = timeout;
  request.on_answer = [this, then = std::move(then)](const Answer& answer) {
    is_asking_ = false;
    if (is_begun_) then(answer);
  };
  line_.send(std::move(request));
}

}  // namespace host::upstream
