// The header WWW-Authenticate, in which a server says how a client gets access (RFC 9110, RFC 6750,
// RFC 9728). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host::upstream::oauth {

struct Challenge {
  std::string resource_metadata;    // a URL; empty: not given
  std::string error;                // "invalid_token", "insufficient_scope"; empty: not given
  std::vector<std::string> scopes;  // in their order
};

// The first challenge with the scheme Bearer. `header` may have those of several header fields,
// with ", " between them. nullopt: there is none. Parameters that are not valid are left out.
std::optional<Challenge> read_challenge(std::string_view header);

// The scopes in a text with spaces between them. Those that are not valid (RFC 6749, 3.3) are left
// out, and so are those beyond 64 and after 4096 bytes.
std::vector<std::string> read_scopes(std::string_view text);
std::string join_scopes(const std::vector<std::string>& scopes);
bool is_in(const std::vector<std::string>& all, std::string_view one);
// `more` is added to `scopes`, each scope once, up to the same limits.
void unite(std::vector<std::string>& scopes, const std::vector<std::string>& more);

}  // namespace host::upstream::oauth
