// Changes the settings of a session for code that has not read a version of it: the change is made
// again on the newest settings if others changed them at the same time. I/O thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "session/sessions.h"

namespace host::session {

// Changes `settings`, which are those of `before`. False: nothing needs to change. An Error ends
// the edit, and nothing changes. May run several times.
using Edit = std::function<Result<bool>(const Session& before, Settings& settings)>;

struct Edited {
  SessionPtr before;
  SessionPtr now;  // the same as `before` if nothing changed
};

// NotFound: the session has ended. Unavailable: others changed it each time. Its principal must
// have been checked before.
awaitable<Result<Edited>> edit(std::shared_ptr<Sessions> sessions, std::string id, Edit edit);

}  // namespace host::session
