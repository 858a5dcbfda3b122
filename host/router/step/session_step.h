// The session step of the call pipeline: adds the data of its session to a call. I/O thread only.
#pragma once

#include <memory>
#include <optional>

#include "session/sessions.h"
#include "tool/call/call.h"
#include "tool/call/route.h"

namespace host::router {

class SessionStep {
 public:
  // `sessions`: null if there are no sessions.
  explicit SessionStep(std::shared_ptr<session::Sessions> sessions)
      : sessions_(std::move(sessions)) {}

  // Marks the session as used, and adds the session's context to the call. Values of the call
  // itself have priority.
  void enter(tool::Call& call) const;

  // Null: there are no sessions.
  const session::Sessions* sessions() const { return sessions_.get(); }

  // The argument `sessionId`. A tool of the session's client always gets it. For other tools that
  // do not declare it, it is removed. If the caller sent the id of a different session, returns an
  // error result.
  static std::optional<tool::CallResult> set_session_id(tool::Call& call, const tool::Route& route);

 private:
  const std::shared_ptr<session::Sessions> sessions_;
};

}  // namespace host::router
