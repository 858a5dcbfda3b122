// Finds out whether an upstream's secrets have changed at a reload of the configuration, and
// whether stored lists or questions are from the server that is configured now.
#pragma once

#include <string>

#include "base/result.h"
#include "config/upstream.h"

namespace host::upstream {

// Returns a digest of the values that `env` or `headers` have now. The Error NotFound means that
// the value of a secret cannot be read.
Result<std::string> digest_of_secrets(const config::Upstream& upstream);

// Returns a digest of the keys of the section that decide which server answers. The digest of a
// section is the same after a restart of the host, and when the value of a secret changes.
std::string digest_of_server(const config::Upstream& upstream);

// Returns a digest of digest_of_server() and of everything outside the section that decides which
// server answers, and with which credentials the host calls that server. `secrets` is
// digest_of_secrets().
std::string digest_of_source(const config::Upstream& upstream, const std::string& secrets);

// Returns digest_of_source() for the present values of the secrets, or an empty text if one of the
// values cannot be read.
std::string source_now(const config::Upstream& upstream);

}  // namespace host::upstream
