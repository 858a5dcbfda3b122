// Reads the header WWW-Authenticate, in which a server says how a client gets access (RFC 9110, RFC
// 6750, RFC 9728). The functions of challenge.h have no side effects.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host::upstream::oauth {

struct Challenge {
  std::string resource_metadata;    // a URL; empty: the challenge has none
  std::string error;                // the parameter `error`: "invalid_token"
                                    // empty: no error
  std::vector<std::string> scopes;  // in the challenge's order
};

// Returns the first challenge that has the scheme Bearer. `header` can contain the challenges of
// several header fields, with ", " between them. nullopt: no challenge has this scheme. The
// returned challenge contains only the valid parameters.
std::optional<Challenge> read_challenge(std::string_view header);

// Splits a text at its spaces into OAuth scopes. read_scopes() leaves out scopes that are not valid
// (RFC 6749, 3.3), scopes after the first 64, and scopes after the first 4096 bytes.
std::vector<std::string> read_scopes(std::string_view text);
std::string join_scopes(const std::vector<std::string>& scopes);
bool is_in(const std::vector<std::string>& all, std::string_view one);
// Adds `more` to `scopes`, each scope once, up to the limits of read_scopes().
void unite(std::vector<std::string>& scopes, const std::vector<std::string>& more);

}  // namespace host::upstream::oauth
