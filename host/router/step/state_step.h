// The state of a call's session, for tools that declare that they need it (TP_TOOL_STATE_INJECTED).
// I/O thread only.
#pragma once

#include <optional>

#include "router/step/permission_step.h"
#include "router/view/router.h"
#include "session/sessions.h"
#include "tool/call.h"
#include "tool/route.h"

namespace host::router {

// The entry of the call's context that has the state: {"version", "mode", "groups", "working_dirs",
// "todos"}.
inline constexpr const char* kSessionState = "toolpost.session";

class StateStep {
 public:
  // `sessions`: null if there are no sessions.
  StateStep(const Router& router, const PermissionStep& permission,
            const session::Sessions* sessions)
      : router_(router), permission_(permission), sessions_(sessions) {}

  // The result of a call that needs a session and has none; otherwise nullopt.
  std::optional<tool::CallResult> refusal(tool::Call& call, const tool::Route& route) const;

  // Adds the current state to the call's context. It replaces an entry of the same name that the
  // caller sent.
  void inject(tool::Call& call, const tool::Route& route) const;

 private:
  session::SessionPtr session_of(const tool::Call& call) const;

  const Router& router_;
  const PermissionStep& permission_;
  const session::Sessions* const sessions_;
};

}  // namespace host::router
