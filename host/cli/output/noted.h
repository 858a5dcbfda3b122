// Writes audit lines about changes that a command made, in the same file as the lines of hosts.
#pragma once

#include <string>

#include "config/config.h"
#include "identity/totp.h"
#include "store/audit/audit.h"

namespace host::cli {

// Returns the user of the command line as "cli:NAME". The name is found by the process's user id.
std::string who_answers();

// Writes an audit line. If the audit cannot be written, reports that on standard error. The change
// that the line is about is not undone.
void note(const config::Config& config, store::AuditEvent event, store::Audit::Fields fields);

// Writes an audit line that a one-time code of a principal was refused. `approval` is the approval
// request; empty: none.
void note_refused_code(const config::Config& config, const identity::JudgedCode& judged,
                       std::string_view principal, std::string_view approval = {});

}  // namespace host::cli
