// Writes audit lines about changes that a command made, in the same file in which hosts write their
// lines.
#pragma once

#include <string>

#include "config/config.h"
#include "identity/totp.h"
#include "store/audit/audit.h"

namespace host::cli {

// Returns the user of the command line as "cli:NAME". NAME is the name of the user with the
// process's user id.
std::string who_answers();

// Writes one line about a change to the audit. If the audit cannot be written, the function reports
// the failure on standard error. The function does not undo the change that the audit line is
// about.
void note(const config::Config& config, store::AuditEvent event, store::Audit::Fields fields);

// Writes an audit line which says that a one-time code of a principal was refused. `approval` is
// the id of the approval request, or empty if there is no approval request.
void note_refused_code(const config::Config& config, const identity::JudgedCode& judged,
                       std::string_view principal, std::string_view approval = {});

}  // namespace host::cli
