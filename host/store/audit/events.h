// The events of audit lines that are not about calls, and the outcomes of calls and events.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::store {

enum class AuditEvent {
  Answer,    // a client or a reviewer sent the result of a call that runs outside the host
  Approval,  // a reviewer answered an approval request
  Audit,     // the audit file can be written again after a failure
  Begin,     // a call is about to run (audit.required)
  Cancel,    // an operator ended a call
  Code,      // a one-time code was refused
  Config,    // the host read the configuration again
  Key,
  Link,     // a login link to the console was made
  Lockout,  // after too many wrong codes, the principal is locked for a time
  Login,
  Logout,
  Plugin,  // an operator reloaded or released a plugin
  Rule,
  Session,
  Skill,  // an operator pulled a repository of skills, or accepted its skills
  Start,  // a host started
  Stop,
  Totp,      // an enrolment for one-time codes changed
  Upstream,  // an operator restarted an upstream, or accepted its definitions
  Webhook,   // a webhook was registered, changed, removed, or disabled
};

std::string_view to_string(AuditEvent event);

// Returns InvalidArgument if no audit line can have this event. The event "call" is also valid, and
// means the audit lines about calls. An empty `word` is also valid, and means all audit lines.
Result<void> check_audit_event(std::string_view word);

// Returns the outcomes of calls, in the order of docs/operate/watching.md.
std::vector<std::string_view> call_outcomes();

// The Error InvalidArgument means that no audit line can have this outcome. An empty `word` is also
// valid, and means any outcome.
Result<void> check_audit_outcome(std::string_view word);

}  // namespace host::store
