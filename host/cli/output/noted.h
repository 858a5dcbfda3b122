// Writes audit lines about changes that a command made, next to the lines of hosts.
#pragma once

#include <string>

#include "config/config.h"
#include "identity/totp.h"
#include "store/audit/audit.h"

namespace host::cli {

// The user of the command line: "cli:NAME", by the user id.
std::string who_answers();

// If the audit cannot be written, reports that on standard error. The change is not undone.
void note(const config::Config& config, store::AuditEvent event, store::Audit::Fields fields);

// Writes that a one-time code of a principal was refused. `approval`: the approval request; empty:
// none.
void note_refused_code(const config::Config& config, const identity::JudgedCode& judged,
                       std::string_view principal, std::string_view approval = {});

}  // namespace host::cli
