// What a verb changed, as a line of the audit beside the host's own.
#pragma once

#include <string>

#include "config/config.h"
#include "identity/totp.h"
#include "store/audit/audit.h"

namespace host::cli {

// Who types: "cli:NAME", by the user's id.
std::string who_answers();

// An audit that cannot be written is complained about, and the change stands.
void note(const config::Config& config, store::AuditEvent event, store::Audit::Fields fields);

// One-time code of a principal that was refused here. `approval`: for which; empty: for none.
void note_refused_code(const config::Config& config, const identity::JudgedCode& judged,
                       std::string_view principal, std::string_view approval = {});

}  // namespace host::cli
