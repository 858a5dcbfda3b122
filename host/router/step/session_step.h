// The session step of the call pipeline: what a call gets from its session. I/O thread only.
#pragma once

#include <memory>
#include <optional>

#include "session/sessions.h"
#include "tool/call.h"
#include "tool/route.h"

namespace host::router {

class SessionStep {
 public:
  // `sessions`: null if there are none.
  explicit SessionStep(std::shared_ptr<session::Sessions> sessions)
      : sessions_(std::move(sessions)) {}

  // The session counts as used, and the call gets its context. The call's own values have priority.
  void enter(tool::Call& call) const;

  // Null: there are none.
  const session::Sessions* sessions() const { return sessions_.get(); }

  // The argument `sessionId`. A tool of the session's client always gets it. For other tools that
  // do not declare it, it is removed. If the caller named another session, returns an error result.
  static std::optional<tool::CallResult> set_session_id(tool::Call& call, const tool::Route& route);

 private:
  const std::shared_ptr<session::Sessions> sessions_;
};

}  // namespace host::router
