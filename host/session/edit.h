// Changes the settings of a session. Use edit() in code that does not know the session's version.
// If other code changes the settings at the same time, edit() makes the change again with the
// newest settings. The functions of this header are called on the I/O thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "session/sessions.h"

namespace host::session {

// An Edit is a function that changes `settings`, a copy of the settings of the session `before`.
// Returns false if no change is needed. If the Edit returns an Error, the session does not change.
// edit() can call the Edit several times.
using Edit = std::function<Result<bool>(const Session& before, Settings& settings)>;

struct Edited {
  SessionPtr before;
  SessionPtr now;  // the session after the edit; equal to `before` if nothing changed
};

// The Error NotFound means that the session has ended. The Error Unavailable means that other code
// changed the session at every attempt. edit() does not check the session's principal, so check it
// before you call edit().
awaitable<Result<Edited>> edit(std::shared_ptr<Sessions> sessions, std::string id, Edit edit);

}  // namespace host::session
