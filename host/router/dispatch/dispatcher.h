// The dispatcher is the call pipeline. Every tool call passes through the pipeline.
// Dispatcher::pass_gates_and_run() runs the steps of the pipeline in order. The functions of this
// header are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "router/live/call_metrics.h"
#include "router/live/live_calls.h"
#include "router/live/live_news.h"
#include "router/step/approval_step.h"
#include "router/step/arguments.h"
#include "router/step/attachments.h"
#include "router/step/check_turns.h"
#include "router/step/earlier_call.h"
#include "router/step/idempotency.h"
#include "router/step/interceptors.h"
#include "router/step/permission_step.h"
#include "router/step/result_step.h"
#include "router/step/session_step.h"
#include "router/step/state_step.h"
#include "router/view/route.h"
#include "router/view/router.h"
#include "tool/call/call.h"
#include "tool/call/caller_work.h"
#include "tool/call/end_watcher.h"
#include "tool/call/result.h"

namespace host::executor {
class Executor;
class Scheduler;
class Slot;
}  // namespace host::executor
namespace host::store {
class Audit;
}

namespace host::router {

class Dispatcher {
 public:
  struct Parts {
    Router& router;
    PermissionStep& permission;
    approval::Gate& gate;
    executor::Scheduler& scheduler;
    executor::Executor& executor;
    store::Audit& audit;
    const Clock& clock;
    std::uint64_t result_bytes;
    CallMetrics& metrics;
    LiveCalls& live;
    Idempotency& idempotency;
    SessionStep session = SessionStep(nullptr);
    const LiveNews* news = nullptr;        // null: no client reads events of sessions
    Interceptors* interceptors = nullptr;  // null: no interceptor is configured
    tool::CallerWork* callers = nullptr;   // null: clients execute no tools
    AttachmentStep attachments = AttachmentStep(nullptr, 0);
    std::shared_ptr<store::Desk> desk = nullptr;  // null: the host stores nothing
    tool::EndWatcher* ends = nullptr;             // null: the end of calls is not reported
    ResultFiles result_files = ResultFiles(nullptr, 0);
  };
  // `turns` limits the time of each principal's checks, and must outlive the Dispatcher.
  Dispatcher(const Parts& parts, CheckTurns& turns);

  // Runs one call to its end and writes its audit line. call() returns one of these Errors:
  // - NotFound: the tool is unknown or hidden. The client gets the unknown-tool error.
  // - InvalidArgument: the answer of the client's user was tampered with, or has expired.
  // - DeadlineExceeded: the call's deadline has passed. `call.timeout_error` says what the client
  //   gets.
  // - Cancelled: the caller cancelled the call. If the protocol forbids it, the client gets no
  //   answer.
  // - Unavailable: the principal exceeds its limits. The client gets the HTTP status 429.
  // - Internal, Io: the host has a fault. The client gets an internal error with the call's id.
  //
  // A call uses up its receipts, such as an approval, only if its provider starts the call
  // (tool/call/receipt.h).
  //
  // For wrong arguments, denied calls and faults of a plugin, call() returns a CallResult with
  // is_error. A call also gets a CallResult with is_error if an operator cancels it, the host
  // stops, or the credential is no longer valid.
  boost::asio::awaitable<Result<tool::CallResult>> call(tool::Call& call);

  // The dispatcher calls the listener for every call that ended, with the arguments as the client
  // sent them. For a call of call_tool, the listener gets the arguments of the inner call. The
  // dispatcher never removes a listener.
  using Listener = std::function<void(const tool::Call& call, const std::string& arguments,
                                      const Result<tool::CallResult>& result)>;
  void on_call(Listener listener) { on_call_.push_back(std::move(listener)); }

 private:
  boost::asio::awaitable<Result<tool::CallResult>> pass_gates_and_run(tool::Call& call,
                                                                      std::string* sent,
                                                                      EarlierCall& earlier,
                                                                      EarlierCall::Told& told);
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> pass_approval(
      tool::Call& call, const Route& route, ApprovalStep::Judged judged);
  std::optional<tool::CallResult> check_arguments(tool::Call& call, const Route& route);
  std::optional<tool::CallResult> take_arguments_of_run(tool::Call& call, const Route& route);
  Interceptors::Before begin_intercepting(tool::Call& call, const Route& route);
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> intercept(
      tool::Call& call, const Route& route, Interceptors::Before&& before);
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> intercept_accepted(
      tool::Call& call, const Route& route);
  boost::asio::awaitable<Result<tool::CallResult>> run_as_judged(tool::Call& call,
                                                                 const Route& route,
                                                                 bool judged_now);
  boost::asio::awaitable<Result<tool::CallResult>> run_without_judgement(tool::Call& call,
                                                                         const Route& route);
  boost::asio::awaitable<bool> is_judged_so_again(tool::Call& call, const Route& route,
                                                  ApprovalStep::Judged& judged);
  boost::asio::awaitable<std::optional<tool::CallResult>> refusal_by_audit(tool::Call& call);
  std::optional<executor::Slot> take_free_slot(tool::Call& call, const Route& route);
  boost::asio::awaitable<Result<executor::Slot>> wait_for_slot(tool::Call& call,
                                                               const Route& route);
  boost::asio::awaitable<bool> may_try_again(tool::Call& call);
  bool is_intercepted(const tool::Call& call, const Route& route) const;
  boost::asio::awaitable<Result<tool::CallResult>> run(tool::Call& call, const Route& route,
                                                       executor::Slot slot);
  boost::asio::awaitable<Result<tool::CallResult>> run_entered(tool::Call& call, const Route& route,
                                                               executor::Slot slot);
  boost::asio::awaitable<Result<tool::CallResult>> run_provider(tool::Call& call,
                                                                const Route& route,
                                                                executor::Slot slot);
  boost::asio::awaitable<Result<tool::CallResult>> pass_rest(tool::Call& call, const Route& route);
  bool has_work_after_run(const tool::Call& call, const Route& route,
                          const tool::CallResult& result) const;
  boost::asio::awaitable<tool::CallResult> after_run(tool::Call& call, const Route& route,
                                                     tool::CallResult result);
  bool is_for_callers(const Route& route) const;
  boost::asio::awaitable<Result<tool::CallResult>> run_post(tool::Call& call, const Route& route);

  bool record_end(const tool::Call& call, const Result<tool::CallResult>& result);

  Parts parts_;
  Arguments arguments_;
  CheckTurns& check_turns_;
  ResultCheck result_check_;
  PostTools post_tools_;
  ApprovalStep approval_;
  const StateStep state_;
  std::vector<Listener> on_call_;
};

}  // namespace host::router
