// The approval step of the call pipeline asks for the approval or the one-time code that the
// permission step requires. If rules or the call's session change while the call waits, the step
// decides about the call again. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

#include "approval/gate.h"
#include "base/result.h"
#include "permission/decision/decision.h"
#include "router/live/live_calls.h"
#include "router/step/arguments.h"
#include "router/step/permission_step.h"
#include "router/view/route.h"
#include "router/view/router.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::router {

class ApprovalStep {
 public:
  ApprovalStep(const Router& router, PermissionStep& permission, approval::Gate& gate,
               LiveCalls& live)
      : router_(router), permission_(permission), gate_(gate), live_(live) {}

  // A permission decision, and the rules and the session on which it was based.
  struct Judged {
    permission::Decision decision;
    PermissionStep::Basis basis;
  };
  boost::asio::awaitable<Judged> judge(tool::Call& call, const Route& route);
  // Decides like judge(), but needs no coroutine. Returns nullopt if the decision depends on the
  // tool's check functions: call judge() then.
  std::optional<Judged> judge_at_once(tool::Call& call, const Route& route);

  // Returns the result with which the call ends, or nullopt if the call can run. If a reviewer
  // changed the arguments, the call has them, and keeps the names of the changed members
  // (edited_call.h). The result does not have the names.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> pass(tool::Call& call,
                                                                       const Route& route,
                                                                       Judged judged);

  // Returns true if pass() has nothing to do, and would return nullopt.
  bool passes_at_once(const tool::Call& call, const Judged& judged, const Route& route) const;

  // Handles a call of the tool ask_user. A call of ask_user waits for a person's answer before it
  // runs, as other calls wait for an approval.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> pass_question(tool::Call& call,
                                                                                const Route& route);

 private:
  void deny_if_not_offered(tool::Call& call, const Route& route,
                           permission::Decision& decision) const;
  boost::asio::awaitable<Result<approval::Passage>> ask(tool::Call& call, const Route& route,
                                                        Judged& judged);
  boost::asio::awaitable<bool> still_asks(tool::Call& call, const Route& route, Judged& judged);
  boost::asio::awaitable<std::optional<tool::CallResult>> check_edits(tool::Call& call,
                                                                      const Route& route,
                                                                      const std::string& before);

  const Router& router_;
  PermissionStep& permission_;
  approval::Gate& gate_;
  LiveCalls& live_;
  Arguments arguments_;
};

}  // namespace host::router
