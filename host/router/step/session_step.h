// The session step of the call pipeline adds the data of the call's session to the call. The
// functions of this header are called on the I/O thread.
#pragma once

#include <memory>
#include <optional>

#include "session/sessions.h"
#include "tool/call/call.h"
#include "tool/call/route.h"

namespace host::router {

class SessionStep {
 public:
  // If `sessions` is null, calls belong to no session.
  explicit SessionStep(std::shared_ptr<session::Sessions> sessions)
      : sessions_(std::move(sessions)) {}

  // Marks the session as used, and adds the session's context to the call. If the session and the
  // call both have a context value with the same name, the value of the call has priority.
  void enter(tool::Call& call) const;

  // Returns the `sessions` that the constructor received, which can be null.
  const session::Sessions* sessions() const { return sessions_.get(); }

  // Sets or removes the tool argument `sessionId` of a call. A tool that the session's client
  // executes always gets the argument `sessionId`. If a tool of the host, a plugin or an upstream
  // does not declare `sessionId`, the host removes a `sessionId` with the id of the call's session.
  // If the caller sent the id of a different session, returns an error result.
  static std::optional<tool::CallResult> set_session_id(tool::Call& call, const tool::Route& route);

 private:
  const std::shared_ptr<session::Sessions> sessions_;
};

}  // namespace host::router
