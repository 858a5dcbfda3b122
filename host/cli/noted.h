// What a verb changed, as a line of the audit beside the host's own.
#pragma once

#include <string>

#include "config/config.h"
#include "store/audit/audit.h"

namespace host::cli {

// Who types: "cli:NAME", by the user's id.
std::string who_answers();

// An audit that cannot be written is complained about, and the change stands.
void note(const config::Config& config, std::string_view event, store::Audit::Fields fields);

}  // namespace host::cli
