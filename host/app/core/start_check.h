// Before a host starts, finds the settings that would prevent its start.
#pragma once

#include <functional>
#include <vector>

#include "config/config.h"

namespace host::app {

// Returns one error for each setting of a [[webhook]] that the host refuses: C013 (an unknown type
// of event), C016 (a missing secret) and C017 (a wrong form). The function refused_webhooks() reads
// the secrets from the environment of this process.
std::vector<config::Diagnostic> refused_webhooks(const config::Config& config);

// Returns true if the store contains a key that may call.
using HasKey = std::function<bool()>;

// Returns the results of refused_webhooks(), and one error C024 for each other problem that
// prevents the start. The error C024 reports a file that other users control
// (app/core/state_check.h), or an unsafe path of a Unix socket. C024 is also the error if other
// machines can reach the host's address, but there is neither a key nor an issuer. If `has_key` is
// null, the function assumes that there is a key. `current` is the configuration of a running host,
// or null. Webhooks and an address that are the same in `current` are not checked again.
std::vector<config::Diagnostic> refused_at_start(const config::Config& config,
                                                 const HasKey& has_key,
                                                 const config::Config* current = nullptr);

// Removes each error from `errors` if `reported` already has an error in the same line.
void leave_out_reported(const std::vector<config::Diagnostic>& reported,
                        std::vector<config::Diagnostic>& errors);

}  // namespace host::app
