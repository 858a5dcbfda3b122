// Makes the secrets of this host: keys, links and logins. The host shows each secret only once. A
// secret has 256 random bits, so it is safe to store a plain digest of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/result.h"
#include "identity/scopes.h"
#include "store/part/key_store.h"

namespace host::identity {

// The text of a key is "tpk_", the id of the key, "_" and the secret. The prefix "tpk_" helps
// secret scanners to recognise a key.
struct ApiKey {
  std::string id;
  std::string text;  // the complete key, as clients send it
};
ApiKey make_api_key();
// Returns the id of the key if the text has the form of a key; otherwise nullopt.
std::optional<std::string_view> id_of(std::string_view key);

// Returns true if a header contains a key of any Toolpost host, complete or truncated.
bool has_own_key(std::string_view header);

// Returns true if the text begins like a key of a Toolpost host. A text that begins like a key must
// never be printed, because it can be a secret.
bool begins_as_key(std::string_view text);

std::string make_secret();    // makes the secret of a login link or a login
std::string make_login_id();  // not secret
Sha256 digest_of_secret(std::string_view secret);

// Returns an Error unless the name has 1 to 64 letters, digits, `.`, `-` and `_`. The function
// refuses names that the host uses for principals without a key. The function refuses reserved
// names in any letter case, because "Local" in an audit line would mislead. The name "operator",
// the principal of logins with a login link, is valid.
Result<void> check_principal(std::string_view name);

// Makes and stores a key, and returns it with its secret. A key that has an `agent` can only call
// tools, because a model uses it. If `expires` is nullopt, the key never expires.
Result<ApiKey> create_key(store::KeyStore& keys, const std::string& principal, Scopes scopes,
                          const std::string& agent, WallTime now,
                          std::optional<WallTime> expires = std::nullopt);
// Replaces the key `id` by a new key. The old key stays valid until `until`, or until its own
// expiry if that is earlier.
struct RotatedKey {
  ApiKey key;
  store::KeyRecord record;
  WallTime old_expires{};  // `until`, or the earlier expiry of the old key
};
Result<RotatedKey> rotate_key(store::KeyStore& keys, std::string_view id, WallTime now,
                              WallTime until, std::optional<WallTime> expires);
Result<std::string> create_link(store::KeyStore& keys, const std::string& principal,
                                WallTime expires);

// `page` is an origin, like "http://127.0.0.1:8808". Returns the URL of a login link. The secret is
// in the URL's fragment, which browsers never send to a server.
std::string link_text(const std::string& page, const std::string& secret);

}  // namespace host::identity
