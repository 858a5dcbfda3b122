// What a line of the audit that is no call tells of, in the words that it has for that.
#pragma once

#include <string_view>

#include "base/result.h"

namespace host::store {

enum class AuditEvent {
  Approval,  // somebody answered an approval request
  Audit,     // the audit could be written again
  Begin,     // a call is about to run (audit.required)
  Cancel,    // an operator ended a call
  Code,      // a one-time code was refused
  Key,
  Link,     // to the console
  Lockout,  // too many wrong codes: none is taken for a while
  Login,
  Logout,
  Plugin,  // an operator reloaded or released a plugin
  Rule,
  Session,
  Start,  // of a host
  Stop,
  Totp,      // an enrolment for one-time codes changed
  Upstream,  // an operator restarted an upstream, or accepted its definitions
  Webhook,   // a webhook was registered, changed, removed, or disabled
};

std::string_view to_string(AuditEvent event);

// InvalidArgument: no line has this event. "call" is that of the calls; empty is any.
Result<void> check_audit_event(std::string_view word);

}  // namespace host::store
